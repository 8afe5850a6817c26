#ifndef RADDLE_RUNTIME_PROGRAM_NATIVE_H
#define RADDLE_RUNTIME_PROGRAM_NATIVE_H

/* Ground rules of the room `runtime`: it lives inside the program under test, in libraddle.so, next to the engine. One OS
 * thread runs it all: the engine on the main stack, each program thread on a fiber. It allocates only from arenas: what
 * belongs to the search from the session's, what belongs to a run from native.memory. It calls no function of libc that the library interposes. Everything but hooks, interposed
 * functions and annotations is hidden. Who changes what in a run is in core/part.h.
 *
 * This header is what every room above knows of the program: its threads, and how one of them asks the engine for an operation. */

#include "base/text.h"
#include "explore/session.h"
#include "runtime/core/fiber.h"
#include "runtime/core/part.h"
#include "runtime/core/tls.h"
#include "runtime/hooks.h"
#include "runtime/program/constructors.h"

/* Before what the program shall find instead of libc's. */
#define INTERPOSE __attribute__((visibility("default")))

/* Hands an operation of the running thread to the engine, and returns what came of it. */
typedef cell_value native_way(const struct op *op);

/* One thread of the program in this execution: what all parts need of it, and what each has of it for itself. */
struct native_thread {
    struct fiber fiber;
    uint32_t number; /* as in session.threads */
    agent_id agent;  /* AGENT_NONE: not in this execution so far */
    native_way
        *way; /* of its operations to the engine: native.way, unless it may be cancelled anywhere */
    struct op asked;   /* what it wants to do, for the engine to take */
    cell_value result; /* what came of it */
    struct raddle_frame *frames;
    const struct raddle_site *
        came_from; /* raddle_frame.into of its innermost function before the last call that was announced */
    bool asked_others; /* it has called code that is neither instrumented nor the runtime's own */
    struct fiber_floats floats; /* that it begins with: its creator's */

    struct stack stack; /* all of it, with thread-local memory in the last tls.room bytes */
    bool stack_shared;  /* another thread uses it, or that memory, too */

    void *(*start)(void *); /* NULL for the main thread */
    void *argument;
    void *returned;
    uint32_t children;     /* threads it has created so far */
    VEC(uint32_t) numbers; /* of those that it has ever created, by rank; kept over runs */
    agent_id known;        /* as what the world knew it last, kept over runs */
    bool joined;
    bool wanted; /* somebody has come to join it */

    uint32_t sections; /* atomic ones that it is inside of */
    uint32_t handlers; /* of signals from others that it is inside of */
    const char *crash; /* why it died, if it did */
    uint64_t passes;   /* the fact that lets it go on there the next time, or 0 (memory_bug.c) */
    bool
        leaves; /* its functions are behind it: handlers and destructors run, or the process ends */
    int error;  /* errno, while it waits for the engine */
    uint64_t runs; /* how often it has gone on, in this process */

    void *own[PART_COUNT]; /* struct of each part, or NULL: ask the part's own function for it */
};

/* The program as a target. */
struct native {
    struct target base;
    struct session *session;
    struct arena
        memory; /* of this process alone: what is found by variables of its own, as a snapshot of it keeps both as they are */
    struct world *world; /* the session's */
    struct fiber engine; /* where the engine waits */
    struct native_thread
        *current; /* the thread that runs; NULL in the engine and before the start */
    native_way
        *way; /* of operations to the engine: native_hand_over, or what looks for signals first */
    /* In a replay: does the next step in the engine's stead, if it can, and returns the thread that goes on, all set; or NULL. On the engine's stack. */
    void *(*follow)(void);
    bool detects;   /* plain accesses are checked for races, and are not visible */
    bool alone;     /* no other thread has run, or all have been joined: nothing is shared */
    uint32_t phase; /* times in this execution that a thread was created while there was but one */
    uint32_t unjoined; /* threads started and not joined, without the main thread */
    VEC(struct native_thread *) threads; /* by number */
    struct map thread_numbers;           /* (parent, rank) -> number */
    void (*agree)(
        uint32_t parent,
        uint32_t
            rank); /* with all processes that search together on the number of a thread, by native_number_add; NULL: this one is alone */
    int (*main)(int, char **, char **);
    int argc;
    char **argv;
    char **environment;
    int error;                           /* errno when main begins */
    const struct raddle_site *main_left; /* where main has returned, if raddle compiled it */
    bool started;                        /* constructors are through */
    struct fiber_floats floats;          /* that the main thread begins with */
    bool
        records; /* the engine tells of each step, for which it needs thread-local memory of its own */
    const char *
        refused; /* the first call in this execution that failed because it is not modelled, or NULL */
    const struct raddle_site *
        unseen; /* the first place in this execution where something was not understood that may order threads, or NULL */
};

extern struct native native;

/* Whether the search compares states, if not from its beginning on. Then the clock of a thread ticks, for the detector, at each transition, in replays, too: so
 * what a transition writes is seen (hooks/written.h). */
static inline bool native_compares(void)
{
    return native.session->options.states != STATES_OFF;
}

/* ---- ask.c: operations */

/* Asks the engine for the operation, and returns what came of it. Only on a program thread. */
static inline cell_value native_ask(const struct op *op)
{
    return native.current->way(op);
}

/* The last piece of each way: switches to the engine. */
cell_value native_hand_over(const struct op *op);

/* An operation on an object at `addr`, asked for by the innermost instrumented code or by `site`. */
struct op native_op(enum op_kind kind, const void *addr);

/* Asks for an operation on the object at `addr`; outside a program thread it succeeds at once. */
static inline uint64_t native_call(enum op_kind kind, const void *addr)
{
    struct op op = native_op(kind, addr);

    if (native.current)
        return (uint64_t)native_ask(&op);
    constructors_leave();
    return 1;
}

/* Ends the running thread: never returns. */
_Noreturn void native_exit_thread(void *returned);

/* The running thread ends the process, as exit does: never returns. */
_Noreturn void native_exit_process(int status);

/* The running thread dies: a bug of the program. `message` must live as long as the process. Never returns. */
_Noreturn void native_crash(enum bug_kind kind, const char *message);

/* A call that is not modelled: makes the verdict incomplete. */
void native_unsupported(const char *name);

/* The same for one that fails because of that, as it need not on the bare system: bugs of this execution say so. */
void native_refused(const char *name);

/* Where the running thread is: its innermost instrumented site, or NULL. */
const struct raddle_site *native_site(void);

/* A copy in the session's memory. */
session_text native_text(const char *text);

/* The same of a place; of NULL, nothing. */
struct session_site native_session_site(const struct raddle_site *site);

/* ---- threads.c */

#define NATIVE_NO_THREAD UINT32_MAX

/* The main thread of an execution that begins. */
struct native_thread *native_main_thread(void);

/* A new thread of the running one: its number, with everything ready for OP_THREAD_CREATE. */
struct native_thread *native_new_thread(void *(*start)(void *), void *argument);

/* The short name of the function of C++ that begins at `addr`, or NULL: for reports. */
const char *native_function_name(uint64_t addr);

/* What a new thread runs: its start function, or what the std::thread behind it was given; NULL if that is not known. `buffer` is for what
 * is returned, if need be. */
const char *native_start_name(void *(*start)(void *), const void *argument, char *buffer,
                              size_t size);

/* Adds what reports call a thread of this execution: "T1 (worker)", by its start function. */
void native_thread_words(struct text *t, uint32_t number);

/* The number of the rank-th thread (from 1) that thread `parent` has made in this execution so far, or NATIVE_NO_THREAD. */
uint32_t native_child(uint32_t parent, uint32_t rank);

/* The thread that a pthread_t names, or NULL. Whoever uses a handle tells the thread from others (native_single_out), except to join it, which is an operation that the search
 * sees. */
struct native_thread *native_thread_of(unsigned long handle);
struct native_thread *native_thread_to_join(unsigned long handle);

/* The other way round; NULL stands for the main thread. */
unsigned long native_handle(const struct native_thread *thread);

/* The end of its stack, where its thread-local memory begins. */
static inline char *native_stack_end(const struct native_thread *thread)
{
    return thread->stack.low + thread->stack.size - tls.room;
}

/* What `addr` has to do with a stack or with thread-local memory, as stack_find has it. */
enum stack_place native_owner(const void *addr, uint32_t *thread);

/* Whether that thread has run in this execution, and does no more. */
bool native_has_ended(uint32_t number);

/* That thread is like no other: it has asked who it is, or somebody has used its handle for something that is no operation. And whether that was ever so, in any execution of the search. */
void native_single_out(uint32_t number);
bool native_is_singled_out(uint32_t number);

/* The next number is that of this thread, in this search. */
void native_number_add(uint32_t parent, uint32_t rank);

/* Somebody could tell when a thread is joined: from now on joins are steps. */
void native_joins_matter(void);

/* Another thread uses the stack of that thread: the search must know that from the beginning. */
void native_share_stack(uint32_t number);

/* An atomic section of the runtime's own: as raddle_atomic_begin and raddle_atomic_end, but its thread has more to do behind it than its code says. */
void native_section_begin(void);
void native_section_end(void);

#endif
