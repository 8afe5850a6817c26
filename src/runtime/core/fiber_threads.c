#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "base/check.h"
#include "runtime/core/fiber.h"
#include "runtime/core/kernel.h"
#include "runtime/core/tls.h"

/* Fibers with an OS thread each, for a debugger. The OS thread begins on a stack of libc's and changes to the fiber's at
 * once: so what the program sees of its stack does not depend on who runs it. So is what is
 * thread-local: it changes to the fiber's block. */

#define HOST_STACK    ((size_t)64 << 10)
#define HANDLER_STACK ((size_t)256 << 10)

struct fiber_host {
    uint32_t turn;          /* 1: may go on; the futex it waits on */
    char name[16];          /* for ps and debuggers */
    struct fiber *fiber;    /* what it runs */
    struct fiber beginning; /* where it stopped on libc's stack, for good */
};

bool fiber_threads; /* outlives a run: set once, for a debugger */

static void turn_wait(struct fiber_host *host)
{
    while (__atomic_load_n(&host->turn, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &host->turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    __atomic_store_n(&host->turn, 0, __ATOMIC_RELAXED);
}

static void turn_give(struct fiber_host *host)
{
    __atomic_store_n(&host->turn, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &host->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static struct fiber_host *host_new(struct fiber *fiber, const char *name)
{
    struct fiber_host *host = kernel_map(NULL, 4096);

    CHECK(host, "no memory for an OS thread");
    host->fiber = fiber;
    fiber->host = host;
    snprintf(host->name, sizeof host->name, "%s", name);
    return host;
}

void fiber_threads_open(struct fiber *fiber, const char *name)
{
    struct fiber_host *host = host_new(fiber, name);

    fiber_threads = true;
    syscall(SYS_prctl, PR_SET_NAME, host->name, 0L, 0L, 0L);
}

/* Handlers run on a stack of their own: that of the fiber may have overflowed. */
static void *host_main(void *argument)
{
    struct fiber_host *host = argument;
    stack_t stack = {.ss_sp = kernel_map(NULL, HANDLER_STACK), .ss_size = HANDLER_STACK};

    syscall(SYS_prctl, PR_SET_NAME, host->name, 0L, 0L, 0L);
    CHECK(stack.ss_sp && syscall(SYS_sigaltstack, &stack, NULL) == 0, "no stack for signals");
    turn_wait(host);
    if (host->fiber->pointer)
        tls_adopt(host->fiber->pointer);
    fiber_switch(&host->beginning, host->fiber);
    return NULL;
}

void fiber_threads_start(struct fiber *fiber, const char *name)
{
    /* not ours, which would make a thread of the program */
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    int (*attr_init)(pthread_attr_t *) =
        (int (*)(pthread_attr_t *))dlsym(RTLD_NEXT, "pthread_attr_init");
    int (*set_size)(pthread_attr_t *, size_t) =
        (int (*)(pthread_attr_t *, size_t))dlsym(RTLD_NEXT, "pthread_attr_setstacksize");
    struct fiber_host *host = host_new(fiber, name);
    pthread_attr_t attributes;
    pthread_t thread;

    CHECK(create && attr_init && set_size, "libc has no pthread_create");
    attr_init(&attributes);
    set_size(&attributes, HOST_STACK);
    CHECK(create(&thread, &attributes, host_main, host) == 0, "no OS thread for %s", name);
}

void fiber_hand_over(struct fiber *from, struct fiber *to)
{
    turn_give(to->host);
    turn_wait(from->host);
}
