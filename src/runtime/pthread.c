#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "model/object.h"
#include "runtime/native.h"

/* POSIX threads and their keys, as operations for the engine. */

/* ---- threads */

INTERPOSE int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                             void *(*start)(void *), void *argument)
{
    struct native_thread *thread;
    struct op op;
    int detached = PTHREAD_CREATE_JOINABLE;

    if (!native.current)
        return EAGAIN;
    if (native.session->threads.count >= RUNTIME_THREADS) {
        native_unsupported("so many threads");
        return EAGAIN;
    }
    thread = native_new_thread(start, argument);
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    if (detached == PTHREAD_CREATE_DETACHED) /* nobody else knows it yet */
        world_object_set(native.world, OBJECT_THREAD, thread_handle_addr(thread->agent),
                         OBJECT_THREAD_DETACHED);
    *handle = native_handle(thread);
    op = native_op(OP_THREAD_CREATE, NULL);
    op.addr = thread->agent;
    native_ask(&op);
    return 0;
}

/* All threads but the caller are through, and their ends happened before now. */
static void thread_joined(struct native_thread *thread)
{
    if (thread->joined)
        return;
    thread->joined = true;
    if (--native.unjoined == 0 && native.current->number == 0)
        native.alone = true;
}

INTERPOSE int pthread_join(pthread_t handle, void **returned)
{
    struct native_thread *thread = native_thread_of(handle);
    struct op op = native_op(OP_THREAD_JOIN, NULL);

    if (!thread)
        return ESRCH;
    if (thread == native.current)
        return EDEADLK;
    op.addr = thread->agent;
    op.variant = OBJECT_STRICT;
    native_ask(&op);
    thread_joined(thread);
    if (returned)
        *returned = thread->returned;
    return 0;
}

INTERPOSE int pthread_detach(pthread_t handle)
{
    struct native_thread *thread = native_thread_of(handle);
    struct op op = native_op(OP_THREAD_DETACH, NULL);

    if (!thread)
        return ESRCH;
    op.addr = thread->agent;
    native_ask(&op);
    return 0;
}

static void run_key_destructors(void)
{
    struct native_thread *thread = native.current;
    bool again = true;

    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && again; round++) {
        again = false;
        for (uint32_t key = 0; key < native.keys; key++) {
            void *value = thread->keys[key];

            if (!value || !native.key_destructors[key])
                continue;
            thread->keys[key] = NULL;
            native.key_destructors[key](value);
            again = true;
        }
    }
}

void native_leave_thread(void *returned)
{
    run_key_destructors();
    process_thread_leaves();
    native_exit_thread(returned);
}

INTERPOSE __attribute__((noreturn)) void pthread_exit(void *returned)
{
    native_leave_thread(returned);
    __builtin_unreachable();
}

/* Nobody can ask for it yet: pthread_cancel is refused. */
void native_cancel_point(void)
{
}

INTERPOSE pthread_t pthread_self(void)
{
    return native.current ? native_handle(native.current) : 0;
}

INTERPOSE int sched_yield(void)
{
    native_call(OP_YIELD, NULL);
    return 0;
}

/* ---- keys */

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    uint32_t new = 0;

    while (new < native.keys && !native.key_free[new])
        new ++;
    if (new == NATIVE_KEYS)
        return EAGAIN;
    for (uint32_t i = 0; i < native.threads.count; i++)
        native.threads.at[i]->keys[new] = NULL; /* what a deleted key of that number left */
    native.key_destructors[new] = destructor;
    native.key_free[new] = false;
    if (new == native.keys)
        native.keys++;
    *key = new;
    return 0;
}

INTERPOSE int pthread_key_delete(pthread_key_t key)
{
    if (key >= native.keys)
        return EINVAL;
    native.key_destructors[key] = NULL;
    native.key_free[key] = true;
    return 0;
}

INTERPOSE int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= native.keys || !native.current)
        return EINVAL;
    native.current->keys[key] = (void *)value;
    return 0;
}

INTERPOSE void *pthread_getspecific(pthread_key_t key)
{
    return key < native.keys && native.current ? native.current->keys[key] : NULL;
}

/* ---- not modelled: named in the report, and refused */

#define UNSUPPORTED(name, ...)                                                                     \
    INTERPOSE int name(__VA_ARGS__)                                                                \
    {                                                                                              \
        native_unsupported(#name);                                                                 \
        return ENOSYS;                                                                             \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

UNSUPPORTED(pthread_cancel, pthread_t thread)
UNSUPPORTED(pthread_tryjoin_np, pthread_t thread, void **returned)
UNSUPPORTED(pthread_timedjoin_np, pthread_t thread, void **returned, const struct timespec *until)
UNSUPPORTED(pthread_clockjoin_np, pthread_t thread, void **returned, clockid_t clock,
            const struct timespec *until)
UNSUPPORTED(pthread_getname_np, pthread_t thread, char *name, size_t size)
UNSUPPORTED(pthread_getschedparam, pthread_t thread, int *policy, struct sched_param *param)
UNSUPPORTED(pthread_getcpuclockid, pthread_t thread, clockid_t *clock)
UNSUPPORTED(pthread_getattr_np, pthread_t thread, pthread_attr_t *attributes)
UNSUPPORTED(pthread_setschedprio, pthread_t thread, int priority)
UNSUPPORTED(pthread_getaffinity_np, pthread_t thread, size_t size, cpu_set_t *set)

/* These change nothing that a program can tell. */
INTERPOSE int pthread_setname_np(pthread_t thread, const char *name)
{
    return 0;
}

INTERPOSE int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    return 0;
}

INTERPOSE int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    return 0;
}

INTERPOSE sem_t *sem_open(const char *name, int flags, ...)
{
    native_unsupported("sem_open");
    errno = ENOSYS;
    return SEM_FAILED;
}

#pragma GCC diagnostic pop
