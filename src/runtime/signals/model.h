#ifndef RADDLE_RUNTIME_SIGNALS_MODEL_H
#define RADDLE_RUNTIME_SIGNALS_MODEL_H

/* Between the files of the signals that the program sees (signals.h):
 *
 *   signals_model.c   the state, its start and restart; what is pending, and taking it
 *   signals_action.c  what a signal does: sigaction, handlers, the default
 *   signals_mask.c    masks, stacks for handlers, jumps out of them
 *   signals_send.c    raise, kill, pthread_kill
 *   signals_wait.c    sigwait, sigsuspend, pause
 *   signals_interrupt.c  signals for a thread that waits in another call
 *
 * Cells are touched by hooks, as atomic variables of the program are; their addresses are the same in each process. */

#include <string.h>

#include "runtime/program/interpose.h"
#include "runtime/signals/signals.h"

/* Cells of a thread that others see. */
struct thread_signals {
    uint64_t pending; /* a bit each, number 1 is bit 0 */
    uint64_t mask;    /* only the thread itself writes it */
};

#define SIGNALS_JUMPS 64

/* Where sigsetjmp was called that saves the mask, and the mask then. */
struct signals_jump {
    const void *buffer;
    uint64_t mask;
};

struct signals_state {
    struct thread_signals threads[RUNTIME_THREADS];
    uint64_t process;                  /* pending for whoever lets them in */
    uint64_t created;                  /* grows with each thread that is made */
    uint64_t changes[SIGNALS];         /* a cell for each action, for the order of changes */
    struct sigaction actions[SIGNALS]; /* what they do; all zeros is the default */
    bool actions_used;                 /* since the start */
    enum signals_wait waits[RUNTIME_THREADS];
    stack_t stacks[RUNTIME_THREADS];
    uint32_t threads_used; /* numbers below it may have state */
    struct signals_jump jumps[SIGNALS_JUMPS];
    uint32_t jump_count;
    uint64_t timers;                         /* signals of timers that were started */
    siginfo_t infos[RUNTIME_THREADS + 1][8]; /* of the last signals sent, see info_of */
    struct sigaction actions_at_start[SIGNALS];
    uint64_t mask_at_start;
};

extern struct signals_state signals;

static inline uint64_t signals_bit(int number)
{
    return (uint64_t)1 << (number - 1);
}

static inline bool signals_is_number(int number)
{
    return number >= 1 && number < SIGNALS;
}

static inline uint64_t signals_set_bits(const sigset_t *set)
{
    uint64_t bits;

    memcpy(&bits, set, sizeof bits);
    return bits;
}

static inline void signals_set_fill(sigset_t *set, uint64_t bits)
{
    memset(set, 0, sizeof *set);
    memcpy(set, &bits, sizeof bits);
}

static inline struct thread_signals *signals_own(void)
{
    return &signals.threads[native.current->number];
}

/* ---- signals_model.c */

/* A cell is read or changed. If nobody can send, a thread's state is its own, and no step. These steps themselves do not look for
 * signals. */
uint64_t signals_read(uint64_t *cell);
uint64_t signals_change(uint64_t *cell, enum hook_rmw how, uint64_t value);

/* What is told of a signal that the program sends. */
siginfo_t signals_info(int number, int code, union sigval value);

/* The signal is pending from now on, for that thread or for the process (RUNTIME_THREADS). True: it was before. */
bool signals_pend(uint32_t thread, const siginfo_t *info);

/* Takes one of `wanted` that is pending for the running thread; 0: none is. */
int signals_take(uint64_t wanted, siginfo_t *info);

/* What has run. The kernel lets the first handler decide what becomes of the call that was interrupted. */
enum signals_ran { SIGNALS_RAN_NONE, SIGNALS_RAN_RESTARTS, SIGNALS_RAN };

/* Runs handlers as long as there is something that the mask lets in. */
enum signals_ran signals_deliver(void);

/* The same for what others have sent while the thread was about something else. */
enum signals_ran signals_handle(void);

/* Whether there is something for the running thread to handle: a step. Only of what was sent to it: what is for the process is
 * given out when it is sent, or waits for somebody to unblock it. */
bool signals_came(void);

/* Before a visible operation: runs the handlers of what others have sent. */
void signals_look(void);

/* ---- signals_action.c */

/* The signal does what it does in the running thread, now. */
enum signals_ran signals_act(int number, siginfo_t *info);
void signals_act_by_default(int number);

/* Whether the signal, come to a thread that lets it in, is gone. */
bool signals_is_ignored(int number);

#endif
