#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unwind.h>

#include "runtime/sync/calls.h"

/* Reader-writer locks, spinlocks, barriers, once. */

/* ---- reader-writer locks */

/* Whether a static initialiser could have left it so: all zero but for the preference. */
static bool is_static(const pthread_rwlock_t *lock)
{
    pthread_rwlock_t copy = *lock;

    if (copy.__data.__flags > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return false;
    copy.__data.__flags = 0;
    calls_unmark(OBJECT_RWLOCK, &copy);
    return calls_is_zero(&copy, sizeof copy);
}

/* As glibc has it: PTHREAD_RWLOCK_PREFER_WRITER_NP lets readers in like the default kind, since it must not let a recursive one wait for itself. */
static bool prefers_writers(const pthread_rwlock_t *lock)
{
    return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool writes_already(const pthread_rwlock_t *lock)
{
    loc_id loc = world_location(native.world, OBJECT_RWLOCK, (uint64_t)(uintptr_t)lock);
    uint64_t state = world_state(native.world, loc);

    return rwlock_writer(state) == rwlock_written_by(native.current->agent);
}

/* Out of line: what it leaves on the stack must not be part of the state that a waiting loop comes back in (spin.h). */
static __attribute__((noinline)) struct op rwlock_op(enum op_kind kind, pthread_rwlock_t *lock)
{
    bool fresh = is_static(lock);
    struct op op;

    if (fresh)
        calls_revive(OP_RWLOCK_INIT, lock);
    op = calls_op(kind, lock, !fresh);
    op.variant = OBJECT_STRICT | (prefers_writers(lock) ? OBJECT_WRITERS_FIRST : 0);
    if (native.current && kind != OP_RWLOCK_UNLOCK && writes_already(lock))
        op.size |= OBJECT_QUIET; /* EDEADLK, and no locked instruction before it */
    return op;
}

static uint64_t rwlock_ask(enum op_kind kind, pthread_rwlock_t *lock)
{
    struct op op = rwlock_op(kind, lock);

    calls_section(&op);
    return calls_ask(&op, LOCK_GOT);
}

INTERPOSE int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    int kind = PTHREAD_RWLOCK_DEFAULT_NP;

    if (attributes)
        pthread_rwlockattr_getkind_np(attributes, &kind);
    calls_init(OP_RWLOCK_INIT, lock, 0);
    memset(lock, 0, sizeof *lock);
    lock->__data.__flags = (unsigned)kind;
    calls_mark(OBJECT_RWLOCK, lock);
    return 0;
}

INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    rwlock_ask(OP_RWLOCK_DESTROY, lock);
    calls_writes(OBJECT_RWLOCK, lock);
    memset(lock, 0xdd, sizeof *lock);
    return 0;
}

INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return rwlock_ask(OP_RWLOCK_RDLOCK, lock) == LOCK_GOT ? 0 : EDEADLK;
}

/* A writer comes to wait. */
static void rwlock_want(pthread_rwlock_t *lock)
{
    if (native.current && prefers_writers(lock) && !writes_already(lock))
        native_call(OP_RWLOCK_WANT, lock);
}

INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    rwlock_want(lock);
    return rwlock_ask(OP_RWLOCK_WRLOCK, lock) == LOCK_GOT ? 0 : EDEADLK;
}

INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return rwlock_ask(OP_RWLOCK_TRYRDLOCK, lock) == LOCK_GOT ? 0 : EBUSY;
}

INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return rwlock_ask(OP_RWLOCK_TRYWRLOCK, lock) == LOCK_GOT ? 0 : EBUSY;
}

static int timed_rwlock(enum op_kind kind, pthread_rwlock_t *lock, clockid_t clock,
                        const struct timespec *until)
{
    uint64_t result;

    if (!time_can_wait(clock) || !time_is_valid(until))
        return EINVAL;
    calls_wait_until();
    if (kind == OP_RWLOCK_TRYWRLOCK)
        rwlock_want(lock);
    result = rwlock_ask(kind, lock);
    if (result == LOCK_BUSY && kind == OP_RWLOCK_TRYWRLOCK && native.current &&
        prefers_writers(lock))
        native_call(OP_RWLOCK_GIVE_UP, lock);
    if (result == LOCK_BUSY)
        return time_out(clock, until);
    return result == LOCK_GOT ? 0 : EDEADLK;
}

INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until)
{
    return timed_rwlock(OP_RWLOCK_TRYRDLOCK, lock, clock, until);
}

INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *until)
{
    return timed_rwlock(OP_RWLOCK_TRYWRLOCK, lock, clock, until);
}

INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return timed_rwlock(OP_RWLOCK_TRYRDLOCK, lock, CLOCK_REALTIME, until);
}

INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return timed_rwlock(OP_RWLOCK_TRYWRLOCK, lock, CLOCK_REALTIME, until);
}

INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    rwlock_ask(OP_RWLOCK_UNLOCK, lock);
    return 0;
}

/* ---- spinlocks: POSIX has no static initialiser for them */

static uint64_t spin_ask(enum op_kind kind, pthread_spinlock_t *lock)
{
    struct op op = calls_op(kind, (const void *)lock, true);

    calls_section(&op);
    return calls_ask(&op, LOCK_GOT);
}

INTERPOSE int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    calls_init(OP_SPIN_INIT, (const void *)lock, 0);
    calls_mark(OBJECT_SPIN, (void *)(uintptr_t)lock);
    return 0;
}

INTERPOSE int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    spin_ask(OP_SPIN_DESTROY, lock);
    return 0;
}

INTERPOSE int pthread_spin_lock(pthread_spinlock_t *lock)
{
    spin_ask(OP_SPIN_LOCK, lock);
    return 0;
}

INTERPOSE int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return spin_ask(OP_SPIN_TRYLOCK, lock) == LOCK_GOT ? 0 : EBUSY;
}

INTERPOSE int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    spin_ask(OP_SPIN_UNLOCK, lock);
    return 0;
}

/* ---- barriers: the number of threads is kept in the barrier itself */

INTERPOSE int pthread_barrier_init(pthread_barrier_t *barrier,
                                   const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    if (count == 0 || count > INT32_MAX)
        return EINVAL;
    calls_init(OP_BARRIER_INIT, barrier, 0);
    memset(barrier, 0, sizeof *barrier);
    memcpy(barrier, &count, sizeof count);
    calls_mark(OBJECT_BARRIER, barrier);
    return 0;
}

INTERPOSE int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct op op = calls_op(OP_BARRIER_DESTROY, barrier, true);

    calls_ask(&op, 0);
    return 0;
}

/* Whether the call under way is one of instrumented code, which does not use its result. */
static bool result_is_unused(void)
{
    const struct raddle_frame *frame = __raddle_frames;

    return frame && frame->site && frame->site->flags & SITE_UNUSED &&
           frame->into == hook_into_runtime(frame->site);
}

INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct op op = calls_op(OP_BARRIER_WAIT, barrier, true);
    unsigned count;

    memcpy(&count, barrier, sizeof count);
    op.expect = count;
    op.variant = result_is_unused() ? OP_VARIANT_UNUSED : 0;
    return calls_ask(&op, 1) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- once: a mutex of its own orders the callers. When the routine is done nobody gets it any more: later callers only read, so
 * their order does not matter. */

#define ONCE_DONE 2 /* as glibc has it */

static void once_unlock(void *mutex, uint8_t variant)
{
    struct op op = native_op(OP_MUTEX_UNLOCK, mutex);

    op.size = OBJECT_APART; /* *control is accessed as an atomic variable */
    op.variant = variant;
    op.value = 1; /* the routine may have written */
    calls_ask(&op, 0);
}

/* The routine was left before its end. */
static void once_leave(void *mutex)
{
    once_unlock(mutex, MUTEX_NORMAL);
}

/* What unwinds the stack keeps tables that it fills once: nothing that the program could tell. */
static bool is_unwinder(const void *caller)
{
    static struct dl_find_object unwinder; /* outlives a run: modules stay where they are */

    if (!unwinder.dlfo_map_end)
        _dl_find_object((void *)(uintptr_t)_Unwind_ForcedUnwind, &unwinder);
    return caller >= unwinder.dlfo_map_start && caller < unwinder.dlfo_map_end;
}

static uint64_t once_lock(void *mutex)
{
    struct op op = native_op(OP_MUTEX_LOCK, mutex);

    op.size = OBJECT_APART;
    return calls_ask(&op, LOCK_GOT);
}

/* With that mutex, which is given back by an unlock of that variant. A routine that is cancelled has not been called. */
static void once_run(pthread_once_t *control, void *mutex, void (*routine)(void), uint8_t variant)
{
    if (*control == PTHREAD_ONCE_INIT) {
        pthread_cleanup_push(once_leave, mutex);
        routine();
        pthread_cleanup_pop(0);
        if (native.current)
            __raddle_store4(control, ONCE_DONE, ORDER_RELEASE, native_site());
        else
            *control = ONCE_DONE;
    }
    once_unlock(mutex, variant);
}

INTERPOSE int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    if (is_unwinder(__builtin_return_address(0))) {
        if (*control == PTHREAD_ONCE_INIT)
            routine();
        *control = ONCE_DONE;
        return 0;
    }
    /* A plain load tells that it is done. Under SC the look at the mutex is as good, and is no step of another kind. */
    if (native.current && world_is_buffered(native.world) &&
        __raddle_load4(control, ORDER_ACQUIRE, native_site()) == ONCE_DONE)
        return 0;
    if (once_lock(control) != LOCK_LOST)
        once_run(control, control, routine, MUTEX_LAST);
    else if (__raddle_load4(control, ORDER_ACQUIRE, native_site()) == PTHREAD_ONCE_INIT) {
        /* The program has set it back. That may happen again and again: an ordinary mutex next to it. */
        once_lock((char *)control + 1);
        once_run(control, (char *)control + 1, routine, MUTEX_NORMAL);
    }
    return 0;
}
