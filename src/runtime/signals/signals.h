#ifndef RADDLE_RUNTIME_SIGNALS_SIGNALS_H
#define RADDLE_RUNTIME_SIGNALS_SIGNALS_H

/* Signals of the program, as it sees them: what each one does, the mask of each thread, what is pending. None of it is the kernel's, except for faults,
 * which reach a handler of ours first, and SIGPIPE and SIGXFSZ, which the kernel raises by itself.
 *
 * A thread runs a handler when it raises the signal or unblocks it, and, if another one sent it, at its next visible operation or before: so in a program that
 * can send signals to threads (it calls kill, pthread_kill or the like) each visible operation looks first. All state is in cells that are read and
 * written as atomic variables are, so that every order is tried.
 *
 * A thread that waits in a call is interrupted: the operation that waits can also be done when there is a signal, and then does nothing but let its
 * thread run the handler. What comes after that is the call's affair: enum signals_call. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/program/native.h"

#define SIGNALS 65 /* numbers from 1 */

/* What a thread is about. */
struct signals_thread {
    bool looking; /* does not look for signals now */
    uint32_t
        interrupted; /* of the handlers it is inside of, how many have interrupted a wait at a condition or barrier */
    uint8_t call; /* what becomes of what it does if a signal interrupts it: enum signals_call */
    bool
        masked; /* is in a call that waits with a mask of its own: signals interrupt that, and come at no other time */
    uint32_t served;        /* handlers that it has run of signals which the program itself sent */
    uint32_t served_before; /* when that call began */
};

static inline struct signals_thread *signals_of(const struct native_thread *thread)
{
    return thread->own[PART_SIGNALS];
}

/* Faults reach us from here on. */
void faults_open(void);

/* Before thread `child` begins: it has that mask instead. */
void signals_begin_with(uint32_t child, const sigset_t *mask);

/* ---- calls that wait (signals_interrupt.c) */

/* What becomes of a call when a handler has interrupted it, as signal(7) has it. */
enum signals_call {
    SIGNALS_GOES_ON,  /* it waits again: locks, conditions, joining */
    SIGNALS_RESTARTS, /* that, if the handler was set up with SA_RESTART; else it fails with EINTR */
    SIGNALS_ENDS,     /* it fails with EINTR in any case */
};

/* Asks for an operation of such a call. WAIT_INTERRUPTED: it fails with EINTR. */
cell_value signals_ask(const struct op *op, enum signals_call call);

/* What a call does that has not got what it wanted, and has some time to wait for it. */
enum signals_wake {
    SIGNALS_NOTHING, /* has come: it times out */
    SIGNALS_AGAIN,   /* a handler has run: it tries again */
    SIGNALS_INTERRUPTED
};
enum signals_wake signals_meanwhile(enum signals_call call);

/* The way of operations to the engine in a program whose threads can send each other signals. */
cell_value signals_way(const struct op *op);

/* Whether the program can send signals to its threads, so that they have to look. */
extern bool signals_sent;

/* The signal is raised in the running thread. Returns when its handler has, if it has one; not at all if it ends the process. */
void signals_raise(int number);

/* A fault: calls the program's handler; false if there is none, or the signal is blocked. */
bool signals_fault_is_handled(int number);
void signals_fault(int number, siginfo_t *info, void *context);

/* The stack that the thread has named for handlers that ask for it, or NULL: its upper end. */
char *signals_stack(int number);

/* Around a call that waits with a mask of its own, or with the thread's (NULL): returns what signals_mask_end wants. *due: there is
 * something already that this mask lets in. It is handled by signals_mask_handle, if the call has to wait: true if a handler has run. */
uint64_t signals_mask_begin(const sigset_t *mask, bool *due);
bool signals_mask_handle(void);
void signals_mask_end(uint64_t before);

/* What the running thread waits for, if it waits for a signal: nobody in the program need send it. */
enum signals_wait { SIGNALS_WAIT_NOT, SIGNALS_WAIT_ANY, SIGNALS_WAIT_TIMED };
enum signals_wait signals_waits(uint32_t thread);

/* The running thread has started a timer that would send that signal. None ever expires: who waits then waits for it. */
void signals_timer_started(int number);

/* Whether a timer was started in this execution whose signal has a handler: it may let a program go on that stands still. */
bool signals_timer_is_due(void);

/* sigsetjmp has saved the mask (or has been told not to) where `buffer` is. */
void signals_jump_set(const void *buffer, bool with_mask);

#endif
