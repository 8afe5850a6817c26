/* How traces look, to the letter. After a wanted change, RADDLE_PRINT=1 prints all of them to copy
 * from. */

#include "sample.h"

#include "trace/lanes.h"
#include "trace/words.h"

/* ---- helpers */

typedef int print_function(const struct trace *, const struct lanes_style *, FILE *);

static char *printed(const struct trace *trace, struct lanes_style style, print_function *print)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    assert_int_equal(print(trace, &style, stream), 0);
    fclose(stream);
    return text;
}

static void assert_printed(const struct trace *trace, struct lanes_style style,
                           print_function *print, const char *expected)
{
    char *text = printed(trace, style, print);

    if (getenv("RADDLE_PRINT"))
        printf("%s\n", text);
    else
        assert_string_equal(text, expected);
    free(text);
}

/* Columns of a line in which every character is one wide. */
static size_t columns_of(const char *line, size_t length)
{
    size_t columns = 0;

    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)line[i] & 0xc0) != 0x80;
    return columns;
}

/* No line too long, none ends with a space, no control characters, only ASCII if so asked. */
static void assert_clean(const char *text, struct lanes_style style)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        assert_true(columns_of(text, length) <= style.width);
        assert_true(length == 0 || text[length - 1] != ' ');
        for (size_t i = 0; i < length; i++) {
            assert_true((unsigned char)text[i] >= ' ' && text[i] != 0x7f);
            assert_true(style.unicode || (unsigned char)text[i] < 0x80);
        }
        text += length + (text[length] == '\n');
    }
}

/* A deadlock of two threads on two mutexes. */
static void sample_deadlock(struct trace *trace)
{
    static const struct {
        uint32_t thread, line;
        uint8_t op;
        const char *object;
    } steps[] = {
        {0, 20, OP_THREAD_CREATE, "T1"},
        {0, 21, OP_THREAD_CREATE, "T2"},
        {1, 8, OP_MUTEX_LOCK, "first"},
        {2, 14, OP_MUTEX_LOCK, "second"},
    };

    sample_open(trace, "./bank", "sc");
    sample_thread(trace, 0, NULL, 0);
    sample_thread(trace, 0, "transfer_from_the_left_account", 20);
    sample_thread(trace, 0, "transfer_from_the_right_account", 21);
    trace_set_bug(
        trace, "deadlock", "no thread can go on",
        "T0 waits for T1 (join)\nT1 waits for second, held by T2\nT2 waits for first, held by T1",
        1, &(struct trace_site){"src/accounts/transfer_of_money.c", NULL, 9, 0});
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        trace_add_step(trace, &(struct trace_step){.thread = steps[i].thread,
                                                   .op = steps[i].op,
                                                   .object = steps[i].object,
                                                   .site = {"src/accounts/transfer_of_money.c",
                                                            NULL, steps[i].line, 1}});
}

/* The same with what a replay notes: who waits, stacks, source; and a plain access. */
static void sample_stuck(struct trace *trace)
{
    static const char *const lines[] = {"static void move(struct account *a)", "{",
                                        "\tpthread_mutex_lock(&a->lock);", "}"};
    uint32_t frame;

    sample_open(trace, "./bank", "sc");
    for (uint32_t i = 0; i < 3; i++)
        sample_thread(trace, 0, i ? "move" : NULL, i ? 19 + i : 0);
    frame = trace_add_frame(trace, &(struct trace_frame){.site = {"bank.c", "worker", 30, 1}});
    trace_set_bug(trace, "deadlock", "no thread can go on", "told thread by thread instead", 1,
                  &(struct trace_site){"bank.c", "move", 9, 0});
    trace->bug.stack = frame;
    trace_add_file(trace, "bank.c");
    for (uint32_t i = 0; i < 4; i++)
        trace_add_line(trace, 0, 7 + i, lines[i], strlen(lines[i]));
    trace_add_step(trace, &(struct trace_step){.thread = 1,
                                               .op = OP_MUTEX_LOCK,
                                               .object = "left",
                                               .site = {"bank.c", "move", 8, 1}});
    trace_add_step(trace, &(struct trace_step){.thread = 1,
                                               .op = OP_LOAD,
                                               .plain = true,
                                               .reads = true,
                                               .size = 4,
                                               .value = 5,
                                               .object = "sum",
                                               .site = {"bank.c", "move", 8, 1}});
    trace_add_step(trace, &(struct trace_step){.thread = 2,
                                               .op = OP_MUTEX_LOCK,
                                               .object = "right",
                                               .site = {"bank.c", "move", 8, 1}});
    trace_add_wait(trace,
                   &(struct trace_wait){.thread = 0, .on = 2, .text = "the end of T1 (move)"});
    trace_add_wait(trace, &(struct trace_wait){.thread = 1,
                                               .on = 3,
                                               .text = "lock right, held by T2 (move)",
                                               .site = {"bank.c", "move", 9, 1},
                                               .stack = frame});
    trace_add_wait(trace, &(struct trace_wait){.thread = 2,
                                               .on = 2,
                                               .text = "lock left, held by T1 (move)",
                                               .site = {"bank.c", "move", 9, 1},
                                               .stack = frame});
}

/* Twelve threads: too many for lanes. */
static void sample_many(struct trace *trace)
{
    sample_open(trace, "./pool", "sc");
    sample_thread(trace, 0, NULL, 0);
    for (uint32_t i = 1; i < 12; i++)
        sample_thread(trace, 0, "worker", 30);
    trace_set_bug(trace, "data-race", "two threads write counter", NULL, 11,
                  &(struct trace_site){"pool.c", "worker", 12, 3});
    for (uint32_t i = 0; i < 12; i++)
        trace_add_step(trace, &(struct trace_step){.thread = i,
                                                   .op = OP_RMW,
                                                   .reads = true,
                                                   .writes = true,
                                                   .size = 8,
                                                   .value = i % 2 ? (uint64_t)-1 : 0x7ffff7a01000,
                                                   .text = "fetch_add counter",
                                                   .site = {"pool.c", "worker", 12, 3}});
}

/* ---- goldens */

static void test_store_buffering_100(void **state)
{
    struct trace trace;

    (void)state;
    sample_store_buffering(&trace);
    assert_printed(
        &trace, (struct lanes_style){100, true, false, false}, lanes_print,
        "assertion: assertion `a == 1 || b == 1` fails\n"
        "  in T0 (main) at src/sb.c:24 in main\n"
        "  a is 0\n"
        "  b is 0\n"
        "\n"
        "program: ./sb 3 a \"b\"\n"
        "model:   tso, buffers of 4\n"
        "run:     9 steps, 3 threads, 3 context switches\n"
        "  T1 (left) was created by T0 at src/sb.c:20\n"
        "  T2 (right) was created by T0 at src/sb.c:21\n"
        "\n"
        "▸ another thread goes on   ~ a store leaves its buffer (#n: the store of step n)\n"
        "\n"
        "   │ T0 (main)   │ T1 (left)          │ T2 (right)         │\n"
        "───┼─────────────┼────────────────────┼────────────────────┼────────\n"
        " 1 │   create T1 │                    │                    │ sb.c:20\n"
        " 2 │   create T2 │                    │                    │ sb.c:21\n"
        " 3 │             │ ▸ x = 1 (buffered) │                    │ sb.c:8\n"
        " 4 │             │   load y -> 0      │                    │ sb.c:9\n"
        " 5 │             │                    │ ▸ y = 1 (buffered) │ sb.c:13\n"
        " 6 │             │ ~ #3: x = 1        │                    │\n"
        " 7 │             │                    │   load x -> 1      │ sb.c:14\n"
        " 8 │             │                    │ ~ #5: y = 1        │\n"
        " 9 │ ▸ join T1   │                    │                    │ sb.c:22\n"
        "   │ ✗ assertion │                    │                    │ sb.c:24\n"
        "\n"
        "output of the program:\n"
        "  a=0\n"
        "  b=??[31m0\n"
        "   done é?\n");
    trace_free(&trace);
}

static void test_store_buffering_60(void **state)
{
    struct trace trace;

    (void)state;
    sample_store_buffering(&trace);
    assert_printed(&trace, (struct lanes_style){60, false, false, false}, lanes_print,
                   "assertion: assertion `a == 1 || b == 1` fails\n"
                   "  in T0 (main) at src/sb.c:24 in main\n"
                   "  a is 0\n"
                   "  b is 0\n"
                   "\n"
                   "program: ./sb 3 a \"b\"\n"
                   "model:   tso, buffers of 4\n"
                   "run:     9 steps, 3 threads, 3 context switches\n"
                   "  T1 (left) was created by T0 at src/sb.c:20\n"
                   "  T2 (right) was created by T0 at src/sb.c:21\n"
                   "\n"
                   "> another thread goes on   ~ a store leaves its buffer (#n:\n"
                   "the store of step n)\n"
                   "\n"
                   "   | T0 (main)   | T1 (left)      | T2 (right)     |\n"
                   "---+-------------+----------------+----------------+--------\n"
                   " 1 |   create T1 |                |                | sb.c:20\n"
                   " 2 |   create T2 |                |                | sb.c:21\n"
                   " 3 |             | > x = 1        |                | sb.c:8\n"
                   "   |             |     (buffered) |                |\n"
                   " 4 |             |   load y -> 0  |                | sb.c:9\n"
                   " 5 |             |                | > y = 1        | sb.c:13\n"
                   "   |             |                |     (buffered) |\n"
                   " 6 |             | ~ #3: x = 1    |                |\n"
                   " 7 |             |                |   load x -> 1  | sb.c:14\n"
                   " 8 |             |                | ~ #5: y = 1    |\n"
                   " 9 | > join T1   |                |                | sb.c:22\n"
                   "   | ! assertion |                |                | sb.c:24\n"
                   "\n"
                   "output of the program:\n"
                   "  a=0\n"
                   "  b=??[31m0\n"
                   "   done ??\n");
    trace_free(&trace);
}

static void test_deadlock_60(void **state)
{
    struct trace trace;

    (void)state;
    sample_deadlock(&trace);
    assert_printed(&trace, (struct lanes_style){60, true, false, false}, lanes_print,
                   "deadlock: no thread can go on\n"
                   "  in T1 (transfer_from_the_left_account) at\n"
                   "  src/accounts/transfer_of_money.c:9\n"
                   "  T0 waits for T1 (join)\n"
                   "  T1 waits for second, held by T2\n"
                   "  T2 waits for first, held by T1\n"
                   "\n"
                   "program: ./bank\n"
                   "model:   sc\n"
                   "run:     4 steps, 3 threads, 2 context switches\n"
                   "  T1 (transfer_from_the_left_account) was created by T0 at\n"
                   "  src/sb.c:20\n"
                   "  T2 (transfer_from_the_right_account) was created by T0 at\n"
                   "  src/sb.c:21\n"
                   "\n"
                   "▸ another thread goes on\n"
                   "\n"
                   " 1   T0 create T1                            …_of_money.c:20\n"
                   " 2   T0 create T2                            …_of_money.c:21\n"
                   " 3 ▸ T1  lock first                          …r_of_money.c:8\n"
                   " 4 ▸ T2   lock second                        …_of_money.c:14\n"
                   "   ✗ T1  deadlock                            …r_of_money.c:9\n");
    trace_free(&trace);
}

static void test_deadlock_100(void **state)
{
    struct trace trace;

    (void)state;
    sample_deadlock(&trace);
    assert_printed(
        &trace, (struct lanes_style){100, false, false, false}, lanes_print,
        "deadlock: no thread can go on\n"
        "  in T1 (transfer_from_the_left_account) at src/accounts/transfer_of_money.c:9\n"
        "  T0 waits for T1 (join)\n"
        "  T1 waits for second, held by T2\n"
        "  T2 waits for first, held by T1\n"
        "\n"
        "program: ./bank\n"
        "model:   sc\n"
        "run:     4 steps, 3 threads, 2 context switches\n"
        "  T1 (transfer_from_the_left_account) was created by T0 at src/sb.c:20\n"
        "  T2 (transfer_from_the_right_account) was created by T0 at src/sb.c:21\n"
        "\n"
        "> another thread goes on\n"
        "\n"
        "   | T0 (main)   | T1 (transfer_from_the_l... | T2 (transfer_from_the_ri... |\n"
        "---+-------------+----------------------------+-----------------------------+-----------------------\n"
        " 1 |   create T1 |                            |                             | transfer_of_money.c:20\n"
        " 2 |   create T2 |                            |                             | transfer_of_money.c:21\n"
        " 3 |             | > lock first               |                             | transfer_of_money.c:8\n"
        " 4 |             |                            | > lock second               | transfer_of_money.c:14\n"
        "   |             | ! deadlock                 |                             | transfer_of_money.c:9\n");
    trace_free(&trace);
}

static void test_many_folded(void **state)
{
    struct trace trace;

    (void)state;
    sample_many(&trace);
    assert_printed(
        &trace, (struct lanes_style){80, true, false, false}, lanes_print,
        "data-race: two threads write counter\n"
        "  in T11 (worker) at pool.c:12 in worker\n"
        "\n"
        "program: ./pool\n"
        "model:   sc\n"
        "run:     12 steps, 12 threads, 11 context switches\n"
        "  T1 (worker) was created by T0 at src/sb.c:30\n"
        "  T2 (worker) was created by T0 at src/sb.c:30\n"
        "  T3 (worker) was created by T0 at src/sb.c:30\n"
        "  T4 (worker) was created by T0 at src/sb.c:30\n"
        "  T5 (worker) was created by T0 at src/sb.c:30\n"
        "  T6 (worker) was created by T0 at src/sb.c:30\n"
        "  T7 (worker) was created by T0 at src/sb.c:30\n"
        "  T8 (worker) was created by T0 at src/sb.c:30\n"
        "  T9 (worker) was created by T0 at src/sb.c:30\n"
        "  T10 (worker) was created by T0 at src/sb.c:30\n"
        "  T11 (worker) was created by T0 at src/sb.c:30\n"
        "\n"
        "▸ another thread goes on\n"
        "\n"
        " 1   T0  fetch_add counter -> 0x7ffff7a01000                           pool.c:12\n"
        " 2 ▸ T1   fetch_add counter -> -1                                      pool.c:12\n"
        " 3 ▸ T2    fetch_add counter -> 0x7ffff7a01000                         pool.c:12\n"
        " 4 ▸ T3     fetch_add counter -> -1                                    pool.c:12\n"
        " 5 ▸ T4      fetch_add counter -> 0x7ffff7a01000                       pool.c:12\n"
        " 6 ▸ T5       fetch_add counter -> -1                                  pool.c:12\n"
        " 7 ▸ T6        fetch_add counter -> 0x7ffff7a01000                     pool.c:12\n"
        " 8 ▸ T7         fetch_add counter -> -1                                pool.c:12\n"
        " 9 ▸ T8          fetch_add counter -> 0x7ffff7a01000                   pool.c:12\n"
        "10 ▸ T9           fetch_add counter -> -1                              pool.c:12\n"
        "11 ▸ T10           fetch_add counter -> 0x7ffff7a01000                 pool.c:12\n"
        "12 ▸ T11            fetch_add counter -> -1                            pool.c:12\n"
        "   ✗ T11            data-race                                          pool.c:12\n");
    trace_free(&trace);
}

static void test_list(void **state)
{
    struct trace trace;

    (void)state;
    sample_store_buffering(&trace);
    assert_printed(&trace, (struct lanes_style){0}, lanes_print_list,
                   " 1  T0 (main) src/sb.c:20  create T1\n"
                   " 2  T0 (main) src/sb.c:21  create T2\n"
                   " 3  T1 (left) src/sb.c:8  x = 1 (buffered)\n"
                   " 4  T1 (left) src/sb.c:9  load y -> 0\n"
                   " 5  T2 (right) src/sb.c:13  y = 1 (buffered)\n"
                   " 6  T1 (left)  flush #3: x = 1\n"
                   " 7  T2 (right) src/sb.c:14  load x -> 1\n"
                   " 8  T2 (right)  flush #5: y = 1\n"
                   " 9  T0 (main) src/sb.c:22  join T1\n");
    trace_free(&trace);
}

/* ---- promises */

static void test_every_width_is_kept(void **state)
{
    static void (*const samples[])(struct trace *) = {sample_store_buffering, sample_deadlock,
                                                      sample_many};
    struct trace trace;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        samples[i](&trace);
        for (uint32_t width = 40; width < 200; width++)
            for (int unicode = 0; unicode < 2; unicode++) {
                struct lanes_style style = {width, unicode, false, false};
                char *text = printed(&trace, style, lanes_print);

                assert_clean(text, style);
                free(text);
            }
        trace_free(&trace);
    }
}

/* Whatever the program calls its things, the terminal is safe. */
static void test_hostile_names(void **state)
{
    char every[256], *text;
    struct trace trace;
    struct trace_site site = {every, every, 1, 1};

    (void)state;
    for (int i = 0; i < 255; i++)
        every[i] = (char)(i + 1);
    every[255] = '\0';
    sample_open(&trace, every, every);
    sample_thread(&trace, 0, every, 0);
    trace_set_bug(&trace, every, every, every, 0, &site);
    trace_add_step(&trace, &(struct trace_step){.text = every, .site = site});
    trace_add_output(&trace, every, 256);
    for (int unicode = 0; unicode < 2; unicode++) {
        struct lanes_style style = {100, unicode, false, false};

        text = printed(&trace, style, lanes_print);
        assert_clean(text, style);
        free(text);
        text = printed(&trace, style, lanes_print_list);
        style.width = 100000;
        assert_clean(text, style);
        free(text);
    }
    trace_free(&trace);
}

static void test_wide_characters(void **state)
{
    struct trace trace;
    char *text;

    (void)state;
    sample_open(&trace, "p", "sc");
    sample_thread(&trace, 0, NULL, 0);
    trace_set_bug(&trace, "k", "m", NULL, 0, &(struct trace_site){0});
    trace_add_step(&trace,
                   &(struct trace_step){.op = OP_YIELD, .text = "\xe7\xba\xbf\xe7\xa8\x8b"});
    text = printed(&trace, (struct lanes_style){40, true, false, false}, lanes_print);
    assert_non_null(strstr(text, " 1 │   \xe7\xba\xbf\xe7\xa8\x8b\n"));
    free(text);
    trace_free(&trace);
}

static void test_colours_only_if_asked(void **state)
{
    struct trace trace;
    char *text;

    (void)state;
    sample_store_buffering(&trace);
    text = printed(&trace, (struct lanes_style){80, true, true, false}, lanes_print);
    assert_non_null(strstr(text, "\033[1;31massertion: "));
    assert_non_null(strstr(text, "\033[0m\n"));
    free(text);
    text = printed(&trace, (struct lanes_style){80, true, false, false}, lanes_print);
    assert_null(strchr(text, '\033'));
    free(text);
    trace_free(&trace);
}

/* PSO: flushes out of order find their own stores; equal stores leave in order. */
static void test_flush_links(void **state)
{
    static const struct {
        uint8_t op;
        const char *object;
        uint64_t value;
        uint32_t store;
    } steps[] = {
        {OP_STORE, "x", 1, 0}, {OP_STORE, "y", 1, 0}, {OP_STORE, "x", 1, 0},
        {OP_FLUSH, "y", 1, 2}, {OP_FLUSH, "x", 1, 1}, {OP_FLUSH, "x", 1, 3},
        {OP_FLUSH, "x", 1, 0}, {OP_STORE, "z", 2, 0}, {OP_FLUSH, "z", 2, 8},
    };
    struct trace trace;
    uint32_t *link;

    (void)state;
    sample_open(&trace, "p", "pso");
    sample_thread(&trace, 0, NULL, 0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        trace_add_step(&trace, &(struct trace_step){.op = steps[i].op,
                                                    .is_buffer = steps[i].op == OP_FLUSH,
                                                    .buffered = steps[i].op == OP_STORE,
                                                    .object = steps[i].object,
                                                    .value = steps[i].value});
    link = words_link_flushes(&trace, &trace.arena);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_int_equal(link[i], steps[i].store);
    trace_free(&trace);
}

static void test_words(void **state)
{
    struct trace trace;
    char text[WORDS_MAX], small[12];

    (void)state;
    sample_open(&trace, "p", "sc");
    sample_thread(&trace, 0, NULL, 0);
    trace_add_step(&trace,
                   &(struct trace_step){.op = OP_LOAD, .size = 1, .value = 0xff, .object = "c"});
    trace_add_step(&trace, &(struct trace_step){.op = OP_LOAD, .text = "load p -> NULL"});
    trace_add_step(&trace, &(struct trace_step){.op = OP_COND_SIGNAL, .object = "cond"});
    trace_add_step(&trace, &(struct trace_step){.op = OP_COND_SIGNAL, .outcome = OUTCOME_LOST});
    assert_string_equal(words_step(&trace, 0, 0, text, sizeof text), "load c -> -1");
    assert_string_equal(words_step(&trace, 0, 0, small, sizeof small), "load c -...");
    assert_string_equal(words_step(&trace, 1, 0, text, sizeof text), "load p -> NULL");
    assert_string_equal(words_step(&trace, 2, 0, text, sizeof text), "signal cond (wakes T0)");
    assert_string_equal(words_step(&trace, 3, 0, text, sizeof text), "signal (nobody waits)");
    trace_free(&trace);
}

static void test_stuck_80(void **state)
{
    struct trace trace;

    (void)state;
    sample_stuck(&trace);
    assert_printed(
        &trace, (struct lanes_style){80, true, false, false}, lanes_print,
        "deadlock: no thread can go on\n"
        "  a cycle: T1 waits for T2, which waits for T1\n"
        "  T0 (main) waits for the end of T1 (move)\n"
        "  T1 (move) waits for lock right, held by T2 (move), at bank.c:9\n"
        "    called by worker at bank.c:30\n"
        "      8 │ {\n"
        "      9 ▸     pthread_mutex_lock(&a->lock);\n"
        "     10 │ }\n"
        "  T2 (move) waits for lock left, held by T1 (move), at bank.c:9\n"
        "    called by worker at bank.c:30\n"
        "      8 │ {\n"
        "      9 ▸     pthread_mutex_lock(&a->lock);\n"
        "     10 │ }\n"
        "\n"
        "program: ./bank\n"
        "model:   sc\n"
        "run:     3 steps, 3 threads, 1 context switch\n"
        "  T1 (move) was created by T0 at src/sb.c:20\n"
        "  T2 (move) was created by T0 at src/sb.c:21\n"
        "\n"
        "▸ another thread goes on   · a plain access   ■ stuck\n"
        "\n"
        "   │ T0 (main)             │ T1 (move)           │ T2 (move)          │\n"
        "───┼───────────────────────┼─────────────────────┼────────────────────┼─────────\n"
        " 1 │                       │   lock left         │                    │ bank.c:8\n"
        " 2 │                       │ · load sum -> 5     │                    │ bank.c:8\n"
        " 3 │                       │                     │ ▸ lock right       │ bank.c:8\n"
        "   │ ■ waits: the end of   │                     │                    │\n"
        "   │     T1 (move)         │                     │                    │\n"
        "   │                       │ ■ waits: lock right │                    │ bank.c:9\n"
        "   │                       │                     │ ■ waits: lock left │ bank.c:9\n");
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store_buffering_100),
        cmocka_unit_test(test_store_buffering_60),
        cmocka_unit_test(test_stuck_80),
        cmocka_unit_test(test_deadlock_60),
        cmocka_unit_test(test_deadlock_100),
        cmocka_unit_test(test_many_folded),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_every_width_is_kept),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_wide_characters),
        cmocka_unit_test(test_colours_only_if_asked),
        cmocka_unit_test(test_flush_links),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
