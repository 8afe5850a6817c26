/* The detector against a naive one, on random executions.
 *
 * The naive one keeps every event with the set of events that happen before it, and compares each access with all earlier ones, byte by
 * byte. Both must find their first race at the same access, and agree on who it was with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "detect/detect.h"
#include "model/world.h"

#define EVENTS  160
#define THREADS 4
#define LOCKS   3
#define ATOMICS 3
#define BYTES   24
#define LARGE   3072 /* a multiple of SHADOW_GROUP; what a lock guards besides */

#define WORDS ((EVENTS + 63) / 64)

struct set {
    uint64_t bits[WORDS];
};

struct past_access {
    uint32_t thread, event;
    unsigned first, size;
    bool writes, atomic;
};

static struct {
    uint32_t count;                /* events so far */
    struct set known[THREADS];     /* what happens before the next event of a thread */
    struct set released[LOCKS];    /* by the unlocks of a lock */
    struct set handed_on[ATOMICS]; /* by the store that an atomic variable holds */
    struct set fenced[THREADS], pending[THREADS];
    int holder[LOCKS];
    struct past_access accesses[EVENTS];
    uint32_t access_count;
} naive;

static struct arena arena;
static struct world world;
static uint64_t seed;
static _Alignas(SHADOW_GROUP) char memory[SHADOW_GROUP + LARGE * LOCKS];
static char locks[LOCKS];
static uint32_t found;
static struct detect_race race;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void set_add(struct set *set, uint32_t event)
{
    set->bits[event / 64] |= (uint64_t)1 << event % 64;
}

static bool set_has(const struct set *set, uint32_t event)
{
    return set->bits[event / 64] >> event % 64 & 1;
}

static void set_join(struct set *to, const struct set *from)
{
    for (unsigned i = 0; i < WORDS; i++)
        to->bits[i] |= from->bits[i];
}

static void race_found(const struct detect_race *r)
{
    if (found++ == 0)
        race = *r;
}

static uint64_t address(unsigned offset)
{
    return (uint64_t)(uintptr_t)&memory[offset];
}

/* ---- one event, told to both */

static uint32_t event_new(uint32_t thread)
{
    uint32_t event = naive.count++;

    set_add(&naive.known[thread], event);
    return event;
}

static bool naive_access(uint32_t thread, unsigned first, unsigned size, bool writes, bool atomic)
{
    bool races = false;

    for (uint32_t i = 0; i < naive.access_count; i++) {
        const struct past_access *a = &naive.accesses[i];

        races |= a->thread != thread && a->first < first + size && first < a->first + a->size &&
                 (a->writes || writes) && !(a->atomic && atomic) &&
                 !set_has(&naive.known[thread], a->event);
    }
    naive.accesses[naive.access_count++] =
        (struct past_access){thread, event_new(thread), first, size, writes, atomic};
    return races;
}

static void tell(uint32_t thread, struct op op, bool failed)
{
    sync_watch.does(&world, world_thread(&world, thread), &op, failed);
}

static bool plain(uint32_t thread, unsigned first, unsigned size, bool writes)
{
    detect_run(thread);
    if (detector.late.count && (size == 8 || size == 4))
        assert_false(detect_known(address(first), size, writes));
    detect_settle(); /* else what is known would be told once more, as long as something waits */
    if ((size != 8 && size != 4) || !detect_known(address(first), size, writes))
        (writes ? detect_write_range : detect_read_range)(address(first), size);
    return naive_access(thread, first, size, writes, false);
}

/* Whole groups, and any other part of some large block. */
static bool do_large(uint32_t thread, uint32_t lock)
{
    unsigned at = chance(3) == 0 ? chance(LARGE) : SHADOW_GROUP * chance(LARGE / SHADOW_GROUP);
    unsigned size = chance(3) == 0 ? LARGE - at : 1 + chance(chance(2) ? LARGE - at : 8);

    if (at + size > LARGE)
        size = LARGE - at;
    return plain(thread, SHADOW_GROUP + LARGE * lock + at, size, chance(2) == 0);
}

/* Each lock guards eight bytes and a large block. Mostly; or else the first race would always come soon. */
static bool do_plain(uint32_t thread)
{
    unsigned first, size;

    if (chance(120) == 0)
        return do_large(thread, chance(LOCKS));
    if (chance(60) == 0) {
        size = 1 + chance(20);
        return plain(thread, chance(BYTES - size + 1), size, chance(3) == 0);
    }
    for (uint32_t lock = 0; lock < LOCKS; lock++)
        if (naive.holder[lock] == (int)thread) {
            if (chance(2))
                return do_large(thread, lock);
            size = 1 + chance(8);
            first = 8 * lock + chance(8 - size + 1);
            return plain(thread, first, size, chance(2) == 0);
        }
    return false;
}

static bool do_lock(uint32_t thread)
{
    uint32_t lock = chance(LOCKS);
    struct op op = {.addr =
                        (uint64_t)(uintptr_t)&locks[lock]}; /* their memory is not looked at here */

    if (naive.holder[lock] == (int)thread) {
        op.kind = OP_MUTEX_UNLOCK;
        event_new(thread);
        set_join(&naive.released[lock], &naive.known[thread]);
        naive.holder[lock] = -1;
        tell(thread, op, false);
    } else if (naive.holder[lock] < 0) {
        op.kind = OP_MUTEX_LOCK;
        event_new(thread);
        set_join(&naive.known[thread], &naive.released[lock]);
        naive.holder[lock] = (int)thread;
        tell(thread, op, false);
    }
    return false;
}

static bool acquires(uint8_t order)
{
    return order == ORDER_ACQUIRE || order >= ORDER_ACQ_REL;
}

static bool releases(uint8_t order)
{
    return order >= ORDER_RELEASE;
}

static void naive_load(uint32_t thread, uint32_t atomic, uint8_t order)
{
    set_join(acquires(order) ? &naive.known[thread] : &naive.pending[thread],
             &naive.handed_on[atomic]);
}

static void naive_store(uint32_t thread, uint32_t atomic, uint8_t order, bool goes_on)
{
    if (!goes_on)
        memset(&naive.handed_on[atomic], 0, sizeof naive.handed_on[atomic]);
    set_join(&naive.handed_on[atomic],
             releases(order) ? &naive.known[thread] : &naive.fenced[thread]);
}

/* Atomic variables are apart, but now and then somebody takes one for plain memory. */
static bool do_atomic(uint32_t thread)
{
    static const enum op_kind kinds[] = {OP_LOAD, OP_STORE, OP_RMW, OP_CAS};
    static const uint8_t orders[][3] = {{ORDER_RELAXED, ORDER_ACQUIRE, ORDER_SEQ_CST},
                                        {ORDER_RELAXED, ORDER_RELEASE, ORDER_SEQ_CST},
                                        {ORDER_RELAXED, ORDER_ACQ_REL, ORDER_RELEASE},
                                        {ORDER_RELAXED, ORDER_ACQUIRE, ORDER_ACQ_REL}};
    uint32_t atomic = chance(ATOMICS), kind = chance(4);
    unsigned first = BYTES + 64 * atomic;
    uint8_t order = orders[kind][chance(3)], failing = chance(2) ? ORDER_ACQUIRE : ORDER_RELAXED;
    bool failed = kinds[kind] == OP_CAS && chance(2);
    bool writes = kinds[kind] != OP_LOAD && !failed, races;
    struct op op = {.kind = (uint8_t)kinds[kind],
                    .size = 4,
                    .order = order,
                    .variant = kinds[kind] == OP_CAS ? failing : 0,
                    .addr = address(first)};

    if (chance(40) == 0) {
        detect_run(thread);
        detect_read_range(address(first + 2), 1);
        return naive_access(thread, first + 2, 1, false, false);
    }
    tell(thread, op, failed);
    races = naive_access(thread, first, 4, writes, true);
    if (failed)
        order = failing;
    if (kinds[kind] != OP_STORE)
        naive_load(thread, atomic, order);
    if (writes)
        naive_store(thread, atomic, order, kinds[kind] != OP_STORE);
    return races;
}

static bool do_fence(uint32_t thread)
{
    static const uint8_t orders[] = {ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST};
    uint8_t order = orders[chance(4)];

    tell(thread, (struct op){.kind = OP_FENCE, .order = order}, false);
    event_new(thread);
    if (acquires(order))
        set_join(&naive.known[thread], &naive.pending[thread]);
    if (releases(order))
        naive.fenced[thread] = naive.known[thread];
    return false;
}

/* ---- runs */

static void run_begin(void)
{
    memset(&naive, 0, sizeof naive);
    for (unsigned i = 0; i < LOCKS; i++)
        naive.holder[i] = -1;
    found = 0;
    detect_restart();
    event_new(0);
    for (uint32_t i = 1; i < THREADS; i++) {
        tell(0, (struct op){.kind = OP_THREAD_CREATE, .addr = world_thread(&world, i)}, false);
        naive.known[i] = naive.known[0];
        event_new(0);
    }
}

/* What may wait is judged where the first race is, at the latest. */
static bool run_races(uint32_t *at)
{
    static bool (*const events[])(uint32_t) = {do_plain, do_lock, do_atomic, do_fence};

    run_begin();
    while (naive.count < EVENTS - 1) {
        uint32_t thread = chance(THREADS), what = chance(20);
        bool races = events[what < 9 ? 0 : what < 14 ? 1 : what < 19 ? 2 : 3](thread);

        if (races)
            late_end();
        assert_int_equal(found > 0, races);
        *at = naive.count;
        if (races)
            return true;
    }
    late_end();
    assert_int_equal(found, 0);
    return false;
}

static void detector_open(void)
{
    static bool opened;

    if (opened)
        return;
    opened = true;
    assert_int_equal(arena_open(&arena, (size_t)1 << 30), 0);
    world_open(&world, &arena, NULL, memory_models[0], BUFFER_UNBOUNDED);
    for (uint32_t i = 0; i < THREADS; i++)
        world_thread(&world, i);
    assert_true(detect_open(race_found));
}

static void test_random(void **state)
{
    uint32_t racy = 0, at, late = 0;

    (void)state;
    detector_open();
    for (uint64_t i = 0; i < 20000; i++) {
        seed = i * 0x9e3779b97f4a7c15u + 1;
        if (run_races(&at)) {
            racy++;
            late += at > 40;
        }
    }
    assert_true(racy > 1000);
    assert_true(late > 100); /* not only the obvious ones */
}

static bool is_same_access(const struct detect_access *a, const struct detect_access *b)
{
    return a->thread == b->thread && a->when == b->when && a->writes == b->writes &&
           a->atomic == b->atomic;
}

/* What is judged late finds the same race as what is judged at once, at the same moments of its threads. */
static void test_late(void **state)
{
    uint32_t waited = 0, racy = 0, at;

    (void)state;
    detector_open();
    for (uint64_t i = 0; i < 10000; i++) {
        struct detect_race in_time;
        bool races;

        seed = i * 0x9e3779b97f4a7c15u + 7;
        races = run_races(&at);
        in_time = race;
        seed = i * 0x9e3779b97f4a7c15u + 7;
        detector.late.on = true;
        assert_int_equal(run_races(&at), races);
        waited += detector.late.count > 0;
        detector.late.on = false;
        if (!races)
            continue;
        racy++;
        assert_true(race.addr == in_time.addr && race.size == in_time.size);
        assert_true(is_same_access(&race.now, &in_time.now));
        assert_true(is_same_access(&race.before, &in_time.before));
    }
    detect_restart();
    assert_true(racy > 500);
    assert_int_equal(waited, 0); /* all kinds of accesses are in these runs */
}

/* Accesses of one kind do not race: nobody looks at them. */
static void test_late_in_vain(void **state)
{
    struct op store = {.kind = OP_STORE, .size = 4, .order = ORDER_SEQ_CST, .addr = address(0)};
    struct op lock = {.kind = OP_MUTEX_LOCK, .addr = address(0)};

    (void)state;
    detector_open();
    detector.late.on = true;
    run_begin();
    tell(1, store, false);
    tell(2, store, false);
    late_end();
    assert_true(detector.late.count > 0 && found == 0);
    tell(3, lock, false); /* a lock where somebody stores */
    late_end();
    assert_true(detector.late.count == 0 && found > 0);
    run_begin();
    tell(1, store, false);
    detect_run(2);
    assert_int_equal(detector.now, EPOCH_NEVER);
    assert_true(epoch_thread(detect_now()) == 2 && detector.late.count == 0);
    run_begin();
    for (uint32_t i = 1; i < 3; i++) { /* a vector of reads, which says nothing of the others */
        detect_run(i);
        detect_read_range(address(0), 4);
    }
    tell(3, store, false);
    for (uint32_t i = 0; i < THREADS; i++) {
        detect_run(i);
        assert_false(detect_known(address(0), 4, false));
    }
    detector.late.on = false;
    detect_restart();
}

/* The bytes that a race is about, and who had them. */
static void test_bytes(void **state)
{
    (void)state;
    detector_open();
    run_begin();
    detect_run(1);
    detect_write_range(address(3), 6); /* 3 to 8 */
    detect_run(2);
    detect_read_range(address(0), 3);
    detect_read_range(address(9), 3);
    assert_int_equal(found, 0);
    detect_read_range(address(8), 1);
    assert_int_equal(found, 1);
    assert_int_equal(race.addr, address(8));
    assert_int_equal(race.size, 1);
    assert_int_equal(race.before.thread, 1);
    assert_true(race.before.writes && !race.now.writes && !race.before.atomic);
}

/* A new execution knows nothing of the one before; what is exposed stays so. */
static void test_restart(void **state)
{
    (void)state;
    detector_open();
    run_begin();
    detect_run(1);
    detect_write_range(address(0), 8);
    run_begin();
    detect_run(2);
    detect_write_range(address(0), 8);
    assert_int_equal(found, 0);
    assert_false(detect_is_exposed(address(16), 4));
    detect_expose(address(16));
    run_begin();
    assert_true(detect_is_exposed(address(16), 1));
    assert_true(detect_is_exposed(address(23), 1));
    assert_false(detect_is_exposed(address(15), 1));
    assert_true(detect_is_exposed(address(0), sizeof memory));
    assert_false(detect_is_exposed(address(SHADOW_GROUP), LARGE));
    detect_run(1);
    detect_write_range(address(0), SHADOW_GROUP); /* no group any more */
    assert_false(detect_known(address(16), 4, true));
    run_begin();
    detect_run(1);
    detect_write_range(address(16), 4);
    assert_false(detect_known(address(16), 4, true));
    detect_run(2);
    detect_write_range(address(16), 4);
    assert_int_equal(found, 1);
}

/* No address is too wild to be asked about. */
static void test_wild(void **state)
{
    (void)state;
    detector_open();
    run_begin();
    assert_false(detect_known(UINT64_MAX - 7, 8, true));
    detect_write_range((uint64_t)1 << 47, 8);
    detect_write_range(((uint64_t)1 << 47) - 3, 3);
    assert_int_equal(found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),       cmocka_unit_test(test_late),
        cmocka_unit_test(test_late_in_vain), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_restart),      cmocka_unit_test(test_wild),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
