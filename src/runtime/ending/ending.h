#ifndef RADDLE_RUNTIME_ENDING_ENDING_H
#define RADDLE_RUNTIME_ENDING_ENDING_H

/* How threads and the process end: cancellation, keys, handlers. */

#include "runtime/program/native.h"

/* ---- keys.c: pthread_setspecific. Ends the running thread after the destructors of its variables and keys: never returns */
_Noreturn void native_leave_thread(void *returned);

#define NATIVE_KEYS 1024 /* PTHREAD_KEYS_MAX */

/* Of each thread. */
struct keys_thread {
    void *values[NATIVE_KEYS];
    uint32_t used; /* of these: beyond, all are NULL */
};

static inline struct keys_thread *keys_of(const struct native_thread *thread)
{
    return thread->own[PART_KEYS];
}

/* ---- cancel.c */

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
    AWAITED_INTERRUPT, /* a handler has run that ends the call (signals_thread.call) */
};
enum native_awaited native_cancel_await(enum op_kind kind, enum object_kind object, uint64_t addr,
                                        uint64_t state);

/* Leaves all functions of the running thread with their cleanup handlers, and then the thread. Never returns. */
_Noreturn void native_unwind(void *returned);

/* ---- exit_handlers.c: what runs at the end of the process and of threads */

/* The running thread is about to end. The destructors of its thread-local variables come first, before those of keys. */
void exit_handlers_thread_variables(void);
void exit_handlers_thread_leaves(void);

/* ---- leaks.c: the program ends. Blocks that nothing points to any more are a bug, with the option */
void memory_bug_leaks(void);

/* Calls `look` for the variables of the program, and for what one of its threads has: its stack from where it stopped (`here` for the running one), its thread-local variables, and what we keep for
 * it. Not for blocks of the heap. */
void native_each_variable(void (*look)(const void *start, size_t size));
void native_each_of_thread(const struct native_thread *thread, const void *here,
                           void (*look)(const void *start, size_t size));

#endif
