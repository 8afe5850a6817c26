/* What of a run matters to its failure, and the sentences that explain it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/matter.h"
#include "trace/notes.h"
#include "trace/story.h"

static struct trace trace;
static struct arena arena;

static int setup(void **state)
{
    (void)state;
    assert_int_equal(trace_open(&trace), 0);
    assert_int_equal(arena_open(&arena, (size_t)1 << 34), 0);
    trace_set_program(&trace, "a.out", NULL);
    trace_set_model(&trace, "tso", TRACE_UNBOUNDED);
    for (uint32_t i = 0; i < 3; i++)
        trace_add_thread(&trace, &(struct trace_thread){.rank = i, .name = i ? "work" : NULL});
    trace_set_bug(&trace, "assertion", "it fails", NULL, 0, &(struct trace_site){0});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trace_free(&trace);
    arena_close(&arena);
    return 0;
}

/* A step of four bytes, or on an object; `order` is 0 or 1 + enum memory_order. Its line is its number. */
static void step(uint32_t thread, uint8_t op, uint8_t order, const char *object, uint64_t cell,
                 uint64_t value)
{
    bool memory = op_infos[op].object == OBJECT_CELL;

    trace_add_step(&trace, &(struct trace_step){.thread = thread,
                                                .is_buffer = op == OP_FLUSH,
                                                .op = op,
                                                .order = order,
                                                .plain = memory && !order && op != OP_FLUSH,
                                                .reads = op == OP_LOAD || op == OP_RMW,
                                                .writes = memory && op != OP_LOAD,
                                                .size = memory ? 4 : 0,
                                                .cell = cell,
                                                .value = value,
                                                .object = object,
                                                .site = {"a.c", "work", trace.steps.count + 1, 1}});
}

static void side(uint32_t thread, uint32_t number, const char *what)
{
    static const char *const locks[] = {"m"};

    trace_add_side(&trace, &(struct trace_side){.thread = thread, .step = number, .what = what},
                   locks, 1);
}

/* "1 4 5": the numbers of the steps that matter. */
static void assert_shown(const char *wanted)
{
    struct matter matter = matter_find(&trace, &arena);
    char found[4000] = "";
    uint32_t count = 0;

    for (uint32_t i = 0; i < trace.steps.count; i++) {
        size_t used = strlen(found);

        count += matter.shown[i];
        if (matter.shown[i] && used < sizeof found - 20)
            snprintf(found + used, sizeof found - used, "%s%u", used ? " " : "", i + 1);
    }
    assert_string_equal(found, wanted);
    assert_int_equal(matter.count, count);
}

static void assert_noted(const char *wanted)
{
    note_vec notes = {0};

    notes_find(&trace, &arena, &notes);
    if (!wanted) {
        assert_int_equal(notes.count, 0);
        return;
    }
    for (uint32_t i = 0; i < notes.count; i++)
        if (strstr(notes.at[i].text, wanted))
            return;
    fail_msg("nobody says \"%s\"; first of %u: %s", wanted, notes.count,
             notes.count ? notes.at[0].text : "");
}

/* One thread publishes x by a flag, the other one looks at the flag, then at x. */
static void publication(uint8_t store_order, uint8_t load_order)
{
    step(1, OP_STORE, 0, "x", 64, 1);
    step(1, OP_STORE, 0, "mine", 256, 1);
    step(1, OP_STORE, store_order, "flag", 128, 1);
    step(2, OP_LOAD, load_order, "flag", 128, 1);
    step(2, OP_LOAD, 0, "x", 64, 1);
    side(1, 1, "write of x");
    side(2, 5, "read of x");
}

static void test_relaxed_store(void **state)
{
    (void)state;
    publication(1 + ORDER_RELAXED, 1 + ORDER_ACQUIRE);
    assert_noted(
        "the store at a.c:3 (step 3) is relaxed: it does not publish what was written before it");
    assert_shown("1 3 4 5");
}

static void test_relaxed_load(void **state)
{
    (void)state;
    publication(1 + ORDER_RELEASE, 1 + ORDER_RELAXED);
    assert_noted("the load at a.c:4 (step 4) is relaxed: what was written before the store that it "
                 "reads is not ordered by it");
}

/* Where both orders are strong, the race is not due to them, and nobody says so. */
static void test_strong_orders(void **state)
{
    (void)state;
    publication(1 + ORDER_RELEASE, 1 + ORDER_SEQ_CST);
    assert_noted(NULL);
}

/* A fence makes up for a relaxed store. */
static void test_fence(void **state)
{
    (void)state;
    step(1, OP_STORE, 0, "x", 64, 1);
    step(1, OP_FENCE, 1 + ORDER_RELEASE, NULL, 0, 0);
    step(1, OP_STORE, 1 + ORDER_RELAXED, "flag", 128, 1);
    step(2, OP_LOAD, 1 + ORDER_ACQUIRE, "flag", 128, 1);
    step(2, OP_LOAD, 0, "x", 64, 1);
    side(1, 1, "write of x");
    side(2, 5, "read of x");
    assert_noted(NULL);
}

/* The store comes before the access: it could not have published it. */
static void test_store_before(void **state)
{
    (void)state;
    step(1, OP_STORE, 1 + ORDER_RELAXED, "flag", 128, 1);
    step(1, OP_STORE, 0, "x", 64, 1);
    step(2, OP_LOAD, 1 + ORDER_ACQUIRE, "flag", 128, 1);
    step(2, OP_LOAD, 0, "x", 64, 1);
    side(1, 2, "write of x");
    side(2, 4, "read of x");
    assert_noted(NULL);
}

/* What was published through a buffer is published where it was stored. */
static void test_flushed_store(void **state)
{
    (void)state;
    step(1, OP_STORE, 0, "x", 64, 1);
    step(1, OP_STORE, 1 + ORDER_RELAXED, "flag", 128, 1);
    trace.steps.at[1].buffered = trace.steps.at[1].plain = true;
    step(1, OP_FLUSH, 0, "flag", 128, 1);
    step(2, OP_LOAD, 1 + ORDER_ACQUIRE, "flag", 128, 1);
    step(2, OP_LOAD, 0, "x", 64, 1);
    side(1, 1, "write of x");
    side(2, 5, "read of x");
    assert_noted("the store at a.c:2 (step 2) is relaxed");
    assert_shown("1 2 3 4 5");
}

static void test_still_buffered(void **state)
{
    (void)state;
    step(1, OP_STORE, 1 + ORDER_RELAXED, "x", 64, 1);
    trace.steps.at[0].buffered = true;
    step(2, OP_LOAD, 1 + ORDER_RELAXED, "x", 64, 0);
    assert_noted("the store to x (step 1) is still in the store buffer of T1 (work) at the end");
}

static void test_lost_signal(void **state)
{
    (void)state;
    step(1, OP_COND_SIGNAL, 0, "ready", 64, 0);
    trace.steps.at[0].outcome = OUTCOME_LOST;
    step(2, OP_COND_WAIT, 0, "ready", 64, 0);
    trace_add_wait(&trace, &(struct trace_wait){.thread = 2, .text = "a signal on ready"});
    assert_noted("T1 (work) signals ready in step 1, when nobody waits on it: T2 (work)");
}

static void pointer(uint32_t thread, uint8_t op, uint64_t value)
{
    step(thread, op, 1 + ORDER_SEQ_CST, "top", 64, value);
    vec_last(&trace.steps).size = 8;
    vec_last(&trace.steps).reads = true;
}

static void test_aba(void **state)
{
    const uint64_t a = 0x7f0000001000, b = 0x7f0000002000;

    (void)state;
    pointer(1, OP_LOAD, a);
    pointer(2, OP_CAS, a);
    pointer(2, OP_CAS, b);
    pointer(1, OP_CAS, a);
    assert_noted("T1 (work) reads top in step 1; T2 (work) changes it in step 2, and it is as "
                 "before from step 3 on: the compare-exchange in step 4 succeeds all the same");
    trace.steps.at[3].failed = true;
    trace.steps.at[3].writes = false;
    assert_noted(NULL);
}

/* Nor is it one if the thread has looked again. */
static void test_no_aba(void **state)
{
    const uint64_t a = 0x7f0000001000;

    (void)state;
    pointer(1, OP_LOAD, a);
    pointer(2, OP_CAS, a);
    pointer(2, OP_CAS, a + 64);
    pointer(1, OP_LOAD, a);
    pointer(1, OP_CAS, a);
    assert_noted(NULL);
}

/* What the first thread does alone is left out, but for a lock that it keeps; so is what is nobody else's. */
static void test_start(void **state)
{
    (void)state;
    step(0, OP_MUTEX_LOCK, 0, "a", 64, 0);
    step(0, OP_MUTEX_UNLOCK, 0, "a", 64, 0);
    step(0, OP_MUTEX_LOCK, 0, "b", 128, 0);
    step(0, OP_STORE, 0, "x", 192, 1);
    step(1, OP_MUTEX_LOCK, 0, "a", 64, 0);
    step(1, OP_MUTEX_LOCK, 0, "own", 256, 0);
    step(1, OP_LOAD, 0, "x", 192, 1);
    trace_add_wait(&trace, &(struct trace_wait){.thread = 0, .on = 2, .text = "the end of T1"});
    trace_add_wait(&trace, &(struct trace_wait){.thread = 1, .on = 1, .text = "lock b"});
    assert_shown("3 5 6 7");
    assert_int_equal(matter_find(&trace, &arena).start, 4);
}

/* Of the accesses to other memory a race shows what could have ordered its own. */
static void test_race(void **state)
{
    (void)state;
    step(1, OP_MUTEX_LOCK, 0, "m", 64, 0);
    step(1, OP_STORE, 0, "guarded", 128, 1);
    step(1, OP_MUTEX_UNLOCK, 0, "m", 64, 0);
    step(1, OP_STORE, 0, "x", 192, 1);
    step(0, OP_MUTEX_LOCK, 0, "m", 64, 0);
    step(2, OP_MUTEX_LOCK, 0, "m", 64, 0);
    step(2, OP_LOAD, 0, "guarded", 128, 1);
    step(2, OP_STORE, 0, "x", 192, 2);
    step(2, OP_MUTEX_UNLOCK, 0, "m", 64, 0);
    side(1, 4, "write of x");
    side(2, 8, "write of x");
    assert_shown("1 3 4 6 8");
}

/* Threads that have nothing to do with the one that fails, and that were joined before, are not shown. */
static void test_others(void **state)
{
    (void)state;
    trace.bug.thread = 1;
    step(2, OP_STORE, 1 + ORDER_SEQ_CST, "y", 64, 1);
    step(0, OP_LOAD, 1 + ORDER_SEQ_CST, "y", 64, 1);
    step(1, OP_RMW, 1 + ORDER_SEQ_CST, "x", 128, 1);
    step(1, OP_ASSERT, 0, NULL, 0, 0);
    assert_shown("4");
    step(2, OP_LOAD, 1 + ORDER_SEQ_CST, "x", 128, 1);
    step(1, OP_RMW, 1 + ORDER_SEQ_CST, "x", 128, 1);
    assert_shown("1 2 3 4 5 6");
}

/* A thread's result comes with its end. */
static void test_joined(void **state)
{
    (void)state;
    step(1, OP_RMW, 1 + ORDER_SEQ_CST, "x", 64, 1);
    step(2, OP_RMW, 1 + ORDER_SEQ_CST, "x", 64, 1);
    step(0, OP_THREAD_JOIN, 0, NULL, 0, 0);
    step(0, OP_ASSERT, 0, NULL, 0, 0);
    assert_shown("3 4");
    trace.steps.at[2].text = "join T2";
    assert_shown("1 2 3 4");
}

/* Nobody reads hundreds of rows: the failure itself, and the latest of the others. */
static void test_long_run(void **state)
{
    struct matter matter;

    (void)state;
    trace.bug.thread = 1;
    for (uint32_t i = 0; i < 500; i++)
        step(1 + i % 2, OP_RMW, 1 + ORDER_SEQ_CST, "x", 64, i);
    matter = matter_find(&trace, &arena);
    assert_in_range(matter.count, 10, 40);
    assert_true(matter.shown[499]);
    assert_false(matter.shown[0]);
}

/* Both accesses have their mark, their locks and their place. */
static void test_marks(void **state)
{
    const struct lanes_style style = {.width = 100, .brief = true};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)state;
    publication(1 + ORDER_RELAXED, 1 + ORDER_ACQUIRE);
    trace.bug.thread = 2;
    assert_non_null(out);
    assert_int_equal(lanes_print(&trace, &style, out), 0);
    assert_int_equal(story_print(&trace, &style, out), 0);
    fclose(out);
    assert_non_null(strstr(text, "T1 (work): write of x, holding m (step 1)\n"));
    assert_non_null(strstr(text, "T2 (work): read of x, holding m (step 5)\n"));
    assert_non_null(strstr(text, " 1 | ! store x = 1 "));
    assert_non_null(strstr(text, " | ! load x -> 1 "));
    assert_non_null(strstr(text, "   store.relaxed flag = 1 "));
    assert_non_null(strstr(text, "the 4 that matter"));
    assert_non_null(strstr(text, "what went wrong:\n  the store at a.c:3"));
    assert_null(strstr(text, "mine"));
    assert_null(strstr(text, "in words:"));
    free(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_relaxed_store),  TEST(test_relaxed_load), TEST(test_strong_orders),
        TEST(test_fence),          TEST(test_store_before), TEST(test_flushed_store),
        TEST(test_still_buffered), TEST(test_lost_signal),  TEST(test_start),
        TEST(test_race),           TEST(test_aba),          TEST(test_no_aba),
        TEST(test_others),         TEST(test_joined),       TEST(test_long_run),
        TEST(test_marks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
