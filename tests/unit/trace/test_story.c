/* A run in sentences: who read from whom, what was lost, what was still in a buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/story.h"

static struct trace trace;
static struct arena arena;

static int setup(void **state)
{
    (void)state;
    assert_int_equal(trace_open(&trace), 0);
    assert_int_equal(arena_open(&arena, (size_t)1 << 30), 0);
    trace_set_program(&trace, "a.out", NULL);
    trace_set_model(&trace, "tso", TRACE_UNBOUNDED);
    for (uint32_t i = 0; i < 3; i++)
        trace_add_thread(&trace, &(struct trace_thread){.rank = i});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trace_free(&trace);
    arena_close(&arena);
    return 0;
}

static void step(uint32_t thread, uint8_t op, const char *object, uint64_t cell, uint64_t value)
{
    trace_add_step(&trace, &(struct trace_step){.thread = thread,
                                                .is_buffer = op == OP_FLUSH,
                                                .op = op,
                                                .reads = op == OP_LOAD || op == OP_RMW,
                                                .writes = op != OP_LOAD && cell,
                                                .size = cell ? 4 : 0,
                                                .cell = cell,
                                                .value = value,
                                                .object = object});
}

/* Line `number` of the story holds `text`. */
static void assert_tells(const story_line_vec *lines, uint32_t number, const char *text)
{
    assert_true(number < lines->count);
    if (!strstr(lines->at[number].text, text))
        fail_msg("\"%s\" is not in: %s", text, lines->at[number].text);
}

static void test_lost_update(void **state)
{
    story_line_vec lines = {0};

    (void)state;
    step(1, OP_LOAD, "x", 64, 0);
    step(2, OP_LOAD, "x", 64, 0);
    step(2, OP_STORE, "x", 64, 1);
    step(1, OP_STORE, "x", 64, 1);
    step(0, OP_LOAD, "x", 64, 1);
    story_tell(&trace, &arena, &lines);
    assert_int_equal(lines.count, 4);
    assert_int_equal(lines.at[1].first, 1);
    assert_int_equal(lines.at[1].last, 2);
    assert_tells(&lines, 2,
                 "the write of T2 in step 3 is lost: this thread has last looked in step 1");
    assert_tells(&lines, 3, "written by T1 in step 4");
}

/* An increment in one operation loses nothing. */
static void test_nothing_lost(void **state)
{
    story_line_vec lines = {0};

    (void)state;
    step(1, OP_RMW, "x", 64, 0);
    step(2, OP_RMW, "x", 64, 1);
    step(1, OP_RMW, "x", 64, 2);
    story_tell(&trace, &arena, &lines);
    for (uint32_t i = 0; i < lines.count; i++)
        assert_null(strstr(lines.at[i].text, "lost"));
}

/* Who looks again before writing knows of the other's write. */
static void test_read_again(void **state)
{
    story_line_vec lines = {0};

    (void)state;
    step(1, OP_LOAD, "x", 64, 0);
    step(2, OP_STORE, "x", 64, 1);
    step(1, OP_LOAD, "x", 64, 1);
    step(1, OP_STORE, "x", 64, 2);
    story_tell(&trace, &arena, &lines);
    for (uint32_t i = 0; i < lines.count; i++)
        assert_null(strstr(lines.at[i].text, "lost"));
}

static void test_store_buffer(void **state)
{
    story_line_vec lines = {0};

    (void)state;
    step(1, OP_LOAD, "y", 128, 0); /* after its store to x */
    step(2, OP_LOAD, "x", 64, 0);
    step(1, OP_FLUSH, "x", 64, 1);
    step(1, OP_LOAD, "z", 192, 0);
    story_tell(&trace, &arena, &lines);
    assert_tells(&lines, 0, "while the own store of x was still in the store buffer, until step 3");
    assert_null(strstr(lines.at[1].text, "buffer"));
    assert_tells(&lines, 2, "its store buffer");
    assert_null(strstr(lines.at[3].text, "still"));
}

/* Of a long stretch only its ends and what matters to others are told. */
static void test_long_stretch(void **state)
{
    story_line_vec lines = {0};

    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        step(1, OP_STORE, "own", 1024 + 8 * i, i);
    step(1, OP_STORE, "shared", 64, 7);
    for (uint32_t i = 0; i < 50; i++)
        step(1, OP_STORE, "own", 1024 + 8 * i, i);
    step(2, OP_LOAD, "shared", 64, 7);
    story_tell(&trace, &arena, &lines);
    assert_int_equal(lines.count, 2);
    assert_tells(&lines, 0, "… 49 more …; ");
    assert_tells(&lines, 0, "shared");
    assert_true(strlen(lines.at[0].text) < 300);
}

static void test_nothing(void **state)
{
    story_line_vec lines = {0};

    (void)state;
    story_tell(&trace, &arena, &lines);
    assert_int_equal(lines.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lost_update, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_store_buffer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_stretch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
