/* What the reports are made of: conflicts, text that must be UTF-8, and results out of traces. */

#include "sample.h"

#include "trace/conflicts.h"
#include "trace/report.h"
#include "trace/utf8.h"

static void access_add(struct trace *trace, uint32_t thread, uint64_t cell, uint8_t size,
                       const char *how)
{
    trace_add_step(trace, &(struct trace_step){.thread = thread,
                                               .op = strchr(how, 'w') ? OP_STORE : OP_LOAD,
                                               .reads = strchr(how, 'r') != NULL,
                                               .writes = strchr(how, 'w') != NULL,
                                               .is_buffer = strchr(how, 'f') != NULL,
                                               .buffered = strchr(how, 'b') != NULL,
                                               .size = size,
                                               .cell = cell});
}

static void sample_accesses(struct trace *trace)
{
    sample_open(trace, "p", "sc");
    for (uint32_t i = 0; i < 3; i++)
        sample_thread(trace, 0, NULL, 0);
    trace_set_bug(trace, "crash", "m", NULL, 0, &(struct trace_site){0});
}

static void assert_conflicts(const struct trace *trace, const struct trace_conflict *expected,
                             uint32_t count)
{
    struct arena arena;
    conflict_vec found = {0};

    assert_int_equal(arena_open(&arena, (size_t)1 << 30), 0);
    conflicts_find(trace, &arena, &found);
    assert_int_equal(found.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(found.at[i].first, expected[i].first);
        assert_int_equal(found.at[i].second, expected[i].second);
    }
    arena_close(&arena);
}

static void test_conflicts(void **state)
{
    static const struct trace_conflict expected[] = {{0, 2}, {0, 3}, {1, 3}, {2, 3}};
    struct trace trace;

    (void)state;
    sample_accesses(&trace);
    access_add(&trace, 0, 0x1000, 4, "w");
    access_add(&trace, 0, 0x1000, 4, "r"); /* its own write is no conflict */
    access_add(&trace, 1, 0x1000, 4, "r");
    access_add(&trace, 2, 0x1000, 4, "w");
    access_add(&trace, 2, 0x1004, 4, "w"); /* beside it */
    access_add(&trace, 2, 0, 4, "w");      /* no address */
    assert_conflicts(&trace, expected, 4);
    trace_free(&trace);
}

static void test_conflicts_overlap(void **state)
{
    static const struct trace_conflict expected[] = {{0, 1}, {0, 2}};
    struct trace trace;

    (void)state;
    sample_accesses(&trace);
    access_add(&trace, 0, 0x1006, 4, "w"); /* in two granules */
    access_add(&trace, 1, 0x1008, 1, "r");
    access_add(&trace, 2, 0x1007, 1, "r");
    access_add(&trace, 2, 0x1005, 1, "r");
    assert_conflicts(&trace, expected, 2);
    trace_free(&trace);
}

/* A buffered store conflicts when it is flushed. */
static void test_conflicts_buffers(void **state)
{
    static const struct trace_conflict expected[] = {{1, 2}, {2, 3}};
    struct trace trace;

    (void)state;
    sample_accesses(&trace);
    access_add(&trace, 0, 0x1000, 4, "bw");
    access_add(&trace, 1, 0x1000, 4, "r");
    access_add(&trace, 0, 0x1000, 4, "fw");
    access_add(&trace, 1, 0x1000, 4, "r");
    assert_conflicts(&trace, expected, 2);
    trace_free(&trace);
}

static void test_repair(void **state)
{
    static const struct {
        const char *text, *with, *without;
    } cases[] = {
        {"plain \xc3\xa9", "plain \xc3\xa9", "plain \xc3\xa9"},
        {"\xff", "\xef\xbf\xbd", "\xef\xbf\xbd"},
        {"a\x01\n\t", "a\x01\n\t", "a\xef\xbf\xbd\n\t"},
        {"\xef\xbf\xbe", "\xef\xbf\xbe", "\xef\xbf\xbd"}, /* U+FFFE is no character of XML */
        {"", "", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int controls = 0; controls < 2; controls++) {
            size_t length = strlen(cases[i].text);
            char *clean = utf8_repair(cases[i].text, &length, controls);

            assert_string_equal(clean, controls ? cases[i].with : cases[i].without);
            assert_int_equal(length, strlen(clean));
            free(clean);
        }
}

/* Every format takes every trace, and none leaves a way out of the script element. */
static void test_every_format(void **state)
{
    struct trace trace;

    (void)state;
    sample_store_buffering(&trace);
    trace_add_file(&trace, "</script>");
    trace_add_line(&trace, 0, 1, "</script><!--", 13);
    for (int i = 0; i < REPORT_COUNT; i++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);

        assert_true(reports[i]->write_trace(&trace, &(struct report_options){0}, out));
        fclose(out);
        assert_true(length > 100 && strlen(text) == length);
        if (reports[i] == &report_html) {
            const char *data = strstr(text, "id=\"trace\">"), *end = strstr(data, "</script>");

            assert_null(memchr(data + 1, '<', (size_t)(end - data - 1)));
            assert_null(strstr(text, "@DATA@"));
        }
        free(text);
    }
    trace_free(&trace);
}

static void test_result_of_trace(void **state)
{
    struct trace trace;
    struct result result;
    struct result_bug bug;

    (void)state;
    sample_store_buffering(&trace);
    result_of_trace(&trace, &result, &bug);
    assert_string_equal(result.verdict, "bug");
    assert_int_equal(result.bugs.count, 1);
    assert_int_equal(bug.line, 24);
    assert_ptr_equal(bug.run, &trace);
    assert_null(result.reduction);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conflicts),         cmocka_unit_test(test_conflicts_overlap),
        cmocka_unit_test(test_conflicts_buffers), cmocka_unit_test(test_repair),
        cmocka_unit_test(test_every_format),      cmocka_unit_test(test_result_of_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
