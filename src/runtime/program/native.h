#ifndef RADDLE_RUNTIME_PROGRAM_NATIVE_H
#define RADDLE_RUNTIME_PROGRAM_NATIVE_H

/* Ground rules of the room `runtime`: it lives inside the program under test, in libraddle.so, next to the engine. One OS
 * thread runs it all: the engine on the main stack, each program thread on a fiber. It allocates only from the
 * session's arena, and calls no function of libc that the library interposes. Everything but hooks, interposed
 * functions and annotations is hidden. */

#include <pthread.h>
#include <sched.h>
#include <unwind.h>

#include "explore/session.h"
#include "model/await.h"
#include "runtime/core/fiber.h"
#include "runtime/hooks.h"
#include "runtime/program/spin.h"

/* Before what the program shall find instead of libc's. */
#define INTERPOSE __attribute__((visibility("default")))

#define NATIVE_KEYS 1024 /* PTHREAD_KEYS_MAX */
#define NATIVE_PRIVATE_SIZE                                                                        \
    ((size_t)256 << 10) /* at the top of each stack, for thread-local variables */

/* From its event number `step` on the clock of a thread showed `time`. */
struct native_time {
    uint32_t step;
    uint64_t time;
};

/* Runs at the end of a thread that has made that object, a thread-local variable of C++. */
struct native_destructor {
    void (*call)(void *);
    void *object;
};

/* One thread of the program in this execution. */
struct native_thread {
    struct fiber fiber;
    uint32_t number; /* as in session.threads */
    agent_id agent;
    uint32_t children;      /* threads it has created so far */
    struct op asked;        /* what it wants to do, for the engine to take */
    cell_value result;      /* what came of it */
    void *(*start)(void *); /* NULL for the main thread */
    void *argument;
    void *returned;
    bool joined;
    uint64_t time;                       /* nanoseconds since the start, on its own clock */
    VEC(struct native_time) times;       /* when that went on */
    const struct raddle_site *look_site; /* where it looked last, and how often in a row */
    uint32_t looks;
    struct {
        bool waited; /* for a time, or slept, since it looked */
        bool begun;  /* it has looked since it waited for the first time */
        const struct raddle_site
            *site;      /* where it looked first after that; before, where it looked last */
        uint64_t time;  /* what it saw there */
        uint32_t count; /* rounds in a row that began there */
    } round;            /* of a loop that waits for a time and looks at clocks */
    char name[16];
    int policy, priority; /* as it was told */
    cpu_set_t cpus;
    bool cpus_set;
    size_t stack_wanted, guard_wanted; /* by its attributes, or 0 */
    int error;                         /* its errno, while it does not run */
    struct raddle_frame *frames;
    struct stack stack;  /* all of it, with what is kept for thread-local variables at its top */
    size_t private_used; /* of that */
    bool stack_shared;   /* another thread uses it, too */
    uintptr_t visited_low, visited_high; /* where others have used it in this execution */
    struct spin spin;
    struct spin_images *images; /* or NULL, if it has never looked at a clock */
    uint32_t window;            /* plain loads that are still to be made visible (plain.h) */
    bool signalled;             /* does not look for signals now (signals.h) */
    uint32_t handlers;          /* of signals from others that it is inside of */
    uint32_t interrupted; /* of these, how many have interrupted a wait at a condition or barrier */
    uint8_t call; /* what becomes of what it does if a signal interrupts it: enum signals_call */
    uint32_t sections;  /* atomic ones that it is inside of */
    const char *crash;  /* why it died, if it did */
    VEC(void *) robust; /* robust mutexes that it holds */
    void *cleanups;     /* its newest cleanup handler: pthread_cancel.c */
    int cancel_state, cancel_type;
    bool leaving; /* cancelled, or in pthread_exit: it is not cancelled again */
    struct _Unwind_Exception unwinding;        /* meanwhile */
    struct await awaits;                       /* what it waits for besides being cancelled */
    void *keys[NATIVE_KEYS];                   /* pthread_setspecific */
    uint32_t keys_used;                        /* of these: beyond, all are NULL */
    VEC(struct native_destructor) destructors; /* of thread-local variables */
    VEC(void *) variables; /* its copies of thread-local variables, by their number */
};

/* The program as a target. */
struct native {
    struct target base;
    struct session *session;
    struct world *world; /* the session's */
    struct fiber engine; /* where the engine waits */
    struct native_thread
        *current;   /* the thread that runs; NULL in the engine and before the start */
    bool detects;   /* plain accesses are checked for races, and are not visible */
    bool alone;     /* no other thread has run, or all have been joined: nothing is shared */
    uint32_t phase; /* times in this execution that a thread was created while there was but one */
    uint32_t unjoined; /* threads started and not joined, without the main thread */
    VEC(struct native_thread *) threads; /* by number */
    struct map thread_numbers;           /* (parent, rank) -> number */
    struct map variable_numbers;         /* address of a raddle_tls -> number */
    int (*main)(int, char **, char **);
    int argc;
    char **argv;
    char **environment;
    bool started; /* constructors are through */
    void (*key_destructors[NATIVE_KEYS])(void *);
    bool key_free[NATIVE_KEYS]; /* deleted, and to be had again */
    bool
        default_attributes; /* set by the program in this execution, for new threads; libc keeps them */
    uint32_t keys_of_start; /* made by constructors */
    uint32_t keys;
    const char *
        refused; /* the first call in this execution that failed because it is not modelled, or NULL */
};

extern struct native native;

/* Hands the operation to the engine, and returns what came of it. Only on a program thread. */
cell_value native_ask(const struct op *op);

/* An operation on an object at `addr`, asked for by the innermost instrumented code or by `site`. */
struct op native_op(enum op_kind kind, const void *addr);

/* Asks for an operation on the object at `addr`; outside a program thread it succeeds at once. */
static inline uint64_t native_call(enum op_kind kind, const void *addr)
{
    struct op op = native_op(kind, addr);

    return native.current ? (uint64_t)native_ask(&op) : 1;
}

/* A new thread of the running one: its number, with everything ready for OP_THREAD_CREATE. */
struct native_thread *native_new_thread(void *(*start)(void *), void *argument);

/* Whether a thread can have these attributes, as far as the system would look at them. */
bool native_attributes_are_valid(const pthread_attr_t *attributes);

/* Before it starts: what its attributes (or NULL) and its creator, who runs now, give it. */
void native_attributes(struct native_thread *thread, const pthread_attr_t *attributes);

#define NATIVE_NO_THREAD UINT32_MAX

/* The number of the rank-th thread (from 1) that thread `parent` has made in this execution so far, or NATIVE_NO_THREAD. */
uint32_t native_child(uint32_t parent, uint32_t rank);

/* The thread that a pthread_t names, or NULL. */
struct native_thread *native_thread_of(unsigned long handle);
unsigned long native_handle(const struct native_thread *thread);

/* Ends the running thread: never returns. */
_Noreturn void native_exit_thread(void *returned);

/* The same, after the destructors of its keys. */
_Noreturn void native_leave_thread(void *returned);

/* A cancellation point: if the running thread was asked to end and lets itself be cancelled, it ends here and this does not return.
 * Calls that POSIX lists as cancellation points begin with it, and call it again before they return from having waited. */
void native_cancel_point(void);

/* Whether the running thread lets itself be cancelled now, and the program has ever asked a thread to end. */
bool native_cancellable(void);

/* The same, and whether it has been asked to end: an operation. */
bool native_cancel_is_requested(void);

/* Waits until that object is in another state than `state`, or the running thread is asked to end: what a blocking operation of
 * kind `kind` does before it tries. */
enum native_awaited {
    AWAITED_CHANGE, /* or a handler has run: it tries, and waits again if that fails */
    AWAITED_CANCEL, /* it was asked to end, and must do so if the try fails; in another run it has not come back from here */
    AWAITED_INTERRUPT, /* a handler has run that ends the call (native_thread.call) */
};
enum native_awaited native_cancel_await(enum op_kind kind, enum object_kind object, uint64_t addr,
                                        uint64_t state);

/* Leaves all functions of the running thread with their cleanup handlers, and then the thread. Never returns. */
_Noreturn void native_unwind(void *returned);

/* The running thread ends the process, as exit does: never returns. */
_Noreturn void native_exit_process(int status);

/* The running thread dies: a bug of the program. `message` must live as long as the process. Never returns. */
_Noreturn void native_crash(enum bug_kind kind, const char *message);

/* A call that is not modelled: makes the verdict incomplete. */
void native_unsupported(const char *name);

/* The same for one that fails because of that, as it need not on the bare system: bugs of this execution say so. */
void native_refused(const char *name);

/* `size` zero bytes for a thread-local variable of the running thread: with its stack, if they fit there. */
void *native_private_memory(size_t size, size_t align);

/* Whether that thread has run in this execution, and does no more. */
bool native_has_ended(uint32_t number);

/* Another thread uses the stack of that thread: the search must know that from the beginning. */
void native_share_stack(uint32_t number);

/* Where the running thread is: its innermost instrumented site, or NULL. */
const struct raddle_site *native_site(void);

/* A copy in the session's memory. */
session_text native_text(const char *text);

/* ---- native_target.c: the target's side */

void native_open(struct session *session);

/* ---- native_job.c */

int native_explore(void);
int native_resume_search(void);
int native_replay(void);
int native_minimise(void);

/* ---- native_debug.c: each program thread on an OS thread, for a debugger */

void native_debug_open(void);

/* An OS thread for a thread that is about to begin; not while it is the running one, as libc allocates. */
void native_debug_start(struct native_thread *thread);

/* What takes the place of the switch from a thread to the engine, and back. */
void native_debug_ask(struct native_thread *thread);
void native_debug_run(struct native_thread *thread);

/* A thread has just taken part in a data race, and stops for the debugger: here if it runs, else where it asks. */
void native_debug_race(uint32_t thread);

/* The replay is over: tells how, lets the thread with the bug stop for the debugger, and ends the process. */
_Noreturn void native_debug_end(void);

/* ---- exit_handlers.c: what runs at the end of the process and of threads */

/* The handlers that constructors have registered are those of every execution. */
void exit_handlers_save(void);
void exit_handlers_restart(void);

/* The running thread is about to end. The destructors of its thread-local variables come first, before those of keys. */
void exit_handlers_thread_variables(void);
void exit_handlers_thread_leaves(void);

/* ---- signals.c */

void signals_open(void);

#endif
