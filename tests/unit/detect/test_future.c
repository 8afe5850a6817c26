/* What may follow a state, against a naive judge, on random executions.
 *
 * A case is a future and several prefixes that lead to the same state of the program, though not to the same clocks. The future is run behind the first
 * prefix, and its accesses are carried back, transition by transition. Behind each prefix the detector must then say the same as the
 * naive judge, who lets the future happen and compares each of its accesses with each one before, clock by clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "detect/detect.h"
#include "model/buffer.h"
#include "model/object.h"
#include "model/world.h"

#define THREADS    4
#define LATE       3 /* the thread that others create */
#define LOCKS      2
#define BYTES      16 /* plain memory: eight for each lock */
#define ATOMICS    16
#define SLOTS      4             /* stores into buffers are to four bytes of these */
#define BLOCKS     (2 * THREADS) /* each thread allocates two that meet, in one KiB */
#define BLOCK_AT   512
#define BLOCK_SIZE 1700
#define BLOCK_AREA 4096
#define ACTS       320
#define ACCESSES   1024
#define PREFIXES   3

enum { RWLOCK = LOCKS, BARRIER, COND, OBJECTS }; /* behind the locks, in `objects` */

enum act_kind {
    ACT_READ,
    ACT_WRITE,
    ACT_OP,
    ACT_SIGNAL,
    ACT_CREATE,
    ACT_PUSH,
    ACT_FLUSH,
    ACT_ALLOCATE,
    ACT_FREE,
};

struct act {
    enum act_kind kind;
    bool begins;     /* a transition */
    uint32_t thread; /* who acts */
    uint32_t other;  /* who is woken; a block */
    uint64_t addr;   /* plain accesses */
    uint32_t size;
    struct op op;
    bool failed;
    uint64_t state; /* of the object, just before */
};

struct acts {
    struct act at[ACTS];
    uint32_t count;
};

struct past_access {
    uint32_t thread;
    uint32_t time;
    uint32_t known[THREADS];
    uint64_t addr, size;
    bool writes, atomic, allocates, frees;
};

static struct arena arena;
static struct world world;
static struct futures futures;
static uint64_t seed;
static _Alignas(BLOCK_AREA) char blocks[THREADS * BLOCK_AREA], large[3 * SHADOW_GROUP];
static _Alignas(16) char memory[BYTES], atomics[ATOMICS], objects[OBJECTS];
static uint32_t found, rejected, cases, ordered_cases, unordered_cases;

static bool is_plain(const struct act *act)
{
    return act->kind == ACT_READ || act->kind == ACT_WRITE;
}

/* ---- one run */

static struct {
    epoch born[BLOCKS];
    bool freed[BLOCKS];
    bool late;        /* it was created */
    uint32_t ticked;  /* which threads have, in this transition */
    int guard[LOCKS]; /* who has locked it, or -1: random accesses look at it, nobody else */
    struct past_access accesses[ACCESSES];
    uint32_t access_count;
} run;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void race_found(const struct detect_race *race)
{
    (void)race;
    found++;
}

static uint64_t block_addr(uint32_t block)
{
    return (uint64_t)(uintptr_t)&blocks[block / 2 * BLOCK_AREA + BLOCK_AT + block % 2 * BLOCK_SIZE];
}

static epoch block_born(uint64_t addr)
{
    uint64_t area = (addr - (uint64_t)(uintptr_t)blocks) / BLOCK_AREA;

    for (uint64_t block = 2 * area; block < 2 * area + 2; block++)
        if (addr - block_addr((uint32_t)block) < BLOCK_SIZE)
            return run.born[block];
    return 0;
}

static struct past_access *access_add(uint32_t thread, epoch when, uint64_t addr, uint64_t size)
{
    struct past_access *access = &run.accesses[run.access_count++];

    assert_true(run.access_count < ACCESSES);
    *access = (struct past_access){
        .thread = thread, .time = epoch_clock(when), .addr = addr, .size = size};
    for (uint32_t i = 0; i < THREADS; i++)
        access->known[i] = clock_get(&detector.space, sync_clock(thread), i);
    return access;
}

static void access_seen(const struct detect_access *a, uint64_t addr, size_t size)
{
    struct past_access *access = access_add(a->thread, a->when, addr, size);

    access->writes = a->writes;
    access->atomic = a->atomic;
    access->frees = detector.blocks.ending;
}

static bool is_race(const struct past_access *a, const struct past_access *b)
{
    return a->thread != b->thread && a->addr < b->addr + b->size && b->addr < a->addr + a->size &&
           (a->writes || b->writes) && !(a->atomic && b->atomic) && !(a->allocates && b->frees) &&
           b->known[a->thread] < a->time;
}

/* Between one access before that place and one behind it. */
static bool naive_ordered(uint32_t place)
{
    for (uint32_t i = 0; i < place; i++)
        for (uint32_t k = place; k < run.access_count; k++)
            if (is_race(&run.accesses[i], &run.accesses[k]))
                return false;
    return true;
}

static void run_begin(void)
{
    memset(&run, 0, offsetof(__typeof__(run), accesses));
    run.access_count = 0;
    for (unsigned i = 0; i < LOCKS; i++)
        run.guard[i] = -1;
    found = 0;
    world.generation++;
    world.active.count = 0;
    for (uint32_t i = 0; i < THREADS; i++)
        world.threads.at[i] = (struct thread){.status = THREAD_RUNNING, .buffers = AGENT_NONE};
    detect_restart();
    for (uint32_t i = 1; i < LATE; i++)
        sync_watch.does(&world, 0, &(struct op){.kind = OP_THREAD_CREATE, .addr = i}, false);
}

static void do_plain(const struct act *act)
{
    bool writes = act->kind == ACT_WRITE;

    if ((act->size != 4 && act->size != 8) || !detect_known(act->addr, act->size, writes))
        (writes ? detect_write_range : detect_read_range)(act->addr, act->size);
}

/* The oldest store of a thread to where `addr` is. */
static void do_flush(const struct act *act)
{
    for (agent_id b = world.threads.at[act->thread].buffers; b != AGENT_NONE;
         b = world.buffers.at[b].next)
        if (world.agents.at[b].addr == world.memory->buffer_of(act->addr) && buffer_head(&world, b))
            buffer_flush(&world, b, 0);
}

static void do_allocate(const struct act *act)
{
    struct past_access *access =
        access_add(act->thread, detector.now, block_addr(act->other), BLOCK_SIZE);

    access->writes = access->allocates = true;
    run.born[act->other] = detector.now;
}

static void do_free(const struct act *act)
{
    run.freed[act->other] = true;
    detect_free_range(block_addr(act->other), BLOCK_SIZE);
    detect_tick();
}

static void do_op(const struct act *act)
{
    if (op_infos[act->op.kind].object == OBJECT_RWLOCK ||
        op_infos[act->op.kind].object == OBJECT_BARRIER)
        world_object_set(&world, op_infos[act->op.kind].object, act->op.addr, act->state);
    sync_watch.does(&world, act->thread, &act->op, act->failed);
    if (act->kind == ACT_SIGNAL)
        sync_watch.wakes(&world, act->thread, act->other);
    if (act->kind == ACT_CREATE)
        run.late = true;
}

static void do_push(const struct act *act)
{
    buffer_push(&world, act->thread, &act->op);
}

static void act_do(const struct act *act)
{
    static void (*const doers[])(const struct act *) = {
        [ACT_READ] = do_plain,  [ACT_WRITE] = do_plain,       [ACT_OP] = do_op,
        [ACT_SIGNAL] = do_op,   [ACT_CREATE] = do_op,         [ACT_PUSH] = do_push,
        [ACT_FLUSH] = do_flush, [ACT_ALLOCATE] = do_allocate, [ACT_FREE] = do_free,
    };

    if (act->begins)
        run.ticked = 0;
    if (!(run.ticked & 1u << act->thread))
        sync_tick(act->thread);
    run.ticked |= 1u << act->thread;
    detect_run(act->thread);
    doers[act->kind](act);
}

/* ---- random acts */

static uint64_t object_addr(unsigned i)
{
    return (uint64_t)(uintptr_t)&objects[i];
}

static void any_lock(struct act *act)
{
    uint32_t lock = chance(LOCKS);

    act->kind = ACT_OP;
    act->op.addr = object_addr(lock);
    if (chance(40) == 0) {
        act->op.kind = OP_MUTEX_INIT;
    } else if (run.guard[lock] == (int)act->thread) {
        act->op.kind = OP_MUTEX_UNLOCK;
        run.guard[lock] = -1;
    } else {
        act->op.kind = run.guard[lock] < 0 ? OP_MUTEX_LOCK : OP_MUTEX_TRYLOCK;
        act->failed = run.guard[lock] >= 0;
        if (!act->failed)
            run.guard[lock] = (int)act->thread;
    }
}

static void any_object(struct act *act)
{
    static const uint8_t rw[] = {OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK, OP_RWLOCK_UNLOCK};

    act->kind = ACT_OP;
    switch (chance(5)) {
    case 0:
        act->op.kind = rw[chance(3)];
        act->op.addr = object_addr(RWLOCK);
        act->state = chance(2) ? (uint64_t)1 << 32 : 1; /* a writer; readers */
        break;
    case 1:
        act->op.kind = OP_BARRIER_WAIT;
        act->op.addr = object_addr(BARRIER);
        act->op.expect = 2;
        act->state = chance(2);
        break;
    case 2:
        act->kind = ACT_SIGNAL;
        act->op.kind = OP_COND_SIGNAL;
        act->op.addr = object_addr(COND);
        act->other = chance(LATE);
        break;
    case 3:
        act->op.kind = OP_COND_WAIT;
        act->op.addr = object_addr(COND);
        act->op.mutex = object_addr(0);
        break;
    default:
        act->op.kind = chance(2) ? OP_COND_RELOCK : OP_BARRIER_LEAVE;
        act->op.addr = object_addr(0);
    }
}

static void any_atomic(struct act *act)
{
    static const uint8_t kinds[] = {OP_LOAD, OP_LOAD, OP_STORE, OP_RMW, OP_CAS, OP_FENCE};
    static const uint8_t orders[] = {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL,
                                     ORDER_SEQ_CST};

    act->kind = ACT_OP;
    act->op.kind = kinds[chance(6)];
    act->op.order = orders[chance(5)];
    act->op.size = (uint8_t)(1u << chance(5));
    act->op.addr = (uint64_t)(uintptr_t)&atomics[chance(ATOMICS / act->op.size) * act->op.size];
    act->failed = act->op.kind == OP_CAS && chance(2);
    act->op.variant = act->op.kind == OP_CAS ? orders[chance(2)] : 0;
}

static void any_push(struct act *act)
{
    static const uint8_t orders[] = {ORDER_RELAXED, ORDER_RELEASE};

    act->kind = ACT_PUSH;
    act->op.kind = OP_STORE;
    act->op.size = 4;
    act->op.order = orders[chance(2)];
    act->op.addr = (uint64_t)(uintptr_t)&atomics[4 * chance(SLOTS)];
    act->op.variant = chance(8) == 0 ? OP_VARIANT_PLAIN : 0;
}

static void any_flush(struct act *act)
{
    act->kind = ACT_FLUSH;
    act->addr = (uint64_t)(uintptr_t)&atomics[4 * chance(SLOTS)];
}

/* Whether somebody who is not told of by a detector would say so. */
static bool would_race(const struct act *act)
{
    struct past_access access = {.thread = act->thread,
                                 .addr = act->addr,
                                 .size = act->size,
                                 .writes = act->kind == ACT_WRITE};

    for (uint32_t i = 0; i < THREADS; i++)
        access.known[i] = clock_get(&detector.space, sync_clock(act->thread), i);
    for (uint32_t i = 0; i < run.access_count; i++)
        if (is_race(&run.accesses[i], &access))
            return true;
    return false;
}

static bool is_live(uint32_t block)
{
    return run.born[block] && !run.freed[block];
}

/* In a block, or from there on into the one behind it. */
static void block_plain(struct act *act, uint32_t block)
{
    uint32_t first = chance(3) ? 32 * chance(BLOCK_SIZE / 32) : 0;
    uint32_t room = BLOCK_SIZE - first;

    if (block % 2 == 0 && is_live(block + 1) && chance(2))
        room += BLOCK_SIZE;
    if (chance(2))
        act->size = chance(2) ? room : 1 + chance(room);
    if (room > BLOCK_SIZE && chance(2)) { /* a little of each */
        first = BLOCK_SIZE - 8;
        act->size = 16;
    } else if (act->size > room) {
        act->size = room;
    }
    act->addr = block_addr(block) + first;
}

static void any_plain(struct act *act)
{
    uint32_t block = chance(BLOCKS);

    act->kind = chance(2) ? ACT_READ : ACT_WRITE;
    act->size = 1 + chance(8);
    if (is_live(block) && chance(2)) {
        block_plain(act, block);
    } else if (chance(4) == 0) { /* whole groups, and parts of them */
        act->size = chance(2) ? (uint32_t)SHADOW_GROUP * (1 + chance(2)) : act->size;
        act->addr = (uint64_t)(uintptr_t)&large[SHADOW_GROUP / 2 * chance(3)];
    } else if (chance(20) == 0) {
        act->size = 1 + chance(4);
        act->addr = (uint64_t)(uintptr_t)&atomics[chance(ATOMICS - 4)];
    } else {
        act->addr = (uint64_t)(uintptr_t)&memory[chance(BYTES - act->size + 1)];
    }
}

/* Anything that changes no state that a prefix must agree on; if `buffers`, those may change. */
static struct act any_act(bool buffers)
{
    struct act act = {.begins = chance(3) > 0, .thread = chance(run.late ? THREADS : LATE)};
    uint32_t what = chance(20);

    if (buffers && chance(4) == 0)
        (chance(2) ? any_push : any_flush)(&act);
    else if (what < 8)
        any_plain(&act);
    else if (what < 13)
        any_lock(&act);
    else if (what < 15)
        any_object(&act);
    else
        any_atomic(&act);
    return act;
}

static struct act create_act(void)
{
    return (struct act){.kind = ACT_CREATE,
                        .begins = true,
                        .thread = chance(LATE),
                        .op = {.kind = OP_THREAD_CREATE, .addr = LATE}};
}

static void acts_add(struct acts *acts, struct act act)
{
    acts->at[acts->count++] = act;
    act_do(&act);
}

/* ---- cases: what the prefixes have in common */

static struct {
    bool buffers;
    struct acts must; /* in this order */
} common;

static void common_make(bool buffers)
{
    common.must.count = 0;
    common.buffers = buffers;
    for (uint32_t i = chance(5); i > 0; i--) {
        uint32_t block = chance(2 * LATE);

        common.must.at[common.must.count++] =
            (struct act){.kind = ACT_ALLOCATE, .thread = block / 2, .other = block, .begins = true};
    }
    if (chance(2))
        common.must.at[common.must.count++] = create_act();
    for (uint32_t i = buffers ? chance(8) : 0; i > 0; i--) {
        struct act act = {.thread = chance(LATE), .begins = true};

        (chance(3) ? any_push : any_flush)(&act);
        common.must.at[common.must.count++] = act;
    }
}

/* The next act that is a must; but who creates a thread, and how a store is ordered, is nobody's business. */
static void must_add(struct acts *acts, uint32_t *next)
{
    struct act act = common.must.at[(*next)++];
    struct act again = create_act();

    if (act.kind == ACT_ALLOCATE && run.born[act.other])
        return;
    if (act.kind == ACT_CREATE)
        act = again;
    if (act.kind == ACT_PUSH)
        act.op.order = chance(2) ? ORDER_RELAXED : ORDER_RELEASE;
    acts_add(acts, act);
}

static void plain_add(struct acts *acts, struct act act, uint32_t mercy)
{
    if (is_plain(&act) && would_race(&act) && chance(mercy))
        return;
    acts_add(acts, act);
}

/* False if there was a race. */
static bool prefix_make(struct acts *acts)
{
    uint32_t next = 0;

    acts->count = 0;
    run_begin();
    for (uint32_t i = chance(30); i > 0; i--) {
        if (next < common.must.count && chance(3) == 0)
            must_add(acts, &next);
        plain_add(acts, any_act(false), UINT32_MAX);
    }
    while (next < common.must.count)
        must_add(acts, &next);
    return found == 0;
}

static bool is_freed(uint64_t addr)
{
    for (uint32_t block = 0; block < BLOCKS; block++)
        if (run.freed[block] && addr - block_addr(block) < BLOCK_SIZE)
            return true;
    return false;
}

/* Something that such a thread has accessed, if there is any. */
static void chain_end(struct acts *acts, uint32_t thread, uint32_t accessed_by)
{
    for (unsigned tries = 0; run.access_count && tries < 8; tries++) {
        const struct past_access *past = &run.accesses[chance(run.access_count)];

        if (past->thread != accessed_by || is_freed(past->addr))
            continue;
        acts_add(acts, (struct act){.kind = chance(2) ? ACT_READ : ACT_WRITE,
                                    .thread = thread,
                                    .addr = past->addr,
                                    .size = 1});
        return;
    }
}

/* What a random future hardly ever has: a store from the buffer of one thread reaches another one, or a thread waits and goes on; and then accesses what
 * somebody has accessed. */
static void chain_add(struct acts *acts)
{
    static const struct {
        uint8_t kinds[2], object;
    } learns[] = {{{OP_COND_WAIT, OP_BARRIER_LEAVE}, COND},
                  {{OP_YIELD, OP_BARRIER_LEAVE}, COND},
                  {{OP_YIELD, OP_RWLOCK_WRLOCK}, RWLOCK},
                  {{OP_YIELD, OP_RWLOCK_RDLOCK}, RWLOCK},
                  {{OP_BARRIER_WAIT, OP_BARRIER_WAIT}, BARRIER}};
    uint32_t thread = chance(LATE), other = chance(LATE), what = chance(5);

    for (unsigned i = 0; world.threads.at[other].waiting && i < SLOTS; i++)
        acts_add(acts, (struct act){.kind = ACT_FLUSH,
                                    .begins = true,
                                    .thread = other,
                                    .addr = (uint64_t)(uintptr_t)&atomics[4 * i]});
    if (acts->count && vec_last(acts).kind == ACT_FLUSH)
        acts_add(acts, (struct act){.kind = ACT_OP,
                                    .begins = true,
                                    .thread = thread,
                                    .op = {.kind = OP_LOAD,
                                           .size = ATOMICS,
                                           .order = ORDER_ACQUIRE,
                                           .addr = (uint64_t)(uintptr_t)atomics}});
    for (unsigned i = 0; i < 2; i++)
        acts_add(acts, (struct act){.kind = ACT_OP,
                                    .thread = i == 0 && chance(2) ? other : thread,
                                    .state = 1 - i, /* arrived at the barrier */
                                    .op = {.kind = learns[what].kinds[i],
                                           .addr = object_addr(learns[what].object),
                                           .mutex = object_addr(0),
                                           .expect = 2}});
    chain_end(acts, thread, other);
}

static void future_make(struct acts *acts)
{
    acts->count = 0;
    if (chance(2))
        chain_add(acts);
    for (uint32_t i = chance(3) ? chance(16) : 0; i > 0; i--) {
        struct act act = any_act(common.buffers);
        uint32_t block = chance(BLOCKS), what = chance(30);

        if (what == 0 && !run.late)
            act = create_act();
        else if (what == 1 && !run.born[block] && (block / 2 < LATE || run.late))
            act = (struct act){.kind = ACT_ALLOCATE, .thread = block / 2, .other = block};
        else if (what == 2 && is_live(block))
            act = (struct act){.kind = ACT_FREE, .thread = act.thread, .other = block};
        else if (what == 3)
            chain_add(acts);
        plain_add(acts, act, 3);
    }
    if (acts->count)
        acts->at[0].begins = true;
}

/* ---- judging */

struct states {
    passage_id passages[ACTS];
    future_id follows[ACTS + 1]; /* before each */
    uint32_t count;
};

/* Does them, and what each transition was. */
static void future_log_acts(const struct acts *acts, struct states *states)
{
    states->count = 0;
    future_log(true);
    for (uint32_t i = 0; i < acts->count; i++) {
        act_do(&acts->at[i]);
        if (i + 1 == acts->count || acts->at[i + 1].begins)
            states->passages[states->count++] = detect_future.passed();
    }
    assert_int_equal(detect_future.passed(), PASSAGE_NONE);
    future_log(false);
}

static void states_carry_back(struct states *states)
{
    states->follows[states->count] = FUTURE_NONE;
    for (uint32_t i = states->count; i-- > 0;)
        states->follows[i] = detect_future.before(states->passages[i], states->follows[i + 1]);
}

/* Some sets of other cases: any set may be asked about in any state. */
static future_id others[64];

static void either_check(future_id set, bool is_ordered)
{
    future_id *other = &others[chance(64)];

    assert_int_equal(detect_future.ordered(detect_future.either(set, *other)),
                     is_ordered && detect_future.ordered(*other));
    *other = set;
}

/* The same transition must have the same number, behind whichever prefix. Except if it learns something between two plain accesses, as atomic sections
 * do: whether the second one is told if the first was to the same bytes depends on how these are remembered. */
static void passages_compare(const struct acts *acts, const passage_id *a, const passage_id *b)
{
    bool plain = false, mixed = false;

    for (uint32_t i = 0, k = 0; i < acts->count; i++) {
        mixed |= plain && !is_plain(&acts->at[i]);
        plain |= is_plain(&acts->at[i]);
        if (i + 1 < acts->count && !acts->at[i + 1].begins)
            continue;
        assert_true(a[k] == b[k] || mixed);
        k++;
        plain = mixed = false;
    }
}

/* From the present state: what the detector says of each state on the way must be what the naive judge says at its end. */
static void future_judge(const struct acts *acts, const struct states *states)
{
    passage_id again[ACTS];
    bool said[ACTS + 1];
    uint32_t places[ACTS + 1], judged = 0, passed = 0;

    for (uint32_t i = 0; i < acts->count; i++) {
        if (acts->at[i].begins && found == 0) {
            places[judged] = run.access_count;
            said[judged] = detect_future.ordered(states->follows[judged]);
            either_check(states->follows[judged], said[judged]);
            judged++;
        }
        if (acts->at[i].begins)
            future_log(true);
        act_do(&acts->at[i]);
        if (i + 1 == acts->count || acts->at[i + 1].begins)
            again[passed++] = detect_future.passed();
    }
    future_log(false);
    for (uint32_t i = 0; i < judged; i++)
        assert_int_equal(said[i], naive_ordered(places[i]));
    passages_compare(acts, again, states->passages);
    cases++;
    ordered_cases += judged && said[0];
    unordered_cases += judged && !said[0];
}

/* As in a new process: it knows nothing but the tables of what may follow. */
static void process_begin(void)
{
    detector = (struct detector){.published = detector.published};
    assert_true(detect_open(race_found));
    future_open(&futures, &arena);
    detector.seen = access_seen;
    detector.blocks.base = (uint64_t)(uintptr_t)blocks;
    detector.blocks.size = sizeof blocks;
    detector.blocks.shift = (unsigned)__builtin_ctz(BLOCK_AREA);
    detector.blocks.born = block_born;
}

static void case_run(bool buffers, bool anew)
{
    static struct acts prefix, future;
    static struct states states;

    common_make(buffers);
    if (!prefix_make(&prefix)) {
        rejected++;
        return;
    }
    future_make(&future);
    run_begin();
    for (uint32_t i = 0; i < prefix.count; i++)
        act_do(&prefix.at[i]);
    future_log_acts(&future, &states);
    states_carry_back(&states);
    if (anew)
        process_begin();
    run_begin();
    for (uint32_t i = 0; i < prefix.count; i++)
        act_do(&prefix.at[i]);
    future_judge(&future, &states);
    for (unsigned i = 1; i < PREFIXES; i++)
        if (prefix_make(&prefix))
            future_judge(&future, &states);
        else
            rejected++;
}

static void detector_open(void)
{
    static bool opened;

    if (opened)
        return;
    opened = true;
    assert_int_equal(arena_open(&arena, (size_t)1 << 32), 0);
    world_open(&world, &arena, NULL, memory_models[0], BUFFER_UNBOUNDED);
    world.watch = &sync_watch;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(world_thread(&world, i), i);
    process_begin();
}

static void cases_run(unsigned model, uint32_t count)
{
    detector_open();
    world.memory = memory_models[model];
    cases = ordered_cases = unordered_cases = rejected = 0;
    for (uint32_t i = 0; i < count; i++) {
        seed = (i + 1) * 0x9e3779b97f4a7c15u + model;
        case_run(world.memory->buffered, false);
    }
    print_message("%u cases, %u ordered, %u not; %u prefixes with races; %zu bytes\n", cases,
                  ordered_cases, unordered_cases, rejected, future_bytes());
    assert_true(ordered_cases > count / 4 && unordered_cases > count / 4);
}

static void test_sc(void **state)
{
    (void)state;
    cases_run(0, 20000);
}

static void test_tso(void **state)
{
    (void)state;
    cases_run(1, 20000);
}

static void test_pso(void **state)
{
    (void)state;
    cases_run(2, 20000);
}

/* Names do not depend on the order in which a process has met what they stand for. */
static void test_process(void **state)
{
    (void)state;
    detector_open();
    world.memory = memory_models[1];
    for (uint32_t i = 0; i < 50; i++) {
        seed = (i + 1) * 0x9e3779b97f4a7c15u;
        case_run(true, true);
    }
}

/* ---- sets */

/* One of what random futures leave behind, and one transition of them. */
static future_id any_set(passage_id *transition)
{
    static struct acts acts;
    static struct states states;
    uint32_t at;

    common_make(true);
    prefix_make(&acts);
    do
        future_make(&acts);
    while (acts.count == 0);
    run_begin();
    future_log_acts(&acts, &states);
    states_carry_back(&states);
    at = chance(states.count);
    *transition = states.passages[at];
    return states.follows[at];
}

/* Equal sets have equal numbers, in whichever order they came together. */
static void test_numbers(void **state)
{
    passage_id transition;
    future_id sets[6] = {FUTURE_NONE}, either;

    (void)state;
    detector_open();
    world.memory = memory_models[2];
    for (uint32_t round = 0; round < 5000; round++) {
        future_id there = FUTURE_NONE, back = FUTURE_NONE, pairs, before = FUTURE_NONE;

        seed = (round + 1) * 0x9e3779b97f4a7c15u;
        sets[chance(6)] = any_set(&transition);
        for (unsigned i = 0; i < 6; i++) {
            there = detect_future.either(there, sets[i]);
            back = detect_future.either(sets[5 - i], back);
            before = detect_future.either(before, detect_future.before(transition, sets[i]));
        }
        pairs = detect_future.either(detect_future.either(sets[4], sets[1]),
                                     detect_future.either(sets[3], sets[0]));
        pairs = detect_future.either(detect_future.either(sets[5], sets[2]), pairs);
        assert_int_equal(there, back);
        assert_int_equal(there, pairs);
        assert_int_equal(detect_future.either(there, sets[round % 6]), there);
        either = detect_future.before(transition, there);
        assert_int_equal(either, before);
    }
}

static uint64_t address(unsigned offset)
{
    return (uint64_t)(uintptr_t)&memory[offset];
}

/* What thread 1 did, as the only transition that follows. */
static future_id follows(void)
{
    return detect_future.before(detect_future.passed(), FUTURE_NONE);
}

static void log_begin(void)
{
    detector.seen = NULL;
    run_begin();
    detect_run(1);
    future_log(true);
}

/* What is accessed is kept in one way, however it was told. */
static void test_segments(void **state)
{
    passage_id whole;

    (void)state;
    detector_open();
    log_begin();
    assert_int_equal(detect_future.passed(), PASSAGE_NONE);
    detect_write_range(address(4), 8);
    detect_read_range(address(0), 4);
    detect_read_range(address(12), 4);
    whole = detect_future.passed();
    assert_int_not_equal(whole, PASSAGE_NONE);
    assert_int_equal(detect_future.passed(), PASSAGE_NONE);
    for (unsigned round = 0; round < 100; round++) {
        static const uint8_t reads[] = {0, 1, 2, 3, 6, 9, 12, 13, 14, 15};
        unsigned first = chance(10), half = chance(2);

        for (unsigned i = 0; i < 10; i++)
            detect_read_range(address(reads[(first + 3 * i) % 10]), 1);
        for (unsigned i = 0; i < 4; i++)
            detect_write_range(address(4 + 2 * ((i + 2 * half) % 4)), 2);
        if (chance(2))
            detect_read_range(address(0), 16);
        assert_int_equal(detect_future.passed(), whole);
    }
    detect_write_range(address(0), 1);
    future_log(false);
    detect_write_range(address(0), 1);
    future_log(true);
    assert_int_equal(detect_future.passed(), PASSAGE_NONE);
    future_log(false);
}

/* A large range is one span, scattered accesses are sorted soon, and memory that goes away is asked about in all its length. */
static void test_large(void **state)
{
    static char mapped[8 << 20];
    uint64_t base = (uint64_t)(uintptr_t)mapped;
    future_id set, gone;
    uint32_t spans;

    (void)state;
    detector_open();
    log_begin();
    detect_write_range(base, sizeof mapped);
    set = follows();
    assert_int_equal(futures.segments.entries.at[futures.segments.entries.count - 1].count, 2);
    for (uint32_t i = 0; i < 100000; i++)
        detect_read_range(base + 64 * (uint64_t)(i * 7919 % 100000), 4);
    follows();
    spans = futures.segments.entries.at[futures.segments.entries.count - 1].count;
    assert_int_equal(spans, 2 * 100000);
    detect_gone_range((uint64_t)1 << 45, (size_t)1 << 32, true);
    assert_null(shadow_known(detector.chunks, (uint64_t)1 << 45));
    gone = follows();

    run_begin();
    assert_true(detect_future.ordered(set) && detect_future.ordered(gone));
    detect_run(2);
    detect_read_range(base + sizeof mapped - 1, 1);
    assert_false(detect_future.ordered(set));
    detect_read_range(((uint64_t)1 << 45) + ((uint64_t)1 << 32), 1); /* just behind */
    assert_true(detect_future.ordered(gone));
    detect_read_range(((uint64_t)1 << 45) + ((uint64_t)1 << 32) - 1, 1);
    assert_false(detect_future.ordered(gone));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sc),      cmocka_unit_test(test_tso),
        cmocka_unit_test(test_pso),     cmocka_unit_test(test_process),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_segments),
        cmocka_unit_test(test_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
