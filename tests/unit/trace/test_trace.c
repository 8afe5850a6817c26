/* The trace file: what is written is read again, and whatever else a file holds is refused with a
 * place and a reason. */

#include "sample.h"

#include <inttypes.h>
#include <xxhash.h>

#include "trace/utf8.h"

static const char *sample_text =
    "raddle trace 3\n"
    "program \"./sb\"\n"
    "argument \"3\"\n"
    "argument \"a \\\"b\\\"\"\n"
    "build 000000001234abcd\n"
    "model \"tso\" buffer-bound 4\n"
    "option \"nondet_max\" \"7\"\n"
    "option \"exit_is_bug\" \"0\"\n"
    "bug \"assertion\" thread 0 at \"src/sb.c\":24:5 in \"main\"\n"
    "message \"assertion `a == 1 || b == 1` fails\"\n"
    "detail \"a is 0\"\n"
    "detail \"b is 0\"\n"
    "thread parent 0 rank 0\n"
    "thread parent 0 rank 1 name \"left\" at \"src/sb.c\":20:5 in \"main\"\n"
    "thread parent 0 rank 2 name \"right\" at \"src/sb.c\":21:5 in \"main\"\n"
    "step 0 thread_create text \"create T1\" at \"src/sb.c\":20:5 in \"main\"\n"
    "step 0 thread_create text \"create T2\" at \"src/sb.c\":21:5 in \"main\"\n"
    "step 1 store buffered size 4 value 1 object \"x\" text \"x = 1\" at \"src/sb.c\":8:7 in \"left\"\n"
    "step 1 load reads size 4 object \"y\" at \"src/sb.c\":9:9 in \"left\"\n"
    "step 2 store buffered size 4 value 1 object \"y\" text \"y = 1\" at \"src/sb.c\":13:7 in \"right\"\n"
    "step 1 flush buffer 0x0 writes size 4 value 1 object \"x\"\n"
    "step 2 load reads size 4 value 1 object \"x\" at \"src/sb.c\":14:9 in \"right\"\n"
    "step 2 flush buffer 0x0 writes size 4 value 1 object \"y\"\n"
    "step 0 thread_join text \"join T1\" at \"src/sb.c\":22:5 in \"main\"\n"
    "output \"a=0\\n\"\n"
    "output \"b=\\x00\\x1b[31m0\\n\"\n"
    "output \"\\tdone \xc3\xa9\\xff\"\n";

/* ---- helpers */

/* `body` with the last line that it needs. */
static char *sealed(const char *body, size_t length)
{
    char *text = malloc(length + 32);

    assert_non_null(text);
    memcpy(text, body, length);
    sprintf(text + length, "end %016" PRIx64 "\n", (uint64_t)XXH3_64bits(body, length));
    return text;
}

static bool read_sealed(const char *body, struct trace *trace, struct trace_error *error)
{
    char *text = sealed(body, strlen(body));
    bool ok = trace_read(text, strlen(text), trace, error);

    free(text);
    return ok;
}

static void assert_refused(const char *text, size_t length, uint32_t line, const char *why)
{
    struct trace trace;
    struct trace_error error;

    assert_false(trace_read(text, length, &trace, &error));
    assert_null(trace.arena.base);
    assert_null(trace.steps.at);
    if (!strstr(error.message, why) || error.line != line)
        fail_msg("line %u: %s; expected line %u: %s", error.line, error.message, line, why);
}

static void assert_body_refused(const char *body, uint32_t line, const char *why)
{
    char *text = sealed(body, strlen(body));

    assert_refused(text, strlen(text), line, why);
    free(text);
}

/* The sample with `from` (there once) replaced. */
static char *changed(const char *from, const char *to)
{
    const char *at = strstr(sample_text, from);
    char *text = malloc(strlen(sample_text) + strlen(to) + 1);

    assert_non_null(at);
    assert_non_null(text);
    sprintf(text, "%.*s%s%s", (int)(at - sample_text), sample_text, to, at + strlen(from));
    return text;
}

static void assert_change_refused(const char *from, const char *to, uint32_t line, const char *why)
{
    char *body = changed(from, to);

    assert_body_refused(body, line, why);
    free(body);
}

/* ---- round trips */

static void test_written_as_expected(void **state)
{
    struct trace trace;
    size_t length;
    char *text, *expected;

    (void)state;
    sample_store_buffering(&trace);
    text = sample_written(&trace, &length);
    expected = sealed(sample_text, strlen(sample_text));
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    trace_free(&trace);
}

static void test_read_back(void **state)
{
    struct trace trace;
    struct trace_error error;
    char *again;
    size_t length;

    (void)state;
    assert_true(read_sealed(sample_text, &trace, &error));
    assert_string_equal(trace.program, "./sb");
    assert_int_equal(trace.arguments.count, 2);
    assert_string_equal(trace.arguments.at[1], "a \"b\"");
    assert_int_equal(trace.build, 0x1234abcd);
    assert_int_equal(trace.buffer_bound, 4);
    assert_string_equal(trace_option(&trace, "nondet_max"), "7");
    assert_null(trace_option(&trace, "other"));
    assert_int_equal(trace.bug.details.count, 2);
    assert_int_equal(trace.bug.site.line, 24);
    assert_string_equal(trace.threads.at[2].name, "right");
    assert_int_equal(trace.steps.count, 9);
    assert_int_equal(trace.steps.at[5].op, OP_FLUSH);
    assert_true(trace.steps.at[5].is_buffer && trace.steps.at[5].writes);
    assert_true(trace.steps.at[2].buffered);
    assert_int_equal(trace.output.count, 23);
    assert_memory_equal(trace.output.at, "a=0\nb=\0\x1b[31m0\n\tdone \xc3\xa9\xff", 23);
    again = sample_written(&trace, &length);
    assert_memory_equal(again, sample_text, strlen(sample_text));
    free(again);
    trace_free(&trace);
}

/* Extreme numbers, every operation, strings with everything in them. */
static void test_extremes_come_back(void **state)
{
    struct trace trace, again;
    struct trace_error error;
    char every[256], *first, *second;
    size_t length, length2;

    (void)state;
    for (int i = 0; i < 255; i++)
        every[i] = (char)(i + 1);
    every[255] = '\0';
    sample_open(&trace, every, "");
    trace.build = UINT64_MAX;
    sample_thread(&trace, 0, every, 0);
    trace_set_bug(&trace, "", every, "\n\nx", 0, &(struct trace_site){NULL, every, 3, 4});
    for (unsigned op = 0; op < OP_KIND_COUNT; op++)
        trace_add_step(&trace, &(struct trace_step){.op = (uint8_t)op,
                                                    .is_buffer = op & 1,
                                                    .addr = UINT64_MAX,
                                                    .outcome = OUTCOME_LOST,
                                                    .size = 255,
                                                    .value = UINT64_MAX,
                                                    .object = "",
                                                    .text = every,
                                                    .site = {every, "", UINT32_MAX, UINT32_MAX}});
    first = sample_written(&trace, &length);
    if (!trace_read(first, length, &again, &error))
        fail_msg("line %u: %s", error.line, error.message);
    assert_string_equal(again.steps.at[3].text, every);
    assert_int_equal(again.steps.at[3].addr, UINT64_MAX);
    assert_int_equal(again.steps.at[3].outcome, OUTCOME_LOST);
    for (unsigned op = 0; op < OP_KIND_COUNT; op++)
        assert_int_equal(again.steps.at[op].op, op);
    assert_int_equal(again.bug.details.count, 3);
    second = sample_written(&again, &length2);
    assert_int_equal(length, length2);
    assert_memory_equal(first, second, length);
    free(first);
    free(second);
    trace_free(&trace);
    trace_free(&again);
}

static void test_options_are_replaced(void **state)
{
    struct trace trace;

    (void)state;
    sample_open(&trace, "p", "sc");
    trace_set_option(&trace, "a", "1");
    trace_set_option(&trace, "a", "2");
    assert_int_equal(trace.options.count, 1);
    assert_string_equal(trace_option(&trace, "a"), "2");
    trace_free(&trace);
}

/* ---- damage */

static void test_cut_anywhere(void **state)
{
    char *text = sealed(sample_text, strlen(sample_text));
    size_t length = strlen(text);
    uint32_t line = 1;

    (void)state;
    assert_refused(text, 0, 1, "empty");
    for (size_t i = 1; i < length; i++) {
        if (i < 14)
            assert_refused(text, i, 1, i < 13 ? "not a raddle trace" : "a number is missing");
        else
            assert_refused(text, i, line, "cut short");
        line += i >= 1 && text[i - 1] == '\n';
    }
    free(text);
}

static void test_cut_lines_after_repair(void **state)
{
    (void)state;
    /* whole lines gone, but with a right checksum: only what is needed is missed */
    assert_body_refused("raddle trace 3\n", 2, "'program' is missing");
    assert_body_refused("raddle trace 3\nprogram \"a\"\n", 3, "'build' is missing");
    assert_body_refused("raddle trace 3\nprogram \"a\"\nbuild 0\nmodel \"sc\"\n"
                        "bug \"x\" thread 0\nmessage \"\"\n",
                        7, "'thread' is missing");
}

static void test_flipped_bytes(void **state)
{
    char *text = sealed(sample_text, strlen(sample_text));
    size_t length = strlen(text);

    (void)state;
    for (size_t i = 0; i < length; i++)
        for (int bit = 0; bit < 8; bit++) {
            struct trace trace;
            struct trace_error error;

            text[i] = (char)(text[i] ^ (1 << bit));
            assert_false(trace_read(text, length, &trace, &error));
            assert_true(error.line > 0 && error.message[0]);
            text[i] = (char)(text[i] ^ (1 << bit));
        }
    text[strlen("raddle trace 3\nprogram \"./")] = 'X';
    assert_refused(text, length, 28, "the file is damaged: its checksum does not match");
    text[strlen("raddle trace 3\np")] = 'X';
    assert_refused(text, length, 2, "the file is damaged: this line is unknown");
    free(text);
}

static void test_versions(void **state)
{
    (void)state;
    assert_refused("raddle trace 4\nsomething", 24, 1,
                   "version 4 of the format, but this raddle reads version 3: take a newer");
    assert_refused("raddle trace 2\nsomething", 24, 1,
                   "version 2 of the format, but this raddle reads version 3: let raddle check");
    assert_refused("raddle trace 0\n", 15, 1, "not a version");
    assert_refused("raddle trace 3x\n", 16, 1, "not a version");
    assert_refused("raddle trace 99999999999999999999\n", 34, 1, "larger than");
    assert_refused("\x7f"
                   "ELF\n",
                   5, 1, "not a raddle trace");
}

/* ---- hostile content with a right checksum */

static void test_hostile_numbers(void **state)
{
    (void)state;
    assert_change_refused("thread 0 at", "thread 3 at", 9, "there is no thread 3");
    assert_change_refused("thread 0 at", "thread 4294967296 at", 9, "larger than 4294967295");
    assert_change_refused("step 0 thread_join", "step 3 thread_join", 24, "there is no thread 3");
    assert_change_refused("step 0 thread_join", "step 18446744073709551617 thread_join", 24,
                          "larger than");
    assert_change_refused("parent 0 rank 1", "parent 1 rank 1", 14, "parent that comes after");
    assert_change_refused("parent 0 rank 0", "parent 1 rank 0", 13, "parent that comes after");
    assert_change_refused("size 4 value 1 object \"x\" text", "size 256 object \"x\" text", 18,
                          "larger than 255");
    assert_change_refused("step 0 thread_join", "step 0 cond_signal outcome 3", 24,
                          "wakes thread 3");
    assert_change_refused("0x0 writes", "0x10000000000000000 writes", 21, "larger than");
    assert_change_refused("step 0 thread_join", "step 0 thread_joint", 24,
                          "does not know: 'thread_joint");
    assert_change_refused("step 0 thread_join", "step -1 thread_join", 24,
                          "a number is missing before '-1");
    assert_change_refused("build 000000001234abcd", "build", 5, "a number is missing at the end");
}

static void test_hostile_text(void **state)
{
    (void)state;
    assert_change_refused("\"./sb\"", "\"./sb", 2, "no closing quote");
    assert_change_refused("\"./sb\"", "\"./sb\\", 2, "backslash");
    assert_change_refused("\"./sb\"", "\"\\x0\"", 2, "backslash");
    assert_change_refused("\"./sb\"", "\"\\x00\"", 2, "zero byte");
    assert_change_refused("\"./sb\"", "\"\x1b[31m\"", 2, "control character");
    assert_change_refused("\"./sb\"", "\"\xc0\x80\"", 2, "not UTF-8");
    assert_change_refused("\"./sb\"", "./sb", 2, "a string in quotes is missing");
    assert_change_refused("\"./sb\"", "\"./sb\" x", 2, "the line goes on with ' x'");
    assert_change_refused("program \"./sb\"\n", "program \"a\"\nprogram \"b\"\n", 3,
                          "a second line");
    assert_change_refused("option \"exit_is_bug\"", "option \"nondet_max\"", 8, "twice");
    assert_change_refused("detail \"b is 0\"\n", "program \"b\"\n", 12, "in the wrong place");
    assert_change_refused("detail \"b is 0\"\n", "\n", 12, "unknown");
    assert_change_refused("detail \"b is 0\"\n", "end 0123456789abcdef\n", 12,
                          "'thread' is missing");
    assert_change_refused("step 0 thread_join", "end 0123456789abcdef\nstep 0 thread_join", 24,
                          "not the last");
}

/* ---- what reports need: stacks, values, who waits, source */

static const char *full_text = "raddle trace 3\n"
                               "program \"p\"\n"
                               "build 0000000000000000\n"
                               "model \"sc\"\n"
                               "bug \"deadlock\" thread 1 at \"a.c\":3:1 in \"f\" stack 2\n"
                               "message \"m\"\n"
                               "thread parent 0 rank 0\n"
                               "thread parent 0 rank 1\n"
                               "file \"a.c\"\n"
                               "file \"b.c\"\n"
                               "source 0 2 \"int x;\"\n"
                               "source 0 3 \"\\tlock(&m); // </script>\"\n"
                               "source 1 1 \"\"\n"
                               "frame at \"b.c\":1:0 in \"main\"\n"
                               "frame up 1 in \"g\"\n"
                               "variable \"m\" kind \"mutex\" cell 0xff\n"
                               "variable \"buffer\" kind \"buffer\"\n"
                               "step 1 load plain reads size 4 cell 0x10 object \"x\" stack 2\n"
                               "step 1 cas order acq_rel failed reads size 4 value 2\n"
                               "step 1 store order release plain buffered writes size 4\n"
                               "value 0 0 \"free\"\n"
                               "value 1 0 \"held by T1\"\n"
                               "value 1 1 \"\"\n"
                               "wait 0 on 1 text \"join\"\n"
                               "wait 1 text \"lock m\" at \"a.c\":3:1 stack 1\n"
                               "side 0 what \"write of x\" lock \"m\" lock \"n\"\n"
                               "side 1 step 1 what \"read of x\" at \"a.c\":3:1 stack 2\n";

static void test_full_comes_back(void **state)
{
    struct trace trace;
    struct trace_error error;
    char *again;
    size_t length;

    (void)state;
    if (!read_sealed(full_text, &trace, &error))
        fail_msg("line %u: %s", error.line, error.message);
    again = sample_written(&trace, &length);
    assert_memory_equal(again, full_text, strlen(full_text));
    assert_string_equal(trace_line(&trace, "a.c", 3), "\tlock(&m); // </script>");
    assert_string_equal(trace_line(&trace, "b.c", 1), "");
    assert_null(trace_line(&trace, "a.c", 1));
    assert_null(trace_line(&trace, "c.c", 1));
    assert_true(trace.steps.at[0].plain);
    assert_int_equal(trace.waits.at[0].on, 2);
    assert_int_equal(trace.waits.at[1].on, 0);
    assert_int_equal(trace.frames.at[1].up, 1);
    assert_int_equal(trace.steps.at[0].order, 0);
    assert_int_equal(trace.steps.at[1].order, 1 + ORDER_ACQ_REL);
    assert_true(trace.steps.at[1].failed);
    assert_true(trace.steps.at[2].buffered);
    assert_int_equal(trace.sides.count, 2);
    assert_int_equal(trace.sides.at[0].locks.count, 2);
    assert_string_equal(trace.sides.at[0].locks.at[1], "n");
    assert_int_equal(trace.sides.at[1].step, 1);
    free(again);
    trace_free(&trace);
}

static void test_hostile_references(void **state)
{
    static const struct {
        const char *from, *to;
        uint32_t line;
        const char *why;
    } changes[] = {
        {"in \"f\" stack 2", "in \"f\" stack 3", 5, "there is no frame 3"},
        {"source 1 1", "source 2 1", 13, "there is no file 2"},
        {"source 1 1", "source 0 3", 13, "not in order"},
        {"frame up 1", "frame up 2", 15, "a caller that comes after"},
        {"\"x\" stack 2", "\"x\" stack 9", 18, "there is no frame 9"},
        {"order acq_rel", "order both", 19, "no memory order"},
        {"value 1 1", "value 4 1", 23, "there is no step 4"},
        {"value 1 1", "value 1 2", 23, "there is no variable 2"},
        {"value 0 0 \"free\"\nvalue 1 0", "value 1 0 \"free\"\nvalue 0 0", 22, "order of steps"},
        {"wait 0 on 1", "wait 0 on 2", 24, "there is no thread 2"},
        {"wait 0 on 1", "wait 0 on 4294967295", 24, "there is no thread"},
        {"wait 1 text", "wait 2 text", 25, "there is no thread 2"},
        {"3:1 stack 1", "3:1 stack 7", 25, "there is no frame 7"},
        {"side 0 what", "side 2 what", 26, "there is no thread 2"},
        {"side 0 what \"write of x\"", "side 0", 26, "what it does is missing"},
        {"side 1 step 1", "side 1 step 4", 27, "there is no step 4"},
        {"3:1 stack 2", "3:1 stack 3", 27, "there is no frame 3"},
        {"side 0 what", "side 0 what \"a\"\nside 0 what \"b\"\nside 0 what", 28, "two sides"},
    };
    const char *saved = sample_text;

    (void)state;
    sample_text = full_text;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_change_refused(changes[i].from, changes[i].to, changes[i].line, changes[i].why);
    sample_text = saved;
}

static void test_many_options(void **state)
{
    char *body = malloc(100000);
    size_t used = (size_t)sprintf(body, "raddle trace 3\nprogram \"\"\nbuild 0\nmodel \"\"\n");

    (void)state;
    for (int i = 0; i < 1000; i++)
        used += (size_t)sprintf(body + used, "option \"%d\" \"\"\n", i);
    assert_body_refused(body, 4 + 65, "more than 64 options");
    free(body);
}

static void test_error_format(void **state)
{
    struct trace_error error = {"what", 7};
    char line[32];

    (void)state;
    assert_string_equal(trace_error_format(&error, "f", line, sizeof line), "f:7: what");
    error.line = 0;
    assert_string_equal(trace_error_format(&error, "f", line, sizeof line), "f: what");
    assert_string_equal(trace_error_format(&error, "long", line, 5), "long");
}

static void test_utf8(void **state)
{
    static const char *const bad[] = {"\x80",         "\xc3",         "\xc0\xaf",
                                      "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xff",         "\xe2\x82"};
    static const char *const face = "\xf0\x9f\x98\x80";
    uint32_t character;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(utf8_decode(bad[i], bad[i] + strlen(bad[i]), &character), 0);
    assert_int_equal(utf8_decode(face, face + strlen(face), &character), 4);
    assert_false(utf8_is_shown(0x1b));
    assert_false(utf8_is_shown(0x9b));
    assert_false(utf8_is_shown(0x202e));
    assert_int_equal(utf8_columns(0x1f600), 2);
    assert_int_equal(utf8_columns(0x301), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_as_expected),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_extremes_come_back),
        cmocka_unit_test(test_options_are_replaced),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_cut_lines_after_repair),
        cmocka_unit_test(test_flipped_bytes),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_hostile_numbers),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_full_comes_back),
        cmocka_unit_test(test_hostile_references),
        cmocka_unit_test(test_many_options),
        cmocka_unit_test(test_error_format),
        cmocka_unit_test(test_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
