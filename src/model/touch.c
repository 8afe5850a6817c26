#include "model/touch.h"

#include <string.h>

#include "base/check.h"
#include "model/await.h"
#include "model/object.h"

static uint64_t now_state(const struct view *view, struct world *world, loc_id loc)
{
    (void)view;
    return world_state(world, loc);
}

static bool now_is_flushed(const struct view *view, const struct buffered_store *store)
{
    (void)view;
    return store->flushed != EVENT_NONE;
}

const struct view view_now = {now_state, now_is_flushed};

/* One operation being judged, and what was found so far. */
struct judging {
    struct world *world;
    const struct view *view;
    agent_id agent;
    const struct op *op;
    struct footprint *footprint;
    const char *rule;
};

static void add_access(struct judging *j, loc_id loc, uint8_t bytes, enum access_mode mode)
{
    CHECK(j->footprint->count < FOOTPRINT_MAX, "%s touches too much", op_infos[j->op->kind].text);
    j->footprint->at[j->footprint->count++] = (struct access){loc, bytes, mode};
}

/* Touches an object if the operation can run; all but TOUCH_DONE change nothing, and so read. */
static enum touch touch_object(struct judging *j, loc_id loc, enum touch touch)
{
    enum access_mode done = op_infos[j->op->kind].mode;

    if (touch != TOUCH_DISABLED)
        add_access(j, loc, 1, touch == TOUCH_DONE ? done : ACCESS_READ);
    return touch;
}

static uint64_t object_state(struct judging *j, enum object_kind kind, uint64_t addr, loc_id *loc)
{
    *loc = world_location(j->world, kind, addr);
    return j->view->state(j->view, j->world, *loc);
}

/* Touches the bytes from `addr` on that `wanted` names: bit i is byte addr + i. */
static void touch_bytes(struct judging *j, uint64_t addr, unsigned wanted, enum access_mode mode)
{
    uint64_t base = addr & ~(uint64_t)7;

    for (wanted <<= addr % 8; wanted; wanted >>= 8, base += 8)
        if (wanted & 0xff)
            add_access(j, world_location(j->world, OBJECT_CELL, base), (uint8_t)wanted, mode);
}

static unsigned all_bytes(unsigned size)
{
    return (1u << size) - 1;
}

/* For each byte of a load, the thread's newest buffered store that covers it in `view`, or NULL. */
static void forwarding_stores(struct world *world, const struct view *view, agent_id thread,
                              uint32_t stores, uint64_t addr, unsigned size,
                              const struct buffered_store *from[16])
{
    memset(from, 0, size * sizeof from[0]);
    if (!world_is_buffered(world))
        return;
    for (agent_id b = world->threads.at[thread].buffers; b != AGENT_NONE;
         b = world->buffers.at[b].next) {
        const struct buffer *buffer = &world->buffers.at[b];

        /* the stores of one buffer are flushed in order: older than a flushed one, all are */
        for (uint32_t i = buffer->stores.count; i-- > 0;) {
            const struct buffered_store *store = &buffer->stores.at[i];

            if (store->number >= stores)
                continue;
            if (view->is_flushed(view, store))
                break;
            for (unsigned k = 0; k < size; k++)
                if (addr + k - store->addr < store->size &&
                    (!from[k] || from[k]->number < store->number))
                    from[k] = store;
        }
    }
}

cell_value view_load(struct world *world, const struct view *view, agent_id thread, uint32_t stores,
                     uint64_t addr, unsigned size)
{
    const struct buffered_store *from[16];
    cell_value value = 0;

    forwarding_stores(world, view, thread, stores, addr, size, from);
    for (unsigned k = 0; k < size; k++) {
        uint64_t byte;

        if (from[k]) {
            byte = (uint64_t)(from[k]->value >> (8 * (addr + k - from[k]->addr)));
        } else {
            loc_id loc = world_location(world, OBJECT_CELL, addr + k);

            byte = view->state(view, world, loc) >> (8 * ((addr + k) % 8));
        }
        value |= (cell_value)(byte & 0xff) << (8 * k);
    }
    return value;
}

/* Bytes that the thread itself has in a buffer come from there, and share only the slot of that store
 * with its flush; the others are read from memory. */
static void touch_read(struct judging *j, uint64_t addr, unsigned size)
{
    const struct op *op = j->op;
    const struct buffered_store *from[16];
    unsigned in_memory = 0;

    forwarding_stores(j->world, j->view, j->agent, op->stores, addr, size, from);
    for (unsigned k = 0; k < size; k++) {
        bool seen = false;

        if (!from[k]) {
            in_memory |= 1u << k;
            continue;
        }
        for (unsigned i = 0; i < k; i++)
            seen |= from[i] == from[k];
        if (!seen)
            add_access(
                j,
                world_location(j->world, OBJECT_SLOT, (uint64_t)j->agent << 32 | from[k]->number),
                1, ACCESS_READ);
    }
    touch_bytes(j, addr, in_memory, ACCESS_READ);
}

static enum touch touch_load(struct judging *j)
{
    touch_read(j, j->op->addr, j->op->size);
    return TOUCH_DONE;
}

/* Touches what it waits for even while it is disabled: races.c asks for that. */
static enum touch touch_await(struct judging *j)
{
    const struct await *await = (const struct await *)(uintptr_t)j->op->addr;
    enum touch touch = TOUCH_DISABLED;

    for (uint32_t i = 0; i < await->count; i++) {
        uint64_t addr = await->reads[i].addr;
        unsigned size = await->reads[i].size;

        touch_read(j, addr, size);
        if (view_load(j->world, j->view, j->agent, j->op->stores, addr, size) !=
            await->reads[i].value)
            touch = TOUCH_DONE;
    }
    return touch;
}

static bool store_is_buffered(const struct world *world, const struct op *op)
{
    return op->order != ORDER_SEQ_CST && world_is_buffered(world);
}

static enum touch touch_store(struct judging *j)
{
    if (!store_is_buffered(j->world, j->op))
        touch_bytes(j, j->op->addr, all_bytes(j->op->size), ACCESS_WRITE);
    return TOUCH_DONE;
}

static enum touch touch_rmw(struct judging *j)
{
    touch_bytes(j, j->op->addr, all_bytes(j->op->size), ACCESS_WRITE);
    return TOUCH_DONE;
}

static enum touch touch_cas(struct judging *j)
{
    const struct op *op = j->op;
    cell_value old = view_load(j->world, j->view, j->agent, 0, op->addr, op->size);
    bool equal = old == cell_cut(op->expect, op->size);

    touch_bytes(j, op->addr, all_bytes(op->size), equal ? ACCESS_WRITE : ACCESS_READ);
    return equal ? TOUCH_DONE : TOUCH_FAILED;
}

/* `value` of the op is the number of the store that leaves the buffer. */
static enum touch touch_flush(struct judging *j)
{
    agent_id thread = j->world->agents.at[j->agent].thread;

    touch_bytes(j, j->op->addr, all_bytes(j->op->size), ACCESS_WRITE);
    add_access(
        j, world_location(j->world, OBJECT_SLOT, (uint64_t)thread << 32 | (uint32_t)j->op->value),
        1, ACCESS_WRITE);
    return TOUCH_DONE;
}

/* Mutexes and spinlocks. */
static enum touch touch_lock(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, op_infos[j->op->kind].object, j->op->addr, &loc);
    bool may_wait = op_infos[j->op->kind].flags & OP_BLOCK;

    if (state == 0 ||
        ((uint32_t)state == lock_held_by(j->agent) && j->op->variant == MUTEX_RECURSIVE))
        return touch_object(j, loc, TOUCH_DONE);
    if ((uint32_t)state == lock_held_by(j->agent) && j->op->variant == MUTEX_ERRORCHECK)
        return touch_object(j, loc, TOUCH_FAILED);
    return touch_object(j, loc, may_wait ? TOUCH_DISABLED : TOUCH_FAILED);
}

static enum touch touch_unlock(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, op_infos[j->op->kind].object, j->op->addr, &loc);

    if ((uint32_t)state == lock_held_by(j->agent))
        return touch_object(j, loc, TOUCH_DONE);
    if (j->op->variant == MUTEX_ERRORCHECK)
        return touch_object(j, loc, TOUCH_FAILED); /* it says so itself */
    j->rule = "a thread unlocks a lock that it does not hold";
    return touch_object(j, loc, TOUCH_MISUSE);
}

static enum touch touch_rwlock(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, OBJECT_RWLOCK, j->op->addr, &loc);
    uint8_t kind = j->op->kind;
    bool to_write = kind == OP_RWLOCK_WRLOCK || kind == OP_RWLOCK_TRYWRLOCK;
    bool may_wait = op_infos[kind].flags & OP_BLOCK;

    if (to_write ? state == 0 : !rwlock_is_written(state))
        return touch_object(j, loc, TOUCH_DONE);
    return touch_object(j, loc, may_wait ? TOUCH_DISABLED : TOUCH_FAILED);
}

static enum touch touch_rwunlock(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, OBJECT_RWLOCK, j->op->addr, &loc);

    if (rwlock_is_written(state) ? state == rwlock_written_by(j->agent) : rwlock_readers(state) > 0)
        return touch_object(j, loc, TOUCH_DONE);
    j->rule = "a thread unlocks a reader-writer lock that it does not hold";
    return touch_object(j, loc, TOUCH_MISUSE);
}

static enum touch touch_cond_wait(struct judging *j)
{
    loc_id mutex;

    if ((uint32_t)object_state(j, OBJECT_MUTEX, j->op->mutex, &mutex) != lock_held_by(j->agent)) {
        j->rule = "a thread waits on a condition with a mutex that it does not hold";
        return touch_object(j, mutex, TOUCH_MISUSE);
    }
    touch_object(j, mutex, TOUCH_DONE);
    return touch_object(j, world_location(j->world, OBJECT_COND, j->op->addr), TOUCH_DONE);
}

/* A signal or broadcast that finds nobody waiting is lost. */
static enum touch touch_cond_wake(struct judging *j)
{
    loc_id loc;
    uint64_t waiters = object_state(j, OBJECT_COND, j->op->addr, &loc);

    return touch_object(j, loc, waiters == WAITERS_EMPTY ? TOUCH_FAILED : TOUCH_DONE);
}

static enum touch touch_sem_wait(struct judging *j)
{
    loc_id loc;
    uint64_t value = object_state(j, OBJECT_SEM, j->op->addr, &loc);
    bool may_wait = op_infos[j->op->kind].flags & OP_BLOCK;

    if (value > 0)
        return touch_object(j, loc, TOUCH_DONE);
    return touch_object(j, loc, may_wait ? TOUCH_DISABLED : TOUCH_FAILED);
}

static enum touch touch_create(struct judging *j)
{
    loc_id loc;

    if (object_state(j, OBJECT_THREAD, j->op->addr, &loc) == 0)
        return touch_object(j, loc, TOUCH_DONE);
    j->rule = "a thread is created that was created before";
    return touch_object(j, loc, TOUCH_MISUSE);
}

static enum touch touch_join(struct judging *j)
{
    loc_id loc;
    bool exited = object_state(j, OBJECT_THREAD, j->op->addr, &loc) == OBJECT_THREAD_EXITED;

    return touch_object(j, loc, exited ? TOUCH_DONE : TOUCH_DISABLED);
}

/* Always possible, always succeeds: the row in ops.def says the rest. */
static enum touch touch_plain(struct judging *j)
{
    const struct op_info *info = &op_infos[j->op->kind];

    if (info->object == OBJECT_NONE)
        return TOUCH_DONE;
    return touch_object(j, world_location(j->world, info->object, j->op->addr), TOUCH_DONE);
}

static enum touch touch_invalid(struct judging *j)
{
    j->rule = j->op->value ? "a thread runs for ever without a visible operation"
                           : "a thread accesses what does not exist";
    return TOUCH_MISUSE;
}

/* Whether the state an operation runs in decides what it touches (`varies`), and how. */
static const struct {
    enum touch (*touch)(struct judging *);
    bool varies;
} touches[OP_KIND_COUNT] = {
    [OP_LOAD] = {touch_load, false}, /* but see op_footprint_varies */
    [OP_STORE] = {touch_store, false},
    [OP_RMW] = {touch_rmw, false},
    [OP_CAS] = {touch_cas, true},
    [OP_FENCE] = {touch_plain, false},
    [OP_AWAIT] = {touch_await, true},
    [OP_FLUSH] = {touch_flush, false},
    [OP_MUTEX_INIT] = {touch_plain, false},
    [OP_SPIN_INIT] = {touch_plain, false},
    [OP_RWLOCK_INIT] = {touch_plain, false},
    [OP_BARRIER_INIT] = {touch_plain, false},
    [OP_SEM_VALUE] = {touch_plain, false},
    [OP_MUTEX_LOCK] = {touch_lock, true},
    [OP_MUTEX_TRYLOCK] = {touch_lock, true},
    [OP_MUTEX_UNLOCK] = {touch_unlock, true},
    [OP_SPIN_LOCK] = {touch_lock, true},
    [OP_SPIN_TRYLOCK] = {touch_lock, true},
    [OP_SPIN_UNLOCK] = {touch_unlock, true},
    [OP_RWLOCK_RDLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_WRLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_TRYRDLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_TRYWRLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_UNLOCK] = {touch_rwunlock, true},
    [OP_COND_WAIT] = {touch_cond_wait, true},
    [OP_COND_TIMEDWAIT] = {touch_cond_wait, true},
    [OP_COND_TIMEOUT] = {touch_plain, false},
    [OP_COND_RELOCK] = {touch_lock, true},
    [OP_COND_SIGNAL] = {touch_cond_wake, true},
    [OP_COND_BROADCAST] = {touch_cond_wake, true},
    [OP_SEM_INIT] = {touch_plain, false},
    [OP_SEM_WAIT] = {touch_sem_wait, true},
    [OP_SEM_TRYWAIT] = {touch_sem_wait, true},
    [OP_SEM_POST] = {touch_plain, false},
    [OP_BARRIER_WAIT] = {touch_plain, false},
    [OP_BARRIER_LEAVE] = {touch_plain, false},
    [OP_THREAD_CREATE] = {touch_create, true},
    [OP_THREAD_JOIN] = {touch_join, true},
    [OP_THREAD_EXIT] = {touch_plain, false},
    [OP_CRASH] = {touch_plain, false},
    [OP_PROCESS_EXIT] = {touch_plain, false},
    [OP_INVALID] = {touch_invalid, false},
    [OP_SECTION_BEGIN] = {touch_plain, false},
    [OP_SECTION_END] = {touch_plain, false},
    [OP_YIELD] = {touch_plain, false},
    [OP_CHOOSE] = {touch_plain, false},
    [OP_ASSUME] = {touch_plain, false},
    [OP_ASSERT] = {touch_plain, false},
};

enum touch op_touch(struct world *world, const struct view *view, agent_id agent,
                    const struct op *op, struct footprint *footprint, const char **rule)
{
    struct judging j = {world, view, agent, op, footprint, NULL};
    enum touch touch;

    footprint->count = 0;
    touch = touches[op->kind].touch(&j);
    if (rule)
        *rule = j.rule;
    return touch;
}

bool op_footprint_varies(const struct world *world, const struct op *op)
{
    return touches[op->kind].varies || (op->kind == OP_LOAD && world_is_buffered(world));
}
