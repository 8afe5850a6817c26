#ifndef RADDLE_RUNTIME_PROGRAM_INTERPOSE_H
#define RADDLE_RUNTIME_PROGRAM_INTERPOSE_H

/* Functions of ours that stand in front of functions of libc. Only calls of program threads concern us: those of the engine and of
 * constructors go straight on. */

#include <dlfcn.h>
#include <errno.h>

#include "runtime/program/native.h"

/* The function of libc that one of ours stands in front of. */
struct real_call {
    const char *name;
    void *function;
};

/* Outlives a run: where the function is does not change. All rows are in one section, so that interpose_open can look
 * them up before the program runs; the check in real_call is for constructors of libraries that come before ours. */
#define REAL_CALL(name)                                                                            \
    static struct real_call call_##name                                                            \
        __attribute__((section("raddle_calls"), used, aligned(16))) = {#name, NULL};

#define REAL(name) ((__typeof__(&(name)))real_call(&call_##name))

static inline void *real_call(struct real_call *call)
{
    if (!call->function)
        call->function = dlsym(RTLD_NEXT, call->name);
    return call->function;
}

/* A function that does `...` first if a program thread calls it. */
#define PASS_THROUGH(type, name, parameters, arguments, ...)                                       \
    REAL_CALL(name)                                                                                \
    INTERPOSE type name parameters                                                                 \
    {                                                                                              \
        if (native.current) {                                                                      \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return REAL(name) arguments;                                                               \
    }

/* One that is named as not modelled, and fails. */
#define NOT_MODELLED(type, name, parameters, arguments, error, failure)                            \
    REAL_CALL(name)                                                                                \
    INTERPOSE type name parameters                                                                 \
    {                                                                                              \
        if (!native.current)                                                                       \
            return REAL(name) arguments;                                                           \
        native_refused(#name);                                                                     \
        errno = error;                                                                             \
        return failure;                                                                            \
    }

/* Before anything is saved: looks up the real functions. */
void interpose_open(void);

#endif
