#include <errno.h>
#include <string.h>

#include "base/fingerprint.h"
#include "runtime/sync/calls.h"
#include "runtime/threads/attributes.h"

/* Mutexes. The memory of one holds its kind and nothing else; what it does is the model's. */

/* As glibc has them in __kind. */
#define KIND_TYPE      3
#define KIND_ROBUST    16
#define KIND_INHERIT   32
#define KIND_PROTECT   64
#define KIND_SHARED    128
#define KIND_DESTROYED (-1)

uint8_t mutex_kind(const pthread_mutex_t *mutex)
{
    int kind = mutex->__data.__kind;
    uint8_t robust = kind & KIND_ROBUST ? MUTEX_ROBUST : 0;

    switch (kind & KIND_TYPE) {
    case PTHREAD_MUTEX_RECURSIVE:
        return MUTEX_RECURSIVE | robust;
    case PTHREAD_MUTEX_ERRORCHECK:
        return MUTEX_ERRORCHECK | robust;
    default:
        return MUTEX_NORMAL | robust;
    }
}

/* Whether a static initialiser could have left it so. */
static bool is_static(const pthread_mutex_t *mutex)
{
    pthread_mutex_t copy = *mutex;

    if (copy.__data.__kind & ~KIND_TYPE)
        return false;
    copy.__data.__kind = 0;
    calls_unmark(OBJECT_MUTEX, &copy);
    return calls_is_zero(&copy, sizeof copy);
}

/* What glibc does by plain loads and stores: the holder of a recursive or errorcheck mutex locks it once more, unlocks an inner level;
 * somebody else unlocks one that tells. */
static bool is_quiet(enum op_kind kind, const void *addr, uint8_t mutex_kind)
{
    loc_id loc;
    bool own, inner;

    if (!native.current || !world_is_buffered(native.world) || mutex_kind == MUTEX_NORMAL)
        return false;
    loc = world_location(native.world, OBJECT_MUTEX, (uint64_t)(uintptr_t)addr);
    own = mutex_is_own(addr);
    inner = (world_state(native.world, loc) & LOCK_USE) >= LOCK_AGAIN;
    if (kind == OP_MUTEX_UNLOCK)
        return !own || inner;
    return own && (kind == OP_MUTEX_LOCK || (mutex_kind & MUTEX_KIND_MASK) == MUTEX_RECURSIVE);
}

uint64_t mutex_ask_at(enum op_kind kind, const void *addr, uint8_t mutex_kind, uint8_t bits)
{
    struct op op = native_op(kind, addr);

    op.size = is_quiet(kind, addr, mutex_kind) ? bits | OBJECT_QUIET : bits;
    op.variant = mutex_kind;
    calls_section(&op);
    return calls_ask(&op, LOCK_GOT);
}

static uint64_t mutex_ask(enum op_kind kind, pthread_mutex_t *mutex)
{
    bool fresh = is_static(mutex);

    if (fresh)
        calls_revive(OP_MUTEX_INIT, mutex);
    return mutex_ask_at(kind, mutex, mutex_kind(mutex), fresh ? 0 : OBJECT_RAW);
}

bool mutex_is_own(const void *mutex)
{
    loc_id loc = world_location(native.world, OBJECT_MUTEX, (uint64_t)(uintptr_t)mutex);

    return lock_holder(world_state(native.world, loc)) == lock_held_by(native.current->agent);
}

bool mutex_tells_owner(const pthread_mutex_t *mutex)
{
    int kind = mutex->__data.__kind;

    return kind != KIND_DESTROYED &&
           (kind & KIND_ROBUST || (kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK);
}

/* ---- robust mutexes */

/* Of each thread. */
struct mutexes_thread {
    VEC(void *) robust; /* mutexes that it holds */
};

static struct mutexes_thread *mutexes_of(const struct native_thread *thread)
{
    return thread->own[PART_MUTEXES];
}

void mutex_note_robust(pthread_mutex_t *mutex)
{
    struct mutexes_thread *own;

    if (!native.current || !(mutex->__data.__kind & KIND_ROBUST))
        return;
    own = mutexes_of(native.current);
    for (uint32_t i = 0; i < own->robust.count; i++)
        if (own->robust.at[i] == mutex) {
            own->robust.at[i] = vec_last(&own->robust);
            own->robust.count--;
            break;
        }
    if (mutex_is_own(mutex))
        vec_push(&native.memory, &own->robust, (void *)mutex);
}

static void thread_ends(void)
{
    struct mutexes_thread *own = mutexes_of(native.current);

    while (own->robust.count > 0) {
        struct op op = native_op(OP_MUTEX_ABANDON, vec_last(&own->robust));

        own->robust.count--;
        native_ask(&op);
    }
}

static void thread_begins(struct native_thread *thread)
{
    mutexes_of(thread)->robust.count = 0;
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct mutexes_thread *own = mutexes_of(thread);
    struct fingerprint sum = {0};

    for (uint32_t i = 0; i < own->robust.count; i++)
        fingerprint_plus(&sum, fingerprint_at((uint64_t)(uintptr_t)own->robust.at[i], 1));
    if (own->robust.count)
        fingerprint_bytes(into, &sum, sizeof sum);
    return true;
}

const struct part mutexes_part = {.name = "robust mutexes",
                                  .thread_size = sizeof(struct mutexes_thread),
                                  .thread_begins = thread_begins,
                                  .thread_ends = thread_ends,
                                  .stateless = true,
                                  .fingerprint_thread = fingerprint_thread};

/* What a call returns that asked for the mutex; `busy` if it is held. */
static int lock_error(pthread_mutex_t *mutex, uint64_t result, int busy)
{
    static const int errors[] = {[LOCK_GOT] = 0,
                                 [LOCK_GOT_FROM_DEAD] = EOWNERDEAD,
                                 [LOCK_LOST] = ENOTRECOVERABLE,
                                 [LOCK_OWN] = EDEADLK};

    mutex_note_robust(mutex);
    return result == LOCK_BUSY ? busy : errors[result];
}

/* Only threads of at most its ceiling may lock it. */
static bool is_below(const pthread_mutex_t *mutex)
{
    int kind = mutex->__data.__kind;

    return native.current && kind != KIND_DESTROYED && kind & KIND_PROTECT &&
           attributes_of(native.current)->priority > mutex->__data.__spins;
}

/* ---- the calls */

static int kind_of(const pthread_mutexattr_t *attributes, int *ceiling)
{
    int type, robust, protocol, shared;

    pthread_mutexattr_gettype(attributes, &type);
    pthread_mutexattr_getrobust(attributes, &robust);
    pthread_mutexattr_getprotocol(attributes, &protocol);
    pthread_mutexattr_getpshared(attributes, &shared);
    if (protocol == PTHREAD_PRIO_PROTECT)
        pthread_mutexattr_getprioceiling(attributes, ceiling);
    return (type & KIND_TYPE) | (robust == PTHREAD_MUTEX_ROBUST ? KIND_ROBUST : 0) |
           (protocol == PTHREAD_PRIO_INHERIT ? KIND_INHERIT : 0) |
           (protocol == PTHREAD_PRIO_PROTECT ? KIND_PROTECT : 0) |
           (shared == PTHREAD_PROCESS_SHARED ? KIND_SHARED : 0);
}

INTERPOSE int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int ceiling = 0, kind = attributes ? kind_of(attributes, &ceiling) : 0;

    calls_init(OP_MUTEX_INIT, mutex, 0);
    memset(mutex, 0, sizeof *mutex);
    mutex->__data.__kind = kind;
    mutex->__data.__spins = (short)ceiling;
    calls_mark(OBJECT_MUTEX, mutex);
    return 0;
}

INTERPOSE int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    mutex_ask(OP_MUTEX_DESTROY, mutex);
    calls_writes(OBJECT_MUTEX, mutex);
    mutex->__data.__kind = KIND_DESTROYED;
    return 0;
}

INTERPOSE int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (is_below(mutex))
        return EINVAL;
    return lock_error(mutex, mutex_ask(OP_MUTEX_LOCK, mutex), 0);
}

INTERPOSE int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int error;

    if (is_below(mutex))
        return EINVAL;
    error = lock_error(mutex, mutex_ask(OP_MUTEX_TRYLOCK, mutex), EBUSY);
    return error == EDEADLK ? EBUSY : error;
}

INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *until)
{
    int error;

    if (!time_can_wait(clock) || is_below(mutex))
        return EINVAL;
    error = lock_error(mutex, mutex_ask(OP_MUTEX_TRYLOCK, mutex), EBUSY);
    return error == EBUSY ? time_out(clock, until) : error;
}

INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, until);
}

INTERPOSE int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    uint64_t result = mutex_ask(OP_MUTEX_UNLOCK, mutex);

    mutex_note_robust(mutex);
    return result == LOCK_GOT ? 0 : EPERM;
}

INTERPOSE int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    if (!(mutex->__data.__kind & KIND_ROBUST))
        return EINVAL;
    return mutex_ask(OP_MUTEX_CONSISTENT, mutex) ? 0 : EINVAL;
}

INTERPOSE int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling)
{
    if (!(mutex->__data.__kind & KIND_PROTECT))
        return EINVAL;
    *ceiling = mutex->__data.__spins;
    return 0;
}

INTERPOSE int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
    int error;

    if (!(mutex->__data.__kind & KIND_PROTECT) || ceiling < 1 || ceiling > 99)
        return EINVAL;
    error = lock_error(mutex, mutex_ask(OP_MUTEX_LOCK, mutex), 0);
    if (error)
        return error;
    calls_writes(OBJECT_MUTEX, mutex);
    *old = mutex->__data.__spins;
    mutex->__data.__spins = (short)ceiling;
    return pthread_mutex_unlock(mutex);
}
