#include "detect/lock_order.h"

#include "base/vec.h"
#include "detect/clock.h"
#include "model/object.h"
#include "model/world.h"

#define HELD_MAX  8
#define EDGES_MAX 2000 /* in an execution; what comes later is not looked at */

struct order_held {
    uint32_t count;
    struct lock_order_lock locks[HELD_MAX];
};

/* A thread asks for a lock while it holds others. */
struct order_edge {
    uint32_t thread, time; /* of its own clock */
    struct lock_order_lock wanted;
    struct order_held held;
    struct clock knows; /* of the threads that were created and joined before */
};

/* A thread. Its clock goes on when it creates another. */
struct order_taker {
    struct order_held held;
    struct clock knows;
    uint32_t generation;
};

static struct {
    struct arena *arena;
    lock_order_found *found;
    lock_order_place *place;
    const struct watch_ops *next;
    struct clock_space space;
    VEC(struct order_taker) takers;
    VEC(struct order_edge) edges; /* the first `used` are of this execution */
    uint32_t used;
} orders; /* outlives a run: lock_order_watch begins it anew */

void lock_order_open(struct arena *arena, lock_order_found *found, lock_order_place *place)
{
    orders.place = place;
    orders.arena = orders.space.arena = arena;
    orders.found = found;
}

static struct order_taker *taker_at(uint32_t thread)
{
    struct order_taker *taker;

    while (orders.takers.count <= thread)
        vec_push(orders.arena, &orders.takers, (struct order_taker){0});
    taker = &orders.takers.at[thread];
    if (taker->generation == orders.space.generation)
        return taker;
    taker->generation = orders.space.generation;
    taker->held.count = 0;
    clock_clear(&orders.space, &taker->knows);
    clock_set(&orders.space, &taker->knows, thread, 1);
    return taker;
}

static uint32_t order_number(const struct world *world, agent_id agent)
{
    return (uint32_t)world->agents.at[agent].key;
}

/* ---- cycles */

static bool lock_same(const struct lock_order_lock *a, const struct lock_order_lock *b)
{
    return a->addr == b->addr && a->object == b->object;
}

/* The lock among those held that keeps others from `wanted`, or NULL. */
static const struct lock_order_lock *held_against(const struct order_held *held,
                                                  const struct lock_order_lock *wanted)
{
    for (uint32_t i = 0; i < held->count; i++)
        if (lock_same(&held->locks[i], wanted) && !(held->locks[i].reads && wanted->reads))
            return &held->locks[i];
    return NULL;
}

static bool edges_share(const struct order_edge *a, const struct order_edge *b)
{
    for (uint32_t i = 0; i < a->held.count; i++)
        if (held_against(&b->held, &a->held.locks[i]))
            return true;
    return false;
}

static bool edge_before(const struct order_edge *a, const struct order_edge *b)
{
    return clock_get(&orders.space, &b->knows, a->thread) >= a->time;
}

/* Whether both can be under way at a time, as far as is known. */
static bool edges_meet(const struct order_edge *a, const struct order_edge *b)
{
    return a->thread != b->thread && !edge_before(a, b) && !edge_before(b, a) && !edges_share(a, b);
}

static void order_tell(const struct order_edge *const *path, uint32_t count)
{
    struct lock_order_step steps[LOCK_ORDER_MAX];
    uint32_t first = 0;

    for (uint32_t i = 0; i < count; i++)
        first = path[i]->thread < path[first]->thread ? i : first;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_edge *edge = path[(first + i) % count];
        const struct lock_order_lock *wanted = &path[(first + i + count - 1) % count]->wanted;

        steps[i] = (struct lock_order_step){.thread = edge->thread,
                                            .wanted = edge->wanted,
                                            .held = *held_against(&edge->held, wanted)};
    }
    orders.found(steps, count);
}

/* Goes on from the last edge of the path to those that hold what it asks for. */
static void order_search(const struct order_edge **path, uint32_t count)
{
    if (count > 1 && held_against(&path[0]->held, &path[count - 1]->wanted)) {
        order_tell(path, count);
        return; /* a longer one says no more */
    }
    for (uint32_t i = 0; count < LOCK_ORDER_MAX && i < orders.used; i++) {
        const struct order_edge *edge = &orders.edges.at[i];
        bool fits = held_against(&edge->held, &path[count - 1]->wanted) != NULL;

        for (uint32_t k = 0; k < count && fits; k++)
            fits = edges_meet(path[k], edge);
        if (!fits)
            continue;
        path[count] = edge;
        order_search(path, count + 1);
    }
}

/* ---- edges */

static bool order_edge_is(const struct order_edge *edge, uint32_t thread, uint32_t time,
                          const struct lock_order_lock *wanted, const struct order_held *held)
{
    if (edge->thread != thread || edge->time != time || !lock_same(&edge->wanted, wanted) ||
        edge->wanted.site != wanted->site || edge->wanted.reads != wanted->reads ||
        edge->held.count != held->count)
        return false;
    for (uint32_t i = 0; i < held->count; i++)
        if (!lock_same(&edge->held.locks[i], &held->locks[i]) ||
            edge->held.locks[i].site != held->locks[i].site)
            return false;
    return true;
}

static void order_edge_add(uint32_t thread, const struct lock_order_lock *wanted)
{
    const struct order_taker *taker = taker_at(thread);
    uint32_t time = clock_get(&orders.space, &taker->knows, thread);
    const struct order_edge *path[LOCK_ORDER_MAX];
    struct order_edge *edge;

    for (uint32_t i = 0; i < orders.used; i++)
        if (order_edge_is(&orders.edges.at[i], thread, time, wanted, &taker->held))
            return;
    if (orders.used == EDGES_MAX)
        return;
    if (orders.used == orders.edges.count)
        vec_push(orders.arena, &orders.edges, (struct order_edge){0});
    edge = &orders.edges.at[orders.used];
    edge->thread = thread;
    edge->time = time;
    edge->wanted = *wanted;
    edge->held = taker->held;
    clock_clear(&orders.space, &edge->knows);
    clock_join(&orders.space, &edge->knows, &taker->knows);
    path[0] = edge;
    order_search(path, 1);
    orders.used++;
}

/* ---- what threads do */

enum deed {
    DEED_NONE,
    DEED_TAKES = 1, /* has it then */
    DEED_WAITS = 2, /* and may have waited for it */
    DEED_READS = 4, /* as others may at the same time */
    DEED_GIVES = 8, /* has it no more */
    DEED_GIVES_MUTEX = 16
};

static const uint8_t deeds[OP_KIND_COUNT] = {
    [OP_MUTEX_LOCK] = DEED_TAKES | DEED_WAITS,
    [OP_MUTEX_TRYLOCK] = DEED_TAKES,
    [OP_MUTEX_UNLOCK] = DEED_GIVES,
    [OP_MUTEX_ABANDON] = DEED_GIVES,
    [OP_COND_RELOCK] = DEED_TAKES | DEED_WAITS,
    [OP_COND_WAIT] = DEED_GIVES_MUTEX,
    [OP_COND_TIMEDWAIT] = DEED_GIVES_MUTEX,
    [OP_SPIN_LOCK] = DEED_TAKES | DEED_WAITS,
    [OP_SPIN_TRYLOCK] = DEED_TAKES,
    [OP_SPIN_UNLOCK] = DEED_GIVES,
    [OP_RWLOCK_RDLOCK] = DEED_TAKES | DEED_WAITS | DEED_READS,
    [OP_RWLOCK_TRYRDLOCK] = DEED_TAKES | DEED_READS,
    [OP_RWLOCK_WRLOCK] = DEED_TAKES | DEED_WAITS,
    [OP_RWLOCK_TRYWRLOCK] = DEED_TAKES,
    [OP_RWLOCK_UNLOCK] = DEED_GIVES,
};

static void lock_give(struct order_held *held, uint8_t object, uint64_t addr)
{
    const struct lock_order_lock lock = {.addr = addr, .object = object};

    for (uint32_t i = held->count; i-- > 0;) /* of one that is held several times, the last */
        if (lock_same(&held->locks[i], &lock)) {
            held->count--;
            for (; i < held->count; i++)
                held->locks[i] = held->locks[i + 1];
            return;
        }
}

/* Who has it already does not wait for it. */
static void lock_take(uint32_t thread, const struct op *op, uint8_t deed)
{
    struct order_held *held = &taker_at(thread)->held;
    const struct lock_order_lock lock = {.addr = op->addr,
                                         .object = op_infos[op->kind].object,
                                         .reads = deed & DEED_READS,
                                         .site = orders.place(thread, op->site)};
    bool again = false;

    for (uint32_t i = 0; i < held->count; i++)
        again |= lock_same(&held->locks[i], &lock);
    if (deed & DEED_WAITS && held->count && !again)
        order_edge_add(thread, &lock);
    if (held->count < HELD_MAX)
        held->locks[held->count++] = lock;
}

static void order_created(uint32_t parent, uint32_t child)
{
    struct clock *knows;
    uint32_t time;

    taker_at(parent > child ? parent : child); /* so that none of them moves */
    knows = &taker_at(parent)->knows;
    clock_join(&orders.space, &taker_at(child)->knows, knows);
    time = clock_get(&orders.space, knows, parent);
    clock_set(&orders.space, knows, parent, time + 1);
}

static void order_joined(uint32_t thread, uint32_t ended)
{
    taker_at(thread > ended ? thread : ended);
    clock_join(&orders.space, &taker_at(thread)->knows, &taker_at(ended)->knows);
}

static void order_look(const struct world *world, agent_id agent, const struct op *op)
{
    uint32_t thread = order_number(world, agent);
    uint8_t deed = deeds[op->kind];

    if (deed & DEED_TAKES)
        lock_take(thread, op, deed);
    else if (deed & DEED_GIVES)
        lock_give(&taker_at(thread)->held, op_infos[op->kind].object, op->addr);
    else if (deed & DEED_GIVES_MUTEX)
        lock_give(&taker_at(thread)->held, OBJECT_MUTEX, op->mutex);
    else if (op->kind == OP_THREAD_CREATE)
        order_created(thread, order_number(world, (agent_id)op->addr));
    else if (op->kind == OP_THREAD_JOIN)
        order_joined(thread, order_number(world, (agent_id)op->addr));
}

/* ---- what the world tells */

static void locks_does(struct world *world, agent_id thread, const struct op *op, bool failed)
{
    if (!failed)
        order_look(world, thread, op);
    if (orders.next)
        orders.next->does(world, thread, op, failed);
}

static void locks_wakes(struct world *world, agent_id thread, agent_id woken)
{
    if (orders.next)
        orders.next->wakes(world, thread, woken);
}

/* A spinlock is given back by a store, which may go into a buffer. */
static void locks_stored(struct world *world, agent_id thread, const struct op *op,
                         const struct buffered_store *store)
{
    order_look(world, thread, op);
    if (orders.next)
        orders.next->stored(world, thread, op, store);
}

static void locks_flushed(struct world *world, agent_id thread, const struct buffered_store *store)
{
    if (orders.next)
        orders.next->flushed(world, thread, store);
}

const struct watch_ops *lock_order_watch(const struct watch_ops *next)
{
    static const struct watch_ops ops = {locks_does, locks_wakes, locks_stored, locks_flushed};

    orders.next = next;
    orders.space.generation++;
    orders.used = 0;
    return &ops;
}
