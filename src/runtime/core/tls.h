#ifndef RADDLE_RUNTIME_CORE_TLS_H
#define RADDLE_RUNTIME_CORE_TLS_H

/* Thread-local memory. Code finds it from the thread pointer: variables of the program and its libraries below it, what libc knows of
 * the thread above. Each program thread has a block of its own, laid out like those that libc makes, and the thread pointer is
 * changed when another one runs. So everything that is thread-local is: errno, exceptions in flight, the locale, buffers of strerror.
 *
 * The main thread has the block that the process began with: constructors may have given away addresses in it. The engine has one
 * of its own. But while it takes steps it leaves the thread pointer as it is, as it uses nothing there but errno: a change costs
 * about as much as a fiber switch.
 *
 * All have the same thread id and stack guard: there is but one OS thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls {
    void *now;           /* the thread pointer */
    bool quick;          /* an instruction changes it, else a system call */
    void *main;          /* of the block that the process began with */
    void *engine;        /* of the engine's */
    size_t below, above; /* bytes of a block that are in use, on both sides of the thread pointer */
    size_t room;         /* bytes that a block needs in all; a multiple of a page */
};

extern struct tls tls;

/* Learns how blocks look, from a thread of libc's that begins and ends here, and makes that of the engine. Constructors must be through, and
 * nothing saved yet. Returns 0, or -1 with errno set. */
int tls_open(void);

/* Saves what the main thread needs besides its variables, which are the image's. Each run begins with it. */
void tls_save(void);

/* Makes a block as a new thread finds it, at the end of that memory: the last tls.room bytes before `end`, a multiple of a
 * page. Returns its thread pointer. */
void *tls_make(char *end);

/* From now on the image brings back what is seldom written there: what libc keeps, and variables if they are many. So a thread costs
 * no more than it uses. After image_save. Returns 0, or -1 with errno set. */
int tls_track(void *pointer);

/* The rest of a block, as a new thread finds it. */
void tls_renew(void *pointer);

/* Does in a new thread what libc does there first: on its own block. */
void tls_begin(void);

/* For the OS thread that calls it, which runs on that block from now on, for good. */
void tls_adopt(void *pointer);

/* Sets the thread pointer, whatever it is. */
void tls_set(void *pointer);

/* What the kernel writes there of the OS thread, so that it can be put back when memory has changed. */
struct tls_kernel {
    char bytes[512];
};

void tls_kernel_keep(struct tls_kernel *into);
void tls_kernel_back(const struct tls_kernel *from);

/* Memory has changed: the thread pointer is what tls.now says. */
void tls_again(void);

/* The code after it runs on that block. Nothing that was computed from the thread pointer before may be used: not even the address of
 * errno, which compilers keep. */
static inline void tls_use(void *pointer)
{
    if (tls.now == pointer)
        return;
    tls.now = pointer;
    if (__builtin_expect(tls.quick, 1))
        __asm__ volatile("wrfsbase %0" : : "r"(pointer) : "memory");
    else
        tls_set(pointer);
}

/* Whether it is in the block of whoever runs. */
static inline bool tls_is_own(const void *p)
{
    uintptr_t low = (uintptr_t)__builtin_thread_pointer() - tls.below;

    return (uintptr_t)p - low < tls.below + tls.above;
}

#endif
