#include "detect/sync.h"

#include <string.h>

#include "detect/detect.h"
#include "model/buffer.h"
#include "model/commute.h"
#include "model/object.h"
#include "model/world.h"

/* Release sequences: a read-modify-write hands on what it read from, too; any other store ends the sequence. */

#define SPACE (&detector.space)

static struct sync *sync_state(void)
{
    return &detector.sync;
}

void sync_open(void)
{
    map_open(&sync_state()->object_numbers, &detector.arena);
    map_open(&sync_state()->cell_numbers, &detector.arena);
}

static struct sync_thread *thread_at(uint32_t number)
{
    struct sync *sync = sync_state();

    for (uint32_t i = sync->threads.count; i <= number; i++)
        vec_push(&detector.arena, &sync->threads,
                 (struct sync_thread){.now = {.name = HOLDER(HOLDER_NOW, i)},
                                      .fenced = {.name = HOLDER(HOLDER_FENCED, i)},
                                      .pending = {.name = HOLDER(HOLDER_PENDING, i)},
                                      .woken = {.name = HOLDER(HOLDER_WOKEN, i)}});
    return &sync->threads.at[number];
}

const struct clock *sync_clock(uint32_t thread)
{
    return &thread_at(thread)->now;
}

void sync_restart(void)
{
    clock_set(SPACE, &thread_at(0)->now, 0, 1);
}

static uint32_t number_of(const struct world *world, agent_id thread)
{
    return (uint32_t)world->agents.at[thread].key;
}

/* What a thread does from here on is not part of what it has just released. */
void sync_tick(uint32_t thread)
{
    struct clock *now = &thread_at(thread)->now;
    uint32_t time = clock_get(SPACE, now, thread) + 1;

    if (time > EPOCH_CLOCK_MAX) {
        detector.given_up =
            "a thread synchronises, or frees blocks, more than two million times in a run";
        time = EPOCH_CLOCK_MAX;
    }
    clock_set(SPACE, now, thread, time);
    if (thread == detector.thread) {
        detector.now = epoch_of(thread, time);
        detect_publish();
    }
}

/* ---- who learns from whom, for what may follow a state, too (future.h) */

static void learn(struct clock *to, const struct clock *from)
{
    clock_join(SPACE, to, from);
    if (detector.logs)
        passage_learns(to->name, from->name);
}

static void forget(struct clock *to)
{
    clock_clear(SPACE, to);
    if (detector.logs)
        passage_becomes(to->name, HOLDER_NONE);
}

static void become(struct clock *to, const struct clock *from)
{
    clock_clear(SPACE, to);
    clock_join(SPACE, to, from);
    if (detector.logs)
        passage_becomes(to->name, from->name);
}

/* ---- objects */

static void object_name(struct sync_object *object, uint64_t key)
{
    uint32_t number = future_object(key);

    object->released.name = HOLDER(HOLDER_RELEASED, number);
    object->shared.name = HOLDER(HOLDER_SHARED, number);
}

static struct sync_object *object_at(enum object_kind kind, uint64_t addr)
{
    struct sync *sync = sync_state();
    uint64_t key = addr ^ (uint64_t)kind << 58;
    uint32_t number = map_get(&sync->object_numbers, key);

    if (number == MAP_ABSENT) {
        number = sync->objects.count;
        vec_push(&detector.arena, &sync->objects, (struct sync_object){0});
        map_add(&sync->object_numbers, key, number);
        if (detector.futures)
            object_name(&sync->objects.at[number], key);
    }
    return &sync->objects.at[number];
}

static void acquire(uint32_t thread, const struct clock *from)
{
    learn(&thread_at(thread)->now, from);
}

static void release(uint32_t thread, struct clock *to)
{
    learn(to, &thread_at(thread)->now);
    sync_tick(thread);
}

static void acquire_woken(uint32_t thread)
{
    acquire(thread, &thread_at(thread)->woken);
    forget(&thread_at(thread)->woken);
}

/* The child knows all that its parent has done. */
static void thread_created(uint32_t parent, uint32_t child)
{
    struct sync_thread *thread;

    thread_at(child > parent ? child : parent);
    thread = thread_at(child);
    become(&thread->now, &thread_at(parent)->now);
    clock_set(SPACE, &thread->now, child, 1);
    forget(&thread->fenced);
    forget(&thread->pending);
    forget(&thread->woken);
    sync_tick(parent);
}

/* Readers of a reader-writer lock order nothing among themselves: what they release only a writer acquires. */
static bool is_reader(struct world *world, const struct op *op)
{
    return op->kind == OP_RWLOCK_UNLOCK &&
           !rwlock_writer(world_state(world, world_location(world, OBJECT_RWLOCK, op->addr)));
}

/* The last to arrive takes all with it: the next round begins with nothing. */
static void barrier_arrive(struct world *world, uint32_t thread, const struct op *op,
                           struct sync_object *object)
{
    uint64_t state = world_state(world, world_location(world, OBJECT_BARRIER, op->addr));
    uint64_t arrived = (state & OBJECT_USE) + 1;

    learn(&object->released, &thread_at(thread)->now);
    if (arrived >= op->expect || !op_gathers(world, op)) /* else when it leaves */
        acquire(thread, &object->released);
    if (arrived >= op->expect)
        forget(&object->released);
    sync_tick(thread);
}

/* ---- atomic variables */

static struct sync_cell *cell_at(uint64_t addr)
{
    struct sync *sync = sync_state();
    uint32_t number = map_get(&sync->cell_numbers, addr >> 3);
    struct sync_cell *cell;

    if (number == MAP_ABSENT) {
        number = sync->cells.count;
        cell = arena_alloc(&detector.arena, sizeof *cell);
        memset(cell, 0, sizeof *cell);
        vec_push(&detector.arena, &sync->cells, cell);
        map_add(&sync->cell_numbers, addr >> 3, number);
    }
    cell = sync->cells.at[number];
    if (cell->generation != detector.generation) {
        cell->generation = detector.generation;
        cell->count = 0;
    }
    return cell;
}

/* Which bytes of their eight those are. */
static uint32_t word_bytes(uint64_t addr, unsigned size)
{
    return (((uint32_t)1 << size) - 1) << (addr & 7);
}

void sync_stores_gather(const struct sync_cell *cell, uint32_t bytes, struct clock *into)
{
    for (uint32_t i = 0; i < cell->count; i++)
        if (cell->stores[i].bytes & bytes)
            clock_join(SPACE, into, &cell->stores[i].released);
}

static void cell_gather(uint64_t addr, uint32_t bytes, struct clock *into)
{
    sync_stores_gather(cell_at(addr), bytes, into);
    if (detector.logs)
        passage_learns(into->name, holder_cell(addr, bytes));
}

/* From now on those bytes hand on `released`. */
static void cell_replace(uint64_t addr, uint32_t bytes, const struct clock *released)
{
    struct sync_cell *cell = cell_at(addr);
    struct sync_store spare;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cell->count; i++) {
        cell->stores[i].bytes &= ~bytes;
        if (cell->stores[i].bytes == 0)
            continue;
        spare = cell->stores[kept];
        cell->stores[kept++] = cell->stores[i];
        cell->stores[i] = spare;
    }
    cell->stores[kept].bytes = bytes;
    clock_clear(SPACE, &cell->stores[kept].released);
    clock_join(SPACE, &cell->stores[kept].released, released);
    cell->count = kept + 1;
    if (detector.logs)
        passage_becomes(holder_cell(addr, bytes), released->name);
}

/* Calls for each granule that the bytes at `addr` lie in. `bytes`: which of them are meant. */
static void granules_gather(uint64_t addr, unsigned size, uint32_t but, struct clock *into)
{
    for (unsigned i = 0; i < size;) {
        uint64_t at = addr + i;
        unsigned here = 8 - (unsigned)(at & 7);
        uint32_t bytes;

        if (here > size - i)
            here = size - i;
        bytes = word_bytes(at, here) & ~(((but >> i) & 0xff) << (at & 7));
        if (bytes)
            cell_gather(at, bytes, into);
        i += here;
    }
}

static void granules_replace(uint64_t addr, unsigned size, const struct clock *released)
{
    for (unsigned i = 0; i < size;) {
        uint64_t at = addr + i;
        unsigned here = 8 - (unsigned)(at & 7);

        if (here > size - i)
            here = size - i;
        cell_replace(at, word_bytes(at, here), released);
        i += here;
    }
}

static bool order_acquires(uint8_t order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static bool order_releases(uint8_t order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

/* What a load, or the loading half of an operation, learns is in *source, too. */
static void memory_read(const struct told *told, uint8_t order, struct clock *source)
{
    granules_gather(told->op.addr, told->op.size, told->forwards, source);
    if (order_acquires(order))
        acquire(told->thread, source);
    else
        learn(&thread_at(told->thread)->pending, source);
}

/* Whoever adds to a cell and does not look at it may have come before others who did: only one order is tried, so it learns nothing
 * there. What it would have learned counts only if it is asked for: at once, or by a fence to come. In *source, what it hands on. */
static void memory_add(const struct told *told, struct clock *source)
{
    struct sync_thread *thread = thread_at(told->thread);

    granules_gather(told->op.addr, told->op.size, told->forwards, source);
    if (clock_knows(SPACE, &thread->now, source))
        return;
    if (order_acquires(told->op.order))
        detector.forgot = true;
    else
        thread->missed = detector.generation;
}

/* What a store hands on, into *released. */
static void memory_hand_on(uint32_t thread, uint8_t order, struct clock *released)
{
    const struct sync_thread *t = thread_at(thread);

    learn(released, order_releases(order) ? &t->now : &t->fenced);
}

/* What the operation under way hands on. Outlives a run: only in its place in memory. */
static struct clock scratch = {.name = HOLDER(HOLDER_UNDER_WAY, 0)};

static void memory_does(struct world *world, const struct told *told)
{
    const struct op *op = &told->op;
    uint32_t thread = told->thread;
    bool failed = op->kind == OP_CAS && told->failed;
    bool loads = op->kind != OP_STORE;
    bool stores = op->kind != OP_LOAD && !failed;
    uint8_t order = failed ? op->variant : op->order;

    if (op->kind != OP_RMW && op->kind != OP_CAS && op->variant & OP_VARIANT_PLAIN)
        return; /* its target has told about it as a plain access */
    detect_atomic(thread, op->addr, op->size, stores);
    if (op->kind == OP_LOAD && op->variant & OP_VARIANT_UNUSED && world->forgets) {
        detector.forgot = true;
        return; /* only one order with the store is tried: in the other one it learns nothing */
    }
    forget(&scratch);
    if (op_addition(world, op) != ACCESS_WRITE)
        memory_add(told, &scratch);
    else if (loads)
        memory_read(told, order, &scratch);
    if (!stores)
        return;
    memory_hand_on(thread, order, &scratch);
    granules_replace(op->addr, op->size, &scratch);
    if (order_releases(order))
        sync_tick(thread);
}

static void fence_does(uint32_t thread, uint8_t order)
{
    struct sync_thread *t = thread_at(thread);

    if (order_acquires(order)) {
        acquire(thread, &t->pending);
        detector.forgot |= t->missed == detector.generation;
    }
    if (!order_releases(order))
        return;
    become(&t->fenced, &t->now);
    sync_tick(thread);
}

static void order_does(struct world *world, const struct told *told)
{
    if (told->op.kind == OP_FENCE)
        fence_does(told->thread, told->op.order);
    else
        memory_does(world, told);
}

/* ---- what the world tells */

/* One operation that has succeeded. */
struct synced {
    struct world *world;
    uint32_t thread;
    const struct op *op;
    struct sync_object *object; /* that it is about */
};

static void rule_acquire(const struct synced *d)
{
    acquire(d->thread, &d->object->shared);
    acquire(d->thread, &d->object->released);
}

static void rule_acquire_shared(const struct synced *d)
{
    acquire(d->thread, &d->object->released);
}

static void rule_release(const struct synced *d)
{
    release(d->thread, is_reader(d->world, d->op) ? &d->object->shared : &d->object->released);
}

static void rule_both(const struct synced *d)
{
    if (d->op->kind == OP_BARRIER_WAIT) {
        barrier_arrive(d->world, d->thread, d->op, d->object);
        return;
    }
    acquire(d->thread, &d->object->released);
    release(d->thread, &d->object->released);
}

static void rule_release_mutex(const struct synced *d)
{
    forget(&thread_at(d->thread)->woken);
    release(d->thread, &object_at(OBJECT_MUTEX, d->op->mutex)->released);
}

static void rule_acquire_woken(const struct synced *d)
{
    acquire(d->thread, &d->object->released);
    acquire_woken(d->thread);
}

static void rule_woken(const struct synced *d)
{
    acquire_woken(d->thread);
}

static void (*const rules[])(const struct synced *) = {
    [SYNC_ACQUIRE] = rule_acquire,
    [SYNC_RELEASE] = rule_release,
    [SYNC_BOTH] = rule_both,
    [SYNC_ACQUIRE_SHARED] = rule_acquire_shared,
    [SYNC_RELEASE_MUTEX] = rule_release_mutex,
    [SYNC_ACQUIRE_WOKEN] = rule_acquire_woken,
    [SYNC_WOKEN] = rule_woken,
    [SYNC_END] = NULL, /* and so for all that are not here */
};

/* Locks and their like are in memory, too. To use one is to read it, before what the use orders; to make or end one is to
 * write it. So whoever does that must be ordered with all who use it, even where no order of theirs breaks anything. */
static bool is_in_memory(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;

    return object >= OBJECT_MUTEX && object <= OBJECT_BARRIER && !(op->size & OBJECT_APART);
}

static void object_access(uint32_t thread, const struct op *op)
{
    const struct op_info *info = &op_infos[op->kind];
    enum detect_use use = info->sync == SYNC_MAKE  ? DETECT_MAKE
                          : info->sync == SYNC_END ? DETECT_END
                                                   : DETECT_USE;

    if (!is_in_memory(op))
        return;
    detect_object(thread, op->addr, use);
    if (info->sync == SYNC_RELEASE_MUTEX)
        detect_object(thread, op->mutex, DETECT_USE);
}

static void does_judge(struct world *world, const struct told *told)
{
    const struct op *op = &told->op;
    const struct op_info *info = &op_infos[op->kind];
    struct synced d = {world, told->thread, op, NULL};

    if (info->sync == SYNC_ORDER)
        order_does(world, told);
    object_access(d.thread, op);
    if (!rules[info->sync] || told->failed)
        return;
    if (op->kind == OP_THREAD_CREATE) {
        thread_created(d.thread, told->number);
        return;
    }
    d.object = object_at(info->object, op->addr);
    rules[info->sync](&d);
}

/* Whether it can be judged late: if it makes and ends nothing, and the state of the world does not matter. */
static bool may_wait(const struct world *world, const struct op *op)
{
    static const bool waits[] = {
        [SYNC_NONE] = true, [SYNC_ACQUIRE] = true, [SYNC_RELEASE] = true,
        [SYNC_BOTH] = true, [SYNC_ORDER] = true,   [SYNC_ACQUIRE_SHARED] = true,
        [SYNC_END] = false};

    return detector.late.on && waits[op_infos[op->kind].sync] && op->kind != OP_BARRIER_WAIT &&
           op->kind != OP_RWLOCK_UNLOCK && !world->in_section;
}

static inline void does_tell(struct told *told, const struct world *world, agent_id agent,
                             const struct op *op, bool failed)
{
    told->judge = does_judge;
    told->thread = number_of(world, agent);
    told->number =
        op->kind == OP_THREAD_CREATE ? number_of(world, (agent_id)op->addr) : told->thread;
    told->forwards =
        op_infos[op->kind].sync == SYNC_ORDER && op->kind != OP_FENCE && op->kind != OP_STORE
            ? buffer_forwards(world, agent, op->addr, op->size)
            : 0;
    told->failed = failed;
    told->op = *op;
}

static void sync_does(struct world *world, agent_id agent, const struct op *op, bool failed)
{
    struct told told;

    if (may_wait(world, op)) {
        if (op_infos[op->kind].sync == SYNC_ORDER)
            detector.late.kinds |= LATE_ATOMIC;
        else if (is_in_memory(op))
            detector.late.kinds |= LATE_USE;
        does_tell(late_next(&detector.late, world), world, agent, op, failed);
        return;
    }
    detect_settle();
    does_tell(&told, world, agent, op, failed);
    does_judge(world, &told);
}

/* The operation that wakes has released, and time went on: what its thread does from now on is not known to the woken one. All that it did
 * before this transition is. */
static void sync_wakes(struct world *world, agent_id agent, agent_id woken_agent)
{
    uint32_t thread = number_of(world, agent), woken = number_of(world, woken_agent);
    struct clock *to;
    uint32_t time, known;

    detect_settle();
    thread_at(thread > woken ? thread : woken);
    to = &thread_at(woken)->woken;
    known = clock_get(SPACE, to, thread);
    learn(to, &thread_at(thread)->now);
    time = clock_get(SPACE, &thread_at(thread)->now, thread) - 1;
    clock_set(SPACE, to, thread, known > time ? known : time);
}

static struct clock *buffered_at(uint32_t thread, uint32_t number)
{
    struct sync_thread *t = thread_at(thread);

    for (uint32_t i = t->buffered.count; i <= number; i++)
        vec_push(&detector.arena, &t->buffered,
                 (struct clock){.name = HOLDER(HOLDER_BUFFERED, (uint64_t)thread << 32 | i)});
    return &t->buffered.at[number];
}

static void stored_judge(struct world *world, const struct told *told)
{
    struct clock *released = buffered_at(told->thread, told->number);

    (void)world;
    forget(released);
    if (told->op.variant & OP_VARIANT_PLAIN)
        return;
    detect_atomic(told->thread, told->op.addr, told->op.size, true);
    memory_hand_on(told->thread, told->op.order, released);
    if (order_releases(told->op.order))
        sync_tick(told->thread);
}

static void flushed_judge(struct world *world, const struct told *told)
{
    (void)world;
    granules_replace(told->op.addr, told->op.size, buffered_at(told->thread, told->number));
}

static void store_tell(struct world *world, struct told store)
{
    if (detector.late.on) {
        *late_next(&detector.late, world) = store;
        return;
    }
    detect_settle();
    store.judge(world, &store);
}

static void sync_stored(struct world *world, agent_id agent, const struct op *op,
                        const struct buffered_store *store)
{
    detector.late.kinds |= LATE_ATOMIC;
    store_tell(world, (struct told){.judge = stored_judge,
                                    .thread = number_of(world, agent),
                                    .number = store->number,
                                    .op = *op});
}

static void sync_flushed(struct world *world, agent_id agent, const struct buffered_store *store)
{
    store_tell(world, (struct told){.judge = flushed_judge,
                                    .thread = number_of(world, agent),
                                    .number = store->number,
                                    .op = {.addr = store->addr, .size = store->size}});
}

const struct watch_ops sync_watch = {sync_does, sync_wakes, sync_stored, sync_flushed};
