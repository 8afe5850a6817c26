#include "base/check.h"
#include "model/buffer.h"
#include "model/commute.h"
#include "model/doing.h"

/* What operations on locks, conditions, semaphores and barriers do. */

/* What a lock that was not got, or was got, means to its thread. */
static enum lock_result lock_result_of(const struct doing *d, uint64_t state)
{
    if (d->touch == TOUCH_DONE)
        return state & MUTEX_OWNER_DIED && lock_holder(state) == 0 ? LOCK_GOT_FROM_DEAD : LOCK_GOT;
    if (state & MUTEX_UNRECOVERABLE)
        return LOCK_LOST;
    return lock_holder(state) == lock_held_by(d->thread) && d->op.variant ? LOCK_OWN : LOCK_BUSY;
}

static uint64_t lock_taken(uint64_t state, agent_id thread)
{
    return lock_holder(state) ? state + LOCK_AGAIN : state | lock_held_by(thread);
}

enum sequel do_lock(struct doing *d)
{
    uint64_t state = state_get(d, op_infos[d->op.kind].object, d->op.addr);

    result_set(d, lock_result_of(d, state));
    if (d->touch == TOUCH_DONE)
        state_set(d, op_infos[d->op.kind].object, d->op.addr, lock_taken(state, d->thread));
    return SEQUEL_RESUME;
}

enum sequel do_init(struct doing *d)
{
    uint64_t value = d->op.kind == OP_SEM_INIT ? (uint64_t)d->op.value : 0;

    if (d->touch == TOUCH_FAILED)
        return SEQUEL_RESUME;
    state_set(d, op_infos[d->op.kind].object, d->op.addr, value | OBJECT_MADE);
    return SEQUEL_RESUME;
}

enum sequel do_destroy(struct doing *d)
{
    state_set(d, op_infos[d->op.kind].object, d->op.addr, OBJECT_DESTROYED);
    return SEQUEL_RESUME;
}

enum sequel do_unlock(struct doing *d)
{
    uint64_t state = state_get(d, op_infos[d->op.kind].object, d->op.addr);
    uint64_t last = d->op.variant & MUTEX_LAST ? MUTEX_UNRECOVERABLE : 0;
    bool held = d->touch == TOUCH_DONE;

    if (held && d->op.kind == OP_SPIN_UNLOCK && d->op.order != ORDER_SEQ_CST &&
        world_is_buffered(d->world))
        buffer_push_unlock(d->world, d->thread, &d->op);
    else if (held)
        state_set(d, op_infos[d->op.kind].object, d->op.addr,
                  lock_given(state, d->op.value != 0) | last);
    result_set(d, held ? LOCK_GOT : LOCK_BUSY);
    return SEQUEL_RESUME;
}

enum sequel do_abandon(struct doing *d)
{
    uint64_t state = state_get(d, OBJECT_MUTEX, d->op.addr);

    if (lock_holder(state) == lock_held_by(d->thread))
        state_set(d, OBJECT_MUTEX, d->op.addr,
                  (state & ~OBJECT_USE) | lock_stamp(state, true) | MUTEX_OWNER_DIED);
    return SEQUEL_RESUME;
}

enum sequel do_consistent(struct doing *d)
{
    uint64_t state = state_get(d, OBJECT_MUTEX, d->op.addr);

    if (d->touch == TOUCH_DONE)
        state_set(d, OBJECT_MUTEX, d->op.addr, state & ~MUTEX_OWNER_DIED);
    result_set(d, d->touch == TOUCH_DONE);
    return SEQUEL_RESUME;
}

static void wants_change(struct doing *d, bool wants)
{
    uint64_t addr = rwlock_wants_addr(d->op.addr);
    waiters_id now = (waiters_id)state_get(d, OBJECT_RWLOCK, addr);

    state_set(d, OBJECT_RWLOCK, addr,
              wants ? waiters_add(&d->world->waiters, now, d->thread)
                    : waiters_remove(&d->world->waiters, now, d->thread));
}

static bool has_wanted(struct doing *d)
{
    uint64_t addr = rwlock_wants_addr(d->op.addr);

    return waiters_has(&d->world->waiters, (waiters_id)state_get(d, OBJECT_RWLOCK, addr),
                       d->thread);
}

enum sequel do_rwlock_want(struct doing *d)
{
    if (d->op.kind == OP_RWLOCK_WANT || has_wanted(d))
        wants_change(d, d->op.kind == OP_RWLOCK_WANT);
    return SEQUEL_RESUME;
}

enum sequel do_rwlock(struct doing *d)
{
    bool to_write = d->op.kind == OP_RWLOCK_WRLOCK || d->op.kind == OP_RWLOCK_TRYWRLOCK;
    uint64_t state = state_get(d, OBJECT_RWLOCK, d->op.addr);
    bool own = rwlock_writer(state) == rwlock_written_by(d->thread);

    if (d->touch != TOUCH_DONE) {
        result_set(d, own && d->op.variant & OBJECT_STRICT ? LOCK_OWN : LOCK_BUSY);
        return SEQUEL_RESUME;
    }
    if (to_write && d->op.variant & OBJECT_WRITERS_FIRST && has_wanted(d))
        wants_change(d, false);
    state_set(d, OBJECT_RWLOCK, d->op.addr,
              (state & ~OBJECT_USE) |
                  (to_write ? rwlock_written_by(d->thread)
                            : waiters_add(&d->world->waiters, rwlock_readers(state), d->thread)));
    result_set(d, LOCK_GOT);
    return SEQUEL_RESUME;
}

enum sequel do_rwunlock(struct doing *d)
{
    uint64_t state = state_get(d, OBJECT_RWLOCK, d->op.addr);
    uint64_t life = state & ~OBJECT_USE;
    uint64_t stamp = lock_stamp_addr(OBJECT_RWLOCK, d->op.addr);

    if (d->op.value)
        state_set(d, OBJECT_RWLOCK, stamp, lock_stamp(state_get(d, OBJECT_RWLOCK, stamp), true));
    if (!rwlock_writer(state))
        life |= waiters_remove(&d->world->waiters, rwlock_readers(state), d->thread);
    state_set(d, OBJECT_RWLOCK, d->op.addr, life);
    return SEQUEL_RESUME;
}

/* Replaces the pending operation by a hidden one that stands for the rest of this one. */
static enum sequel wait_for(struct doing *d, enum op_kind kind, uint64_t addr)
{
    struct thread *thread = &d->world->threads.at[d->thread];

    thread->pending.kind = kind;
    thread->pending.addr = addr;
    return SEQUEL_WAIT;
}

static void cond_set(struct doing *d, uint64_t addr, uint64_t state, waiters_id waiters,
                     loc_id mutex)
{
    state_set(d, OBJECT_COND, addr, (state & ~OBJECT_USE) | cond_waiting(waiters, mutex));
}

/* How the wait may end without a signal: as the target says, and once by itself if that is asked for. */
static unsigned ends_possible(const struct doing *d)
{
    const struct world *world = d->world;
    unsigned ends = (unsigned)d->op.expect & (WAIT_HAS_WRITTEN - 1);

    if (d->op.kind == OP_COND_TIMEDWAIT)
        ends |= 1u << WAIT_END_TIMEOUT;
    if (d->op.size & OBJECT_INTERRUPTIBLE)
        ends |= 1u << WAIT_END_SIGNAL;
    if (world->threads.at[d->thread].spurious < world->spurious_bound)
        ends |= 1u << WAIT_END_SPURIOUS;
    return ends;
}

/* Waits, from now on or again, unless somebody has woken it already. */
static enum sequel cond_await(struct doing *d)
{
    struct thread *thread = &d->world->threads.at[d->thread];

    thread->pending.size = d->op.size & OBJECT_INTERRUPTIBLE;
    thread->pending.expect = ends_possible(d);
    if (thread->pending.expect && !thread->woken)
        return wait_for(d, OP_COND_TIMEOUT, d->op.addr);
    return wait_for(d, OP_COND_RELOCK, d->op.mutex);
}

enum sequel do_cond_resume(struct doing *d)
{
    return cond_await(d);
}

enum sequel do_cond_wait(struct doing *d)
{
    struct thread *thread = &d->world->threads.at[d->thread];
    uint64_t state = state_get(d, OBJECT_COND, d->op.addr);
    loc_id mutex = world_location(d->world, OBJECT_MUTEX, d->op.mutex);

    state_set(d, OBJECT_MUTEX, d->op.mutex,
              lock_given(world_state(d->world, mutex), d->op.expect & WAIT_HAS_WRITTEN));
    cond_set(d, d->op.addr, state, waiters_add(&d->world->waiters, (waiters_id)state, d->thread),
             mutex);
    thread->woken = false;
    thread->wait_result = 0;
    return cond_await(d);
}

static void cond_forget(struct doing *d, agent_id waiter)
{
    uint64_t state = state_get(d, OBJECT_COND, d->op.addr);

    cond_set(d, d->op.addr, state, waiters_remove(&d->world->waiters, (waiters_id)state, waiter),
             cond_mutex(state));
}

enum sequel do_cond_timeout(struct doing *d)
{
    struct thread *thread = &d->world->threads.at[d->thread];

    if (d->outcome == WAIT_END_SIGNAL) {
        result_set(d, WAIT_INTERRUPTED);
        return SEQUEL_RESUME;
    }
    cond_forget(d, d->thread);
    thread->woken = true;
    if (d->outcome == WAIT_END_TIMEOUT)
        thread->wait_result = WAIT_TIMED_OUT;
    else if (d->outcome == WAIT_END_CANCEL)
        thread->wait_result = WAIT_CANCELLED;
    else
        thread->spurious++;
    return wait_for(d, OP_COND_RELOCK, d->op.mutex);
}

enum sequel do_cond_relock(struct doing *d)
{
    uint64_t state = state_get(d, OBJECT_MUTEX, d->op.addr);
    enum lock_result result = lock_result_of(d, state);

    if (d->touch == TOUCH_DONE)
        state_set(d, OBJECT_MUTEX, d->op.addr, lock_taken(state, d->thread));
    result_set(d, d->world->threads.at[d->thread].wait_result |
                      (result == LOCK_GOT_FROM_DEAD ? WAIT_FROM_DEAD
                       : result == LOCK_LOST        ? WAIT_LOST
                                                    : 0u));
    return SEQUEL_RESUME;
}

/* Lets a thread go on that waits at a condition or barrier. What it did while it waited is withdrawn for what it does now; unless it
 * runs a handler: then it notices when it would wait again. */
static void thread_wake(struct doing *d, agent_id waiter, enum op_kind waits, enum op_kind goes_on)
{
    struct world *world = d->world;
    struct thread *thread = &world->threads.at[waiter];

    thread->woken = true;
    if (thread->pending.kind == waits) {
        vec_push(world->arena, &world->step.withdrawn, (struct withdrawn){waiter, thread->pending});
        thread->pending.kind = (uint8_t)goes_on;
    }
    if (thread->pending.kind == goes_on)
        thread->cause = world->now;
    if (world->watch)
        world->watch->wakes(world, d->thread, waiter);
}

static void cond_wake(struct doing *d, agent_id waiter)
{
    struct thread *thread = &d->world->threads.at[waiter];

    cond_forget(d, waiter);
    thread_wake(d, waiter, OP_COND_TIMEOUT, OP_COND_RELOCK);
    if (thread->pending.kind == OP_COND_RELOCK)
        thread->pending.addr = thread->pending.mutex;
}

enum sequel do_cond_signal(struct doing *d)
{
    bool woke = d->touch == TOUCH_DONE;

    if (woke)
        cond_wake(d, d->outcome);
    result_set(d, woke); /* how many; a futex tells */
    return SEQUEL_RESUME;
}

enum sequel do_cond_broadcast(struct doing *d)
{
    for (uint64_t woken = 0;; woken++) {
        uint32_t count;
        uint64_t waiters = state_get(d, OBJECT_COND, d->op.addr);
        const agent_id *members = waiters_members(&d->world->waiters, (waiters_id)waiters, &count);

        if (count == 0) {
            result_set(d, woken);
            return SEQUEL_RESUME;
        }
        cond_wake(d, members[0]);
    }
}

enum sequel do_sem_value(struct doing *d)
{
    result_set(d, state_get(d, OBJECT_SEM, d->op.addr) & OBJECT_USE);
    return SEQUEL_RESUME;
}

enum sequel do_sem_wait(struct doing *d)
{
    bool got = d->touch == TOUCH_DONE;

    if (got)
        state_set(d, OBJECT_SEM, d->op.addr, state_get(d, OBJECT_SEM, d->op.addr) - 1);
    result_set(d, got);
    return SEQUEL_RESUME;
}

enum sequel do_sem_post(struct doing *d)
{
    bool posted = d->touch == TOUCH_DONE;

    if (posted)
        state_set(d, OBJECT_SEM, d->op.addr, state_get(d, OBJECT_SEM, d->op.addr) + 1);
    result_set(d, posted);
    return SEQUEL_RESUME;
}

static bool waits_at_barrier(const struct thread *thread, uint64_t barrier)
{
    const struct op *op = &thread->pending;

    if (thread->status != THREAD_RUNNING)
        return false;
    if (op->kind == OP_BARRIER_INTERRUPT || (op->kind == OP_BARRIER_LEAVE && !thread->woken))
        return op->addr == barrier;
    return thread->barrier == barrier && !thread->woken;
}

static void barrier_release(struct doing *d)
{
    struct world *world = d->world;

    for (uint32_t i = 0; i < world->active.count; i++)
        if (waits_at_barrier(&world->threads.at[world->active.at[i]], d->op.addr))
            thread_wake(d, world->active.at[i], OP_BARRIER_INTERRUPT, OP_BARRIER_LEAVE);
}

/* Waits, from now on or again, unless the last one has arrived already. */
static enum sequel barrier_await(struct doing *d)
{
    const struct thread *thread = &d->world->threads.at[d->thread];
    bool interruptible = d->op.size & OBJECT_INTERRUPTIBLE && !thread->woken;

    return wait_for(d, interruptible ? OP_BARRIER_INTERRUPT : OP_BARRIER_LEAVE, d->op.addr);
}

enum sequel do_barrier_resume(struct doing *d)
{
    d->world->threads.at[d->thread].barrier = 0;
    return barrier_await(d);
}

/* All leave together when the last one has arrived, and each needs all who have. */
static enum sequel barrier_gather(struct doing *d, bool last)
{
    struct world *world = d->world;
    struct thread *thread = &world->threads.at[d->thread];
    uint32_t first = world->together.count;

    thread->woken = false;
    thread->arrived = world->now;
    thread->wait_result = last && !(d->op.variant & OP_VARIANT_UNUSED);
    wait_for(d, OP_BARRIER_LEAVE, d->op.addr);
    for (uint32_t i = 0; last && i < world->active.count; i++) {
        struct thread *member = &world->threads.at[world->active.at[i]];

        if (!waits_at_barrier(member, d->op.addr))
            continue;
        vec_push(world->arena, &world->together, member->arrived);
        member->together_first = first;
        member->together_count = (uint32_t)d->op.expect;
    }
    if (last)
        barrier_release(d);
    return SEQUEL_WAIT;
}

enum sequel do_barrier_leave(struct doing *d)
{
    struct thread *thread = &d->world->threads.at[d->thread];

    result_set(d, thread->wait_result);
    thread->wait_result = 0;
    thread->together_count = 0;
    return SEQUEL_RESUME;
}

enum sequel do_barrier_wait(struct doing *d)
{
    uint64_t state = state_get(d, OBJECT_BARRIER, d->op.addr);
    uint64_t arrived = (state & OBJECT_USE) + 1;
    bool last = arrived >= d->op.expect;

    state_set(d, OBJECT_BARRIER, d->op.addr, (state & ~OBJECT_USE) | (last ? 0 : arrived));
    if (op_gathers(d->world, &d->op))
        return barrier_gather(d, last);
    if (!last) {
        d->world->threads.at[d->thread].wait_result = 0;
        d->world->threads.at[d->thread].woken = false;
        return barrier_await(d);
    }
    barrier_release(d);
    result_set(d, 1);
    return SEQUEL_RESUME;
}
