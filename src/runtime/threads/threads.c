#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#include "model/object.h"
#include "runtime/ending/ending.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/spin.h"
#include "runtime/threads/attributes.h"
#include "runtime/time/time.h"

/* POSIX threads, as operations for the engine. */

static bool stack_fits(const pthread_attr_t *attributes)
{
    size_t size = 0;

    pthread_attr_getstacksize(attributes, &size);
    if (size + tls.room <= STACK_MAX)
        return true;
    native_refused("pthread_create with a stack of that size");
    return false;
}

static int create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                  void *argument)
{
    struct native_thread *thread;
    struct op op;
    int detached = PTHREAD_CREATE_JOINABLE;

    if (attributes && !attributes_are_valid(attributes))
        return EINVAL;
    if (attributes && !stack_fits(attributes))
        return EAGAIN;
    if (native.session->threads.count >= RUNTIME_THREADS) {
        native_refused("pthread_create of that many threads in one run");
        return EAGAIN;
    }
    thread = native_new_thread(start, argument);
    if (attributes) {
        attributes_apply(thread, attributes);
        pthread_attr_getdetachstate(attributes, &detached);
    }
    if (detached == PTHREAD_CREATE_DETACHED) /* nobody else knows it yet */
        world_object_set(native.world, OBJECT_THREAD, thread_handle_addr(thread->agent),
                         OBJECT_THREAD_DETACHED);
    native_writes(handle, sizeof *handle);
    *handle = native_handle(thread);
    op = native_op(OP_THREAD_CREATE, NULL);
    op.addr = thread->agent;
    native_ask(&op);
    return 0;
}

INTERPOSE int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                             void *(*start)(void *), void *argument)
{
    const pthread_attr_t *fallback = NULL;
    pthread_attr_t space;
    int error;

    if (!native.current) {
        constructors_leave();
        constructors_refuse("a thread that a library starts before main");
        return EAGAIN;
    }
    if (!attributes)
        fallback = attributes_default(&space);
    else
        native_reads(attributes, sizeof *attributes);
    error = create(handle, attributes ? attributes : fallback, start, argument);
    if (fallback)
        pthread_attr_destroy(&space);
    return error;
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

static void give_returned(const struct native_thread *thread, void **returned)
{
    if (!returned)
        return;
    native_writes(returned, sizeof *returned);
    *returned = thread->returned;
}

/* Joining is a cancellation point: then waiting for the end and for a request are one. If both have come, either may count. */
static void join_cancellably(struct op *op)
{
    enum native_awaited awaited;

    native_cancel_point();
    if (!native_cancellable()) {
        native_ask(op);
        return;
    }
    op->kind = OP_THREAD_TRYJOIN;
    do {
        awaited = native_cancel_await(OP_THREAD_JOIN, OBJECT_THREAD, op->addr, OBJECT_THREAD_RUNS);
        if (native_ask(op))
            return;
    } while (awaited != AWAITED_CANCEL);
    native_unwind(PTHREAD_CANCELED);
}

/* Whether the running thread has just joined another one, in the same call of the same function, and has done nothing since then that anybody could notice. */
static bool joins_on(void)
{
    const struct raddle_site *from = native.current->came_from, *site = native_site();

    if (!from || !site || !(site->flags & SITE_JOIN))
        return false;
    from = hook_into_runtime_of(from);
    return from && from->flags & SITE_JOIN;
}

INTERPOSE int pthread_join(pthread_t handle, void **returned)
{
    struct native_thread *thread = native_thread_to_join(handle);
    struct op op = native_op(OP_THREAD_JOIN, NULL);

    if (!thread)
        return ESRCH;
    if (thread == native.current)
        return EDEADLK;
    if (thread->wanted)
        native_joins_matter(); /* it depends on who comes first */
    thread->wanted = true;
    op.addr = thread->agent;
    op.variant = OBJECT_STRICT;
    op.expect = joins_on() ? JOIN_ON : 0;
    join_cancellably(&op);
    thread_joined(thread);
    give_returned(thread, returned);
    return 0;
}

/* ESRCH, EDEADLK, EBUSY while it runs; 0 if it is joined. */
static int join_try(struct native_thread *thread, void **returned)
{
    struct op op = native_op(OP_THREAD_TRYJOIN, NULL);

    if (!thread)
        return ESRCH;
    if (thread == native.current)
        return EDEADLK;
    if (!native.session->tries_to_join)
        native.session->tries_to_join = native.session->begin_anew = true;
    op.addr = thread->agent;
    op.variant = OBJECT_STRICT;
    spin_before(native_site());
    if (!native_ask(&op))
        return EBUSY;
    thread_joined(thread);
    give_returned(thread, returned);
    return 0;
}

INTERPOSE int pthread_tryjoin_np(pthread_t handle, void **returned)
{
    struct native_thread *thread = native_thread_of(handle);

    return thread && thread == native.current ? EBUSY : join_try(thread, returned);
}

INTERPOSE int pthread_clockjoin_np(pthread_t handle, void **returned, clockid_t clock,
                                   const struct timespec *until)
{
    int error;

    if (!time_can_wait(clock))
        return EINVAL;
    if (!until) /* glibc: for as long as it takes */
        return pthread_join(handle, returned);
    native_reads(until, sizeof *until);
    native_cancel_point();
    error = join_try(native_thread_of(handle), returned);
    if (error != EBUSY)
        return error;
    native_cancel_point();
    return time_out(clock, until);
}

INTERPOSE int pthread_timedjoin_np(pthread_t handle, void **returned, const struct timespec *until)
{
    return pthread_clockjoin_np(handle, returned, CLOCK_REALTIME, until);
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

/* Constructors run in the main thread. */
INTERPOSE pthread_t pthread_self(void)
{
    if (native.current)
        native_single_out(native.current->number);
    return native_handle(native.current);
}

INTERPOSE int sched_yield(void)
{
    native_call(OP_YIELD, NULL);
    return 0;
}
