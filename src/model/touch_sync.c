#include "base/check.h"
#include "model/buffer.h"
#include "model/commute.h"
#include "model/judging.h"
#include "model/object.h"

/* What operations on objects touch, and the rules they can break. */

/* ---- the life of an object */

static const struct {
    const char *destroyed; /* it is used after its end */
    const char *raw;       /* or before its beginning */
    const char *ended;     /* it is destroyed in use */
    const char *begun;     /* it is initialised in use */
    const char *again;     /* or while it lives */
} life_rules[OBJECT_KIND_COUNT] = {
    [OBJECT_MUTEX] = {"a mutex is used after it was destroyed",
                      "a mutex is used that was never initialised",
                      "a mutex is destroyed while a thread holds it",
                      "a mutex is initialised while another thread holds it",
                      "a mutex is initialised again that was not destroyed"},
    [OBJECT_SPIN] = {"a spinlock is used after it was destroyed",
                     "a spinlock is used that was never initialised",
                     "a spinlock is destroyed while a thread holds it",
                     "a spinlock is initialised while another thread holds it",
                     "a spinlock is initialised again that was not destroyed"},
    [OBJECT_RWLOCK] = {"a reader-writer lock is used after it was destroyed",
                       "a reader-writer lock is used that was never initialised",
                       "a reader-writer lock is destroyed while a thread holds it",
                       "a reader-writer lock is initialised while another thread holds it",
                       "a reader-writer lock is initialised again that was not destroyed"},
    [OBJECT_COND] = {"a condition is used after it was destroyed",
                     "a condition is used that was never initialised",
                     "a condition is destroyed while a thread waits on it",
                     "a condition is initialised while a thread waits on it",
                     "a condition is initialised again that was not destroyed"},
    [OBJECT_SEM] = {"a semaphore is used after it was destroyed",
                    "a semaphore is used that was never initialised", NULL, NULL,
                    "a semaphore is initialised again that was not destroyed"},
    [OBJECT_BARRIER] = {"a barrier is used after it was destroyed",
                        "a barrier is used that was never initialised",
                        "a barrier is destroyed while a thread waits at it",
                        "a barrier is initialised while a thread waits at it",
                        "a barrier is initialised again that was not destroyed"},
};

static enum touch misuse(struct judging *j, loc_id loc, const char *rule)
{
    j->rule = rule;
    return touch_object(j, loc, TOUCH_MISUSE);
}

/* The rule that is broken by using an object in that state at all, or NULL. */
static const char *dead_rule(const struct judging *j, enum object_kind kind, uint64_t state)
{
    if (state & OBJECT_DESTROYED)
        return life_rules[kind].destroyed;
    if (j->op->size & OBJECT_RAW && !(state & OBJECT_MADE))
        return life_rules[kind].raw;
    return NULL;
}

/* A spinlock that the thread has given back is free to itself, though the store may still wait in its buffer. */
static uint64_t spin_seen(struct judging *j, uint64_t state)
{
    if (!world_is_buffered(j->world) || lock_holder(state) != lock_held_by(j->agent))
        return state;
    return buffer_unlocks(j->world, j->view, j->agent, j->op) ? state & ~LOCK_USE : state;
}

/* The state of the operation's object; *rule says why it must not be used, if so. */
static uint64_t live_state(struct judging *j, loc_id *loc, const char **rule)
{
    enum object_kind kind = op_infos[j->op->kind].object;
    uint64_t state = object_state(j, kind, j->op->addr, loc);

    if (kind == OBJECT_SPIN)
        state = spin_seen(j, state);
    *rule = dead_rule(j, kind, state);
    return state;
}

enum touch touch_alive(struct judging *j)
{
    const char *rule;
    loc_id loc;

    live_state(j, &loc, &rule);
    return rule ? misuse(j, loc, rule) : touch_object(j, loc, TOUCH_DONE);
}

/* The value of a semaphore is no use: those who wait for more will notice its end themselves. */
static bool is_used(enum object_kind kind, uint64_t state)
{
    if (kind == OBJECT_MUTEX || kind == OBJECT_SPIN)
        return (state & LOCK_USE) != 0;
    return kind != OBJECT_SEM && (state & OBJECT_USE) != 0;
}

enum touch touch_destroy(struct judging *j)
{
    enum object_kind kind = op_infos[j->op->kind].object;
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);

    if (rule)
        return misuse(j, loc, rule);
    if (is_used(kind, state))
        return misuse(j, loc, life_rules[kind].ended);
    return touch_object(j, loc, TOUCH_DONE);
}

/* What the thread holds itself may be new all the same: memory of a function that has returned. */
static bool is_own(const struct judging *j, enum object_kind kind, uint64_t state)
{
    const agent_id *readers;
    uint32_t count;

    if (kind == OBJECT_MUTEX || kind == OBJECT_SPIN)
        return lock_holder(state) == lock_held_by(j->agent);
    if (kind != OBJECT_RWLOCK || rwlock_writer(state))
        return kind == OBJECT_RWLOCK && rwlock_writer(state) == rwlock_written_by(j->agent);
    readers = waiters_members(&j->world->waiters, rwlock_readers(state), &count);
    while (count > 0 && readers[count - 1] == j->agent)
        count--;
    return count == 0;
}

enum touch touch_init(struct judging *j)
{
    enum object_kind kind = op_infos[j->op->kind].object;
    loc_id loc;
    uint64_t state = object_state(j, kind, j->op->addr, &loc);

    if ((j->op->size & OBJECT_APART) && !(state & OBJECT_DESTROYED))
        return touch_object(j, loc, TOUCH_FAILED); /* another thread was faster */
    if (kind == OBJECT_SPIN)
        state = spin_seen(j, state);
    if (is_used(kind, state) && !is_own(j, kind, state))
        return misuse(j, loc, life_rules[kind].begun);
    if (j->op->size & OBJECT_SAME && !(state & OBJECT_DESTROYED) &&
        (state & OBJECT_MADE || is_used(kind, state)))
        return misuse(j, loc, life_rules[kind].again);
    return touch_object(j, loc, TOUCH_DONE);
}

/* ---- mutexes and spinlocks */

enum touch touch_lock(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);
    bool may_wait = op_infos[j->op->kind].flags & OP_BLOCK;
    bool own = lock_holder(state) == lock_held_by(j->agent);
    unsigned kind = j->op->variant & MUTEX_KIND_MASK;

    if (rule)
        return misuse(j, loc, rule);
    if (state & MUTEX_UNRECOVERABLE)
        return touch_object(j, loc, TOUCH_FAILED);
    if (lock_holder(state) == 0 || (own && kind == MUTEX_RECURSIVE))
        return touch_object(j, loc, TOUCH_DONE);
    if (own && kind == MUTEX_ERRORCHECK)
        return touch_object(j, loc, TOUCH_FAILED);
    return touch_object(j, loc, may_wait ? TOUCH_DISABLED : TOUCH_FAILED);
}

/* On x86 that is a plain store. */
static bool unlock_is_buffered(const struct judging *j)
{
    return j->op->kind == OP_SPIN_UNLOCK && j->op->order != ORDER_SEQ_CST &&
           world_is_buffered(j->world);
}

enum touch touch_unlock(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);

    if (rule)
        return misuse(j, loc, rule);
    if (lock_holder(state) == lock_held_by(j->agent) && unlock_is_buffered(j))
        return TOUCH_DONE; /* others notice when it is flushed */
    if (lock_holder(state) == lock_held_by(j->agent))
        return touch_object(j, loc, TOUCH_DONE);
    if (j->op->variant != MUTEX_NORMAL)
        return touch_object(j, loc, TOUCH_FAILED); /* it says so itself */
    return misuse(j, loc, "a thread unlocks a lock that it does not hold");
}

enum touch touch_consistent(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);

    if (rule)
        return misuse(j, loc, rule);
    return touch_object(j, loc, state & MUTEX_OWNER_DIED ? TOUCH_DONE : TOUCH_FAILED);
}

/* ---- reader-writer locks */

/* A lock that prefers writers. A reader looks whether some wait: false if so. A writer that gets the lock waits no more. */
static bool touch_wants(struct judging *j, bool to_write, bool is_free)
{
    loc_id loc = world_location(j->world, OBJECT_RWLOCK, rwlock_wants_addr(j->op->addr));
    waiters_id wants = (waiters_id)j->view->state(j->view, j->world, loc);

    if (!to_write)
        judging_add(j, loc, 1, ACCESS_READ);
    else if (is_free && waiters_has(&j->world->waiters, wants, j->agent))
        judging_add(j, loc, 1, ACCESS_WRITE);
    return wants == WAITERS_EMPTY;
}

enum touch touch_rwlock(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);
    uint8_t kind = j->op->kind;
    bool to_write = kind == OP_RWLOCK_WRLOCK || kind == OP_RWLOCK_TRYWRLOCK;
    bool may_wait = op_infos[kind].flags & OP_BLOCK, free = true;

    if (rule)
        return misuse(j, loc, rule);
    if (j->op->variant & OBJECT_WRITERS_FIRST)
        free = touch_wants(j, to_write, (state & OBJECT_USE) == 0);
    if (to_write ? (state & OBJECT_USE) == 0 : rwlock_writer(state) == 0 && free)
        return touch_object(j, loc, TOUCH_DONE);
    if (rwlock_writer(state) == rwlock_written_by(j->agent) && j->op->variant & OBJECT_STRICT)
        return touch_object(j, loc, TOUCH_FAILED);
    if (may_wait && j->op->variant & OBJECT_WRITERS_FIRST && !to_write)
        judging_add(j, loc, 1, ACCESS_ADD); /* while it waits, too: it looks at two things */
    return touch_object(j, loc, may_wait ? TOUCH_DISABLED : TOUCH_FAILED);
}

/* Comes to wait, or gives that up. Whether the lock lives is for the operation to say that follows. */
enum touch touch_rwlock_want(struct judging *j)
{
    uint64_t wants = rwlock_wants_addr(j->op->addr);

    return touch_object(j, world_location(j->world, OBJECT_RWLOCK, wants), TOUCH_DONE);
}

/* Who has written something changes the stamp. */
static void touch_stamp(struct judging *j, enum access_mode mode)
{
    uint64_t addr = lock_stamp_addr(OBJECT_RWLOCK, j->op->addr);

    if (j->op->value)
        judging_add(j, world_location(j->world, OBJECT_RWLOCK, addr), 1, mode);
}

enum touch touch_rwunlock(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);

    if (rule)
        return misuse(j, loc, rule);
    if (rwlock_writer(state) == rwlock_written_by(j->agent)) {
        touch_stamp(j, ACCESS_WRITE);
        return touch_object(j, loc, TOUCH_DONE);
    }
    if (waiters_has(&j->world->waiters, rwlock_readers(state), j->agent)) {
        touch_stamp(j, ACCESS_ADD);
        judging_add(j, loc, 1, ACCESS_ADD);
        return TOUCH_DONE;
    }
    return misuse(j, loc, "a thread unlocks a reader-writer lock that it does not hold");
}

uint64_t op_undo(struct world *world, agent_id agent, const struct op *op, loc_id loc,
                 uint64_t state)
{
    waiters_id readers = rwlock_readers(state);

    if (op->kind == OP_BARRIER_WAIT) /* how many have arrived begins again with each round */
        return (state & ~OBJECT_USE) |
               ((state & OBJECT_USE) + (uint64_t)op->expect - 1) % (uint64_t)op->expect;
    CHECK(op_infos[op->kind].object == OBJECT_RWLOCK, "%s cannot be undone",
          op_infos[op->kind].text);
    if (world->locations.at[loc].addr == lock_stamp_addr(OBJECT_RWLOCK, op->addr))
        return (state - LOCK_STAMP) & LOCK_STAMP_MASK;
    readers = op->kind == OP_RWLOCK_UNLOCK ? waiters_add(&world->waiters, readers, agent)
                                           : waiters_remove(&world->waiters, readers, agent);
    return (state & ~OBJECT_USE) | readers;
}

agent_id op_holder(struct world *world, const struct view *view, const struct op *op)
{
    const agent_id *readers;
    uint64_t state;
    uint32_t count;

    if (op->kind != OP_RWLOCK_WRLOCK)
        return AGENT_NONE;
    state = view->state(view, world, world_location(world, OBJECT_RWLOCK, op->addr));
    if (rwlock_writer(state))
        return AGENT_NONE;
    readers = waiters_members(&world->waiters, rwlock_readers(state), &count);
    return count ? readers[0] : AGENT_NONE;
}

/* ---- conditions */

static bool is_held(struct judging *j, loc_id *mutex, const char **rule)
{
    uint64_t state = object_state(j, OBJECT_MUTEX, j->op->mutex, mutex);

    if (lock_holder(state) == lock_held_by(j->agent))
        return true;
    *rule = state & OBJECT_DESTROYED
                ? life_rules[OBJECT_MUTEX].destroyed
                : "a thread waits on a condition with a mutex that it does not hold";
    return false;
}

enum touch touch_cond_wait(struct judging *j)
{
    const char *rule;
    loc_id loc, mutex;
    uint64_t state;

    if (!is_held(j, &mutex, &rule))
        return misuse(j, mutex, rule);
    state = live_state(j, &loc, &rule);
    if (!rule && (waiters_id)state != WAITERS_EMPTY && cond_mutex(state) != mutex)
        rule = "threads wait on a condition with different mutexes at the same time";
    if (rule)
        return misuse(j, loc, rule);
    touch_object(j, mutex, TOUCH_DONE);
    return touch_object(j, loc, TOUCH_DONE);
}

/* Whether the thread was asked to end; reads that. */
static bool touch_request(struct judging *j)
{
    loc_id loc;
    bool asked = object_state(j, OBJECT_THREAD, thread_cancel_addr(j->agent), &loc) != 0;

    judging_add(j, loc, 1, ACCESS_READ);
    return asked;
}

unsigned wait_ends(struct world *world, const struct view *view, agent_id agent,
                   const struct op *op)
{
    struct footprint footprint; /* large: not to be cleared */
    struct judging j = {world, view, agent, op, &footprint, NULL};
    unsigned ends = (unsigned)op->expect;

    footprint.count = 0;
    if (ends & 1u << WAIT_END_CANCEL && !touch_request(&j))
        ends &= ~(1u << WAIT_END_CANCEL);
    if (ends & 1u << WAIT_END_SIGNAL && !touch_signalled(&j))
        ends &= ~(1u << WAIT_END_SIGNAL);
    if (ends & 1u << WAIT_END_TIMEOUT && op->value &&
        !touch_awaited(&j, (const struct await *)(uintptr_t)op->value))
        ends &= ~(1u << WAIT_END_TIMEOUT);
    return ends;
}

/* Touches what could end it even while it is disabled: races.c asks for that. */
enum touch touch_cond_timeout(struct judging *j)
{
    loc_id loc = world_location(j->world, OBJECT_COND, j->op->addr);
    unsigned ends = wait_ends(j->world, j->view, j->agent, j->op);

    judging_add(j, loc, 1, ACCESS_WRITE);
    if (j->op->expect & 1u << WAIT_END_CANCEL)
        touch_request(j);
    if (j->op->expect & 1u << WAIT_END_SIGNAL)
        touch_signalled(j);
    if (j->op->value)
        touch_awaited(j, (const struct await *)(uintptr_t)j->op->value);
    return ends ? TOUCH_DONE : TOUCH_DISABLED;
}

/* What wakes somebody who may be cancelled or interrupted takes that possibility away: so it must not commute with the request. */
static void touch_requests(struct judging *j)
{
    judging_add(j, world_location(j->world, OBJECT_THREAD, THREAD_ANY_REQUEST), 1, ACCESS_READ);
}

/* A signal or broadcast that finds nobody waiting is lost. */
enum touch touch_cond_wake(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);

    if (rule)
        return misuse(j, loc, rule);
    if ((waiters_id)state == WAITERS_EMPTY)
        return touch_object(j, loc, TOUCH_FAILED);
    touch_object(j, loc, TOUCH_DONE);
    if (j->op->variant == OBJECT_STRICT)
        touch_requests(j);
    return TOUCH_DONE;
}

/* ---- barriers */

enum touch touch_barrier_wait(struct judging *j)
{
    const char *rule;
    loc_id loc;

    if (j->op->size & OBJECT_INTERRUPTIBLE)
        touch_requests(j);
    live_state(j, &loc, &rule);
    if (rule)
        return misuse(j, loc, rule);
    judging_add(j, loc, 1, op_arrival(j->world, j->op));
    return TOUCH_DONE;
}

/* Like touch_cond_timeout, even while it is disabled. */
enum touch touch_barrier_interrupt(struct judging *j)
{
    judging_add(j, world_location(j->world, OBJECT_BARRIER, j->op->addr), 1, ACCESS_WRITE);
    return touch_signalled(j) ? TOUCH_INTERRUPTED : TOUCH_DISABLED;
}

/* ---- semaphores */

enum touch touch_sem_wait(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);
    bool may_wait = op_infos[j->op->kind].flags & OP_BLOCK;

    if (rule)
        return misuse(j, loc, rule);
    if ((state & OBJECT_USE) > 0)
        return touch_object(j, loc, TOUCH_DONE);
    return touch_object(j, loc, may_wait ? TOUCH_DISABLED : TOUCH_FAILED);
}

enum touch touch_sem_post(struct judging *j)
{
    const char *rule;
    loc_id loc;
    uint64_t state = live_state(j, &loc, &rule);

    if (rule)
        return misuse(j, loc, rule);
    if ((state & OBJECT_USE) >= INT32_MAX && j->op->variant == OBJECT_STRICT)
        return touch_object(j, loc, TOUCH_FAILED);
    return touch_object(j, loc, TOUCH_DONE);
}

/* ---- threads */

enum touch touch_create(struct judging *j)
{
    loc_id loc;

    if (object_state(j, OBJECT_THREAD, j->op->addr, &loc) == 0)
        return touch_object(j, loc, TOUCH_DONE);
    return misuse(j, loc, "a thread is created that was created before");
}

/* Whether the handle of a thread is still good; the rule that using it breaks if not. */
static const char *handle_rule(uint64_t handle, bool to_join)
{
    if (handle & OBJECT_THREAD_DETACHED)
        return to_join ? "a detached thread is joined" : "a thread is detached twice";
    if (handle & OBJECT_THREAD_JOINED)
        return to_join ? "a thread is joined twice" : "a thread is detached after it was joined";
    return NULL;
}

/* A strict one uses the handle up. */
enum touch touch_join(struct judging *j)
{
    loc_id loc, handle = LOC_NONE;
    bool exited = object_state(j, OBJECT_THREAD, j->op->addr, &loc) == OBJECT_THREAD_EXITED;
    const char *rule = NULL;

    if (j->op->variant == OBJECT_STRICT)
        rule = handle_rule(object_state(j, OBJECT_THREAD, thread_handle_addr(j->op->addr), &handle),
                           true);
    if (rule)
        return misuse(j, handle, rule);
    if (exited && handle != LOC_NONE)
        judging_add(j, handle, 1, ACCESS_WRITE);
    if (!exited && j->op->kind == OP_THREAD_TRYJOIN)
        return touch_object(j, loc, TOUCH_FAILED);
    return touch_object(j, loc, exited ? TOUCH_DONE : TOUCH_DISABLED);
}

enum touch touch_detach(struct judging *j)
{
    loc_id handle;
    const char *rule = handle_rule(
        object_state(j, OBJECT_THREAD, thread_handle_addr(j->op->addr), &handle), false);

    return rule ? misuse(j, handle, rule) : touch_object(j, handle, TOUCH_DONE);
}

enum touch touch_cancel(struct judging *j)
{
    judging_add(j, world_location(j->world, OBJECT_THREAD, THREAD_ANY_REQUEST), 1, ACCESS_WRITE);
    return touch_object(j, world_location(j->world, OBJECT_THREAD, thread_cancel_addr(j->op->addr)),
                        TOUCH_DONE);
}

enum touch touch_testcancel(struct judging *j)
{
    touch_request(j);
    return TOUCH_DONE;
}
