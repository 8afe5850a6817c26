#include "model/judging.h"

#include <string.h>

#include "base/check.h"
#include "model/commute.h"
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

static void now_writers(const struct view *view, struct world *world, loc_id loc, loc_id slots[8])
{
    (void)view;
    world_writers(world, loc, slots);
}

const struct view view_now = {now_state, now_is_flushed, now_writers};

void judging_add(struct judging *j, loc_id loc, uint8_t bytes, enum access_mode mode)
{
    CHECK(j->footprint->count < FOOTPRINT_MAX, "%s touches too much", op_infos[j->op->kind].text);
    j->footprint->at[j->footprint->count++] = (struct access){loc, bytes, mode};
}

/* Touches an object if the operation can run; all but TOUCH_DONE change nothing, and so read. */
enum touch touch_object(struct judging *j, loc_id loc, enum touch touch)
{
    enum access_mode done = op_infos[j->op->kind].mode;

    if (touch != TOUCH_DISABLED)
        judging_add(j, loc, 1, touch == TOUCH_DONE ? done : ACCESS_READ);
    return touch;
}

uint64_t object_state(struct judging *j, enum object_kind kind, uint64_t addr, loc_id *loc)
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
            judging_add(j, world_location(j->world, OBJECT_CELL, base), (uint8_t)wanted, mode);
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

/* The eight aligned bytes of memory around `addr`. */
static uint64_t view_word(struct world *world, const struct view *view, uint64_t addr)
{
    return view->state(view, world, world_location(world, OBJECT_CELL, addr));
}

cell_value view_load(struct world *world, const struct view *view, agent_id thread, uint32_t stores,
                     uint64_t addr, unsigned size)
{
    const struct buffered_store *from[16];
    uint64_t word = 0, word_addr = 1; /* of memory; no word is there */
    cell_value value = 0;

    if (!world_is_buffered(world) && addr % 8 + size <= 8)
        return cell_cut(view_word(world, view, addr) >> (8 * (addr % 8)), size);
    forwarding_stores(world, view, thread, stores, addr, size, from);
    for (unsigned k = 0; k < size; k++) {
        uint64_t byte, byte_addr = addr + k;

        if (from[k]) {
            byte = (uint64_t)(from[k]->value >> (8 * (byte_addr - from[k]->addr)));
        } else {
            if (word_addr != (byte_addr & ~(uint64_t)7)) {
                word_addr = byte_addr & ~(uint64_t)7;
                word = view_word(world, view, word_addr);
            }
            byte = word >> (8 * (byte_addr % 8));
        }
        value |= (cell_value)(byte & 0xff) << (8 * k);
    }
    return value;
}

/* Touches one byte of a buffered store. */
static void touch_slot(struct judging *j, loc_id slot, uint64_t addr, enum access_mode mode)
{
    uint8_t bytes = (uint8_t)(1u << addr % 8);

    for (uint32_t i = 0; i < j->footprint->count; i++) {
        struct access *access = &j->footprint->at[i];

        if (access->loc == slot && access->mode == mode) {
            access->bytes |= bytes;
            return;
        }
    }
    judging_add(j, slot, bytes, mode);
}

/* For each of the bytes at `addr`, the buffered store that it was written by, or LOC_NONE. */
static void writers_of(struct judging *j, uint64_t addr, unsigned size, loc_id slots[16])
{
    loc_id word[8];

    for (unsigned k = 0; k < size; k++) {
        unsigned byte = (addr + k) % 8;

        if (k == 0 || byte == 0)
            j->view->writers(j->view, j->world, world_location(j->world, OBJECT_CELL, addr + k),
                             word);
        slots[k] = word[byte];
    }
}

/* A byte that is from a buffered store of the thread itself reads that store, whether it has been flushed or not: the same value, so that
 * the flush does not matter, but only who overwrites it later. Other bytes are read from memory. (See docs/reductions.md.) */
static void touch_read(struct judging *j, uint64_t addr, unsigned size)
{
    const struct buffered_store *from[16];
    loc_id slots[16];
    unsigned in_memory = 0;

    if (!world_is_buffered(j->world)) {
        touch_bytes(j, addr, all_bytes(size), ACCESS_READ);
        return;
    }
    forwarding_stores(j->world, j->view, j->agent, j->op->stores, addr, size, from);
    writers_of(j, addr, size, slots);
    for (unsigned k = 0; k < size; k++) {
        loc_id slot = from[k] ? world_slot(j->world, j->agent, from[k]->number) : slots[k];

        if (slot != LOC_NONE && j->world->locations.at[slot].addr >> 32 == j->agent)
            touch_slot(j, slot, addr + k, ACCESS_READ);
        else
            in_memory |= 1u << k;
    }
    touch_bytes(j, addr, in_memory, ACCESS_READ);
}

/* A write to memory; it overwrites buffered stores that were flushed before. Those of its own thread do not count: a load that reads such a
 * one was done before the store that overwrites it was issued. An addition leaves the bytes the store's own: so that others add to
 * the same. */
static void touch_change(struct judging *j, agent_id thread, enum access_mode mode)
{
    const struct op *op = j->op;
    loc_id slots[16];

    touch_bytes(j, op->addr, all_bytes(op->size), mode);
    if (!world_is_buffered(j->world))
        return;
    writers_of(j, op->addr, op->size, slots);
    for (unsigned k = 0; k < op->size; k++)
        if (slots[k] != LOC_NONE && j->world->locations.at[slots[k]].addr >> 32 != thread)
            touch_slot(j, slots[k], op->addr + k, mode);
}

static void touch_write(struct judging *j, agent_id thread)
{
    touch_change(j, thread, ACCESS_WRITE);
}

/* A load that nobody uses does nothing, if states are all that counts. */
static enum touch touch_load(struct judging *j)
{
    if (j->op->variant & OP_VARIANT_UNUSED && j->world->forgets)
        return TOUCH_DONE;
    touch_read(j, j->op->addr, j->op->size);
    return TOUCH_DONE;
}

bool touch_awaited(struct judging *j, const struct await *await)
{
    bool changed = false;

    for (uint32_t i = 0; i < await->count; i++) {
        uint64_t addr = await->reads[i].addr;
        unsigned size = await->reads[i].size;
        uint64_t value;

        if (await->reads[i].object == OBJECT_CELL) {
            touch_read(j, addr, size);
            value = (uint64_t)view_load(j->world, j->view, j->agent, j->op->stores, addr, size);
        } else {
            loc_id loc;

            if (size == AWAIT_STAMP)
                addr = lock_stamp_addr(await->reads[i].object, addr);
            value = object_state(j, await->reads[i].object, addr, &loc);
            if (size == AWAIT_STAMP)
                value &= LOCK_STAMP_MASK;
            judging_add(j, loc, 1, ACCESS_READ);
        }
        changed |= value != await->reads[i].value;
    }
    return changed;
}

/* Touches what it waits for even while it is disabled: races.c asks for that. */
static enum touch touch_await(struct judging *j)
{
    if (j->op->value != AWAIT_ROUND_NONE)
        return TOUCH_DISABLED;
    return touch_awaited(j, (const struct await *)(uintptr_t)j->op->addr) ? TOUCH_DONE
                                                                          : TOUCH_DISABLED;
}

bool op_is_round(const struct op *op)
{
    return op->kind == OP_AWAIT && op->value != AWAIT_ROUND_NONE;
}

bool op_round_is_over(struct world *world, agent_id agent, const struct op *op)
{
    struct footprint footprint; /* large: not to be cleared */
    struct judging judging = {
        .world = world, .view = &view_now, .agent = agent, .op = op, .footprint = &footprint};

    footprint.count = 0;
    if (op_is_retry(op))
        return touch_awaited(&judging, (const struct await *)(uintptr_t)op->mutex);
    return op_is_round(op) && (op->value == AWAIT_ROUND_FRESH ||
                               touch_awaited(&judging, (const struct await *)(uintptr_t)op->addr));
}

static bool store_is_buffered(const struct world *world, const struct op *op)
{
    return op->order != ORDER_SEQ_CST && world_is_buffered(world);
}

static enum touch touch_store(struct judging *j)
{
    if (!store_is_buffered(j->world, j->op))
        touch_write(j, j->agent);
    return TOUCH_DONE;
}

static enum touch touch_rmw(struct judging *j)
{
    touch_change(j, j->agent, op_addition(j->world, j->op));
    if (j->op->mutex)
        judging_add(j, world_location(j->world, OBJECT_THREAD, THREAD_ANY_REQUEST), 1,
                    ACCESS_WRITE);
    return TOUCH_DONE;
}

static enum touch touch_cas(struct judging *j)
{
    const struct op *op = j->op;
    cell_value old = view_load(j->world, j->view, j->agent, 0, op->addr, op->size);
    bool equal = old == cell_cut(op->expect, op->size);

    if (equal || op_is_retry(op)) /* while it waits, too: races.c asks for that */
        touch_write(j, j->agent);
    else
        touch_bytes(j, op->addr, all_bytes(op->size), ACCESS_READ);
    if (equal)
        return TOUCH_DONE;
    return op_is_retry(op) ? TOUCH_DISABLED : TOUCH_FAILED;
}

static enum touch touch_flush(struct judging *j)
{
    if (j->op->variant != OBJECT_NONE) {
        judging_add(j, world_location(j->world, j->op->variant, j->op->addr), 1, ACCESS_WRITE);
        return TOUCH_DONE;
    }
    touch_write(j, j->world->agents.at[j->agent].thread);
    return TOUCH_DONE;
}

enum touch touch_plain(struct judging *j)
{
    const struct op_info *info = &op_infos[j->op->kind];

    if (info->object == OBJECT_NONE)
        return TOUCH_DONE;
    return touch_object(j, world_location(j->world, info->object, j->op->addr), TOUCH_DONE);
}

bool touch_signalled(struct judging *j)
{
    const uint64_t *signals = (const uint64_t *)(uintptr_t)j->world->threads.at[j->agent].signals;
    loc_id loc = world_location(j->world, OBJECT_CELL, (uint64_t)(uintptr_t)signals);

    judging_add(j, loc, UINT8_MAX, ACCESS_READ);
    return j->view->state(j->view, j->world, loc) & ~signals[1];
}

/* What may be interrupted looks for signals even if it does not have to wait: one that had come earlier could have found it waiting. */
static enum touch touch_interruptible(struct judging *j, enum touch touch)
{
    const struct op_info *info = &op_infos[j->op->kind];
    bool waits = touch == TOUCH_DISABLED, silent = j->footprint->count == 0;
    bool signalled = touch_signalled(j);

    if (waits && silent && info->object != OBJECT_NONE)
        judging_add(j, world_location(j->world, info->object, j->op->addr), 1,
                    signalled ? ACCESS_READ : info->mode);
    return waits && signalled ? TOUCH_INTERRUPTED : touch;
}

static bool is_interruptible(const struct op *op)
{
    return op_infos[op->kind].flags & OP_BLOCK && op->size & OBJECT_INTERRUPTIBLE &&
           op->kind != OP_COND_TIMEOUT && op->kind != OP_BARRIER_INTERRUPT &&
           op->kind != OP_BARRIER_LEAVE;
}

static bool merely_looks(const struct op *op)
{
    return op->size & OBJECT_LOOK && op_infos[op->kind].object > OBJECT_CELL;
}

/* Whatever comes of it, it has changed nothing. */
static void touch_looks(struct judging *j)
{
    for (uint32_t i = 0; i < j->footprint->count; i++)
        j->footprint->at[i].mode = ACCESS_READ;
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
    [OP_LOAD] = {touch_load, false}, /* but see op_footprint_varies, here and below */
    [OP_STORE] = {touch_store, false},
    [OP_RMW] = {touch_rmw, false},
    [OP_CAS] = {touch_cas, true},
    [OP_FENCE] = {touch_plain, false},
    [OP_AWAIT] = {touch_await, true},
    [OP_FLUSH] = {touch_flush, false},
    [OP_MUTEX_INIT] = {touch_init, true},
    [OP_SPIN_INIT] = {touch_init, true},
    [OP_RWLOCK_INIT] = {touch_init, true},
    [OP_COND_INIT] = {touch_init, true},
    [OP_SEM_INIT] = {touch_init, true},
    [OP_BARRIER_INIT] = {touch_init, true},
    [OP_MUTEX_DESTROY] = {touch_destroy, true},
    [OP_SPIN_DESTROY] = {touch_destroy, true},
    [OP_RWLOCK_DESTROY] = {touch_destroy, true},
    [OP_COND_DESTROY] = {touch_destroy, true},
    [OP_SEM_DESTROY] = {touch_destroy, true},
    [OP_BARRIER_DESTROY] = {touch_destroy, true},
    [OP_MUTEX_ABANDON] = {touch_plain, false},
    [OP_MUTEX_CONSISTENT] = {touch_consistent, true},
    [OP_SEM_VALUE] = {touch_alive, true},
    [OP_MUTEX_LOCK] = {touch_lock, true},
    [OP_MUTEX_TRYLOCK] = {touch_lock, true},
    [OP_MUTEX_UNLOCK] = {touch_unlock, true},
    [OP_SPIN_LOCK] = {touch_lock, true},
    [OP_SPIN_TRYLOCK] = {touch_lock, true},
    [OP_SPIN_UNLOCK] = {touch_unlock, true},
    [OP_RWLOCK_WANT] = {touch_rwlock_want, false},
    [OP_RWLOCK_GIVE_UP] = {touch_rwlock_want, false},
    [OP_RWLOCK_RDLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_WRLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_TRYRDLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_TRYWRLOCK] = {touch_rwlock, true},
    [OP_RWLOCK_UNLOCK] = {touch_rwunlock, true},
    [OP_COND_WAIT] = {touch_cond_wait, true},
    [OP_COND_TIMEDWAIT] = {touch_cond_wait, true},
    [OP_COND_TIMEOUT] = {touch_cond_timeout, true},
    [OP_COND_RESUME] = {touch_plain, false},
    [OP_COND_RELOCK] = {touch_lock, true},
    [OP_COND_SIGNAL] = {touch_cond_wake, true},
    [OP_COND_BROADCAST] = {touch_cond_wake, true},
    [OP_SEM_WAIT] = {touch_sem_wait, true},
    [OP_SEM_TRYWAIT] = {touch_sem_wait, true},
    [OP_SEM_POST] = {touch_sem_post, true},
    [OP_BARRIER_WAIT] = {touch_barrier_wait, true},
    [OP_BARRIER_INTERRUPT] = {touch_barrier_interrupt, true},
    [OP_BARRIER_RESUME] = {touch_plain, false},
    [OP_BARRIER_LEAVE] = {touch_plain, false},
    [OP_CHANNEL_GET] = {touch_channel, true},
    [OP_CHANNEL_TRYGET] = {touch_channel, true},
    [OP_CHANNEL_PEEK] = {touch_channel, true},
    [OP_CHANNEL_TRYPEEK] = {touch_channel, true},
    [OP_CHANNEL_PUT] = {touch_channel, true},
    [OP_CHANNEL_TRYPUT] = {touch_channel, true},
    [OP_CHANNEL_CLOSE] = {touch_channel_close, true},
    [OP_CHANNEL_DUP] = {touch_channel_ends, false},
    [OP_CHANNEL_SHUT] = {touch_channel_ends, false},
    [OP_CHANNEL_SET] = {touch_plain, false},
    [OP_CHANNEL_LISTEN] = {touch_plain, false},
    [OP_CHANNEL_USE] = {touch_plain, false},
    [OP_CHANNEL_LOOK] = {touch_plain, false},
    [OP_DESCRIPTOR_OPEN] = {touch_descriptor_open, true},
    [OP_DESCRIPTOR_SET] = {touch_descriptor_set, true},
    [OP_FILE_READ] = {touch_file, false},
    [OP_FILE_WRITE] = {touch_file, false},
    [OP_FILE_LOCK] = {touch_channel, true},
    [OP_FILE_TRYLOCK] = {touch_channel, true},
    [OP_FILE_UNLOCK] = {touch_channel, true},
    [OP_CHANNEL_POLL] = {touch_channel_poll, true},
    [OP_CHANNEL_TRYPOLL] = {touch_channel_poll, true},
    [OP_THREAD_CREATE] = {touch_create, true},
    [OP_THREAD_JOIN] = {touch_join, true},
    [OP_THREAD_TRYJOIN] = {touch_join, true},
    [OP_THREAD_EXIT] = {touch_plain, false},
    [OP_THREAD_DETACH] = {touch_detach, true},
    [OP_THREAD_CANCEL] = {touch_cancel, false},
    [OP_THREAD_TESTCANCEL] = {touch_testcancel, false},
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
    if (is_interruptible(op))
        touch = touch_interruptible(&j, touch);
    if (merely_looks(op))
        touch_looks(&j);
    if (rule)
        *rule = j.rule;
    return touch;
}

bool op_footprint_varies(const struct world *world, const struct op *op)
{
    /* in buffered stores, it is the state that decides which one is read or overwritten */
    return touches[op->kind].varies ||
           (op_infos[op->kind].object == OBJECT_CELL && world_is_buffered(world));
}

static void signal_outcomes(struct world *world, waiters_id waiters, outcome_vec *outcomes)
{
    uint32_t count;
    const agent_id *members = waiters_members(&world->waiters, waiters, &count);

    for (uint32_t i = 0; i < count; i++)
        vec_push(world->arena, outcomes, members[i]);
    if (count == 0)
        vec_push(world->arena, outcomes, OUTCOME_LOST);
}

void op_outcomes(struct world *world, const struct view *view, agent_id agent, const struct op *op,
                 outcome_vec *outcomes)
{
    unsigned ends;

    outcomes->count = 0;
    if (!(op_infos[op->kind].flags & OP_FORK)) { /* others go by the flag alone */
        vec_push(world->arena, outcomes, 0);
        return;
    }
    switch (op->kind) {
    case OP_COND_SIGNAL:
        signal_outcomes(world,
                        merely_looks(op)
                            ? WAITERS_EMPTY
                            : (waiters_id)view->state(view, world,
                                                      world_location(world, OBJECT_COND, op->addr)),
                        outcomes);
        break;
    case OP_COND_TIMEOUT:
        ends = wait_ends(world, view, agent, op);
        for (outcome_id i = 0; i < WAIT_END_COUNT; i++)
            if (ends >> i & 1)
                vec_push(world->arena, outcomes, i);
        break;
    case OP_CHOOSE:
        for (outcome_id i = 0; i < op->value; i++)
            vec_push(world->arena, outcomes, i);
        break;
    default:
        CHECK(false, "nobody knows the outcomes of %s", op_infos[op->kind].text);
    }
}
