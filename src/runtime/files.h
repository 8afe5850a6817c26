#ifndef RADDLE_RUNTIME_FILES_H
#define RADDLE_RUNTIME_FILES_H

/* What the program asks of libc and the kernel, apart from threads, memory blocks and time: calls pass through, and are noted
 * where a restart must undo them; and memory that the kernel is about to write is announced to the image, which would
 * make the call fail with EFAULT otherwise. Only calls of program threads are noted: those of the engine and of
 * constructors go straight on. */

#include <dlfcn.h>
#include <stddef.h>

#include "runtime/image.h"
#include "runtime/native.h"

#define INTERPOSE __attribute__((visibility("default")))

/* The function of libc that one of ours stands in front of. All rows are in one section, so that files_open can look
 * them up before the program runs; the check here is for constructors of libraries that come before ours. */
struct real_call {
    const char *name;
    void *function;
};

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
        native_unsupported(#name);                                                                 \
        errno = error;                                                                             \
        return failure;                                                                            \
    }

/* ---- files.c */

/* Before anything is saved: looks up the real functions, and does once what libc would otherwise do in every execution. */
void files_open(void);

/* The arguments of main, which the program may write to: to the image. Returns 0, or -1 with errno set. */
int files_add_arguments(int argc, char **argv);

/* After image_save: what streams look like at the start. */
void files_saved(void);

/* The program ends as by exit: what it wrote to streams of its own goes to their files. */
void files_flush(void);

/* Before the image goes back: what can only be seen while the memory of the execution is still there. */
void files_restart(void);

/* ---- files_touch.c: the kernel may write `size` bytes there, at most as many as `fd` has if that is a file */
void files_touch_read(int fd, void *buffer, size_t size);

/* The program reads or seeks: says so if the next execution will find something else. */
void files_moving(int fd);

/* ---- files_memory.c */
void files_memory_restart(void);

#endif
