/* Searches that look for interchangeable threads: how many runs are left, and what must not be lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/explorer.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 34)

struct found {
    uint64_t executions, blocked, saved;
    bool failed, deadlock;
};

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct found *found = context;

    found->failed |= explorer->execution.findings.count > 0;
    found->deadlock |= ending == ENDING_DEADLOCK;
    return true;
}

static struct found search(const char *text, const char *reduction, enum symmetry_kind kind)
{
    struct found found = {0};
    struct program program;
    struct script script;
    struct arena arena;
    static struct explorer explorer;
    struct read_error error;
    struct explorer_options options = {
        .reduction = reduction_find(reduction),
        .memory = memory_find("sc"),
        .buffer_bound = BUFFER_UNBOUNDED,
        .preemption_bound = NO_BOUND,
        .states = kind == SYMMETRY_ALL ? STATES_SUMMARIES : STATES_OFF,
        .symmetry = (uint8_t)kind,
        .symmetry_trial = 16,
        .max_steps = 5000,
        .max_executions = NO_LIMIT,
        .ended = run_ended,
        .context = &found,
    };

    assert_true(text_read(text, strlen(text), "symmetry", &program, &error));
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    assert_int_equal(script_open(&script, &program), 0);
    explorer_open(&explorer, &arena, &script.base, &options);
    assert_true(explorer_run(&explorer));
    found.executions = explorer.stats.executions;
    found.blocked = explorer.stats.asleep;
    found.saved = explorer.stats.symmetry.saved;
    script_close(&script);
    arena_close(&arena);
    program_free(&program);
    return found;
}

/* `count` threads of the same rows. */
static const char *copies(const char *declarations, unsigned count, const char *rows)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", declarations);

    for (unsigned t = 0; t < count; t++)
        used += (size_t)snprintf(text + used, sizeof text - used, "thread W%u\n%s", t, rows);
    assert_true(used < sizeof text);
    return text;
}

static const char *const reductions_tried[] = {"optimal", "source", "dpor"};

static void test_locks(void **state)
{
    (void)state;
    for (size_t r = 0; r < 3; r++)
        for (unsigned n = 2; n <= 12; n += 5) {
            const char *text = copies("cell x\nmutex m\n", n, " lock m\n store x, 1\n unlock m\n");

            assert_int_equal(search(text, reductions_tried[r], SYMMETRY_NEW).executions, 1);
            assert_int_equal(search(text, reductions_tried[r], SYMMETRY_ALL).executions, 1);
        }
}

/* Threads that are as far as each other are interchangeable, whoever came first: n rows of three sections each, in which no thread is ahead of one before it. The
 * figures of the downloader in symmetry-discovery, Table 1, for 4 and 5 threads. */
static void test_sections(void **state)
{
    static const char *const rows = " lock m\n unlock m\n lock m\n unlock m\n lock m\n unlock m\n";

    (void)state;
    assert_int_equal(search(copies("mutex m\n", 3, rows), "dpor", SYMMETRY_ALL).executions, 42);
    assert_int_equal(search(copies("mutex m\n", 4, rows), "dpor", SYMMETRY_ALL).executions, 462);
    assert_int_equal(search(copies("mutex m\n", 4, rows), "optimal", SYMMETRY_ALL).executions, 462);
    assert_int_equal(search(copies("mutex m\n", 5, rows), "source", SYMMETRY_ALL).executions, 6006);
}

static void test_readers(void **state)
{
    const char *text = copies("cell x\nthread A\n store x, 1\n", 16, " reg r\n r = load x\n");

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        assert_int_equal(search(text, reductions_tried[r], SYMMETRY_NEW).executions, 17);
        assert_int_equal(search(text, reductions_tried[r], SYMMETRY_ALL).executions, 17);
    }
}

/* What must be found, each with one word about it. */
static const struct {
    const char *text;
    bool deadlock; /* or a failed assertion */
} bugs[] = {
    /* B is like A when A has stored, but B could have come before that store: what follows a state also tells what has to be tried before it */
    {"cell x\nmutex m\n"
     "thread A\n reg r\n store x, 1\n lock m\n r = load x\n unlock m\n assert r == 1\n"
     "thread B\n reg r\n lock m\n r = load x\n unlock m\n assert r == 1\n",
     false},
    /* pasts that correspond are not enough: each of two orders would be left to the other */
    {"cell x\ncell y\n"
     "thread A\n reg r, s\n r = load x\n store x, 1\n s = load y\n"
     "thread B\n reg r, s\n r = load x\n store x, 1\n s = load y\n"
     "thread C\n reg r\n r = load x\n store y, 1\n assert r == 0\n",
     false},
    /* the main thread joins A, stores, and joins B: only B can see the store */
    {"cell x\n"
     "thread M\n create A\n create B\n join A\n store x, 1\n join B\n"
     "thread A\n reg r\n r = load x\n assert r == 0\n"
     "thread B\n reg r\n r = load x\n assert r == 0\n",
     false},
    /* the same, if it never gets to the join */
    {"cell x\nsem s = 1\nsem t\n"
     "thread M\n create A\n create B\n join A\n store x, 1\n sempost t\n"
     "thread A\n reg r\n semwait s\n semwait t\n"
     "thread B\n reg r\n semwait s\n semwait t\n",
     true},
    /* one constant is another */
    {"cell x\n"
     "thread A\n reg r\n r = add x, 1\n"
     "thread B\n reg r\n r = add x, 2\n assert r == 0\n",
     false},
    /* locks in another order */
    {"mutex a\nmutex b\n"
     "thread A\n lock a\n lock b\n unlock b\n unlock a\n"
     "thread B\n lock b\n lock a\n unlock a\n unlock b\n",
     true},
    /* an element of its own for each */
    {"cell a[2]\ncell x\n"
     "thread A\n reg i, r\n store a[i], 1\n r = load a[0]\n assert r == 1\n"
     "thread B\n reg i = 1\n reg r\n store a[i], 1\n r = load a[0]\n assert r == 1\n",
     false},
};

static void test_bugs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bugs / sizeof *bugs; i++)
        for (size_t r = 0; r < 3; r++)
            for (int kind = SYMMETRY_OFF; kind <= SYMMETRY_ALL; kind++) {
                struct found found =
                    search(bugs[i].text, reductions_tried[r], (enum symmetry_kind)kind);

                if (!(bugs[i].deadlock ? found.deadlock : found.failed))
                    fail_msg("bug %zu is lost with %s, kind %d", i, reductions_tried[r], kind);
            }
}

/* Joins in a row do not tell threads apart; with something between they do. */
static void test_joins(void **state)
{
    static const char row[] =
        "mutex m\n"
        "thread M\n create A\n create B\n create C\n join B\n join A\n join C\n"
        "thread A\n lock m\n unlock m\nthread B\n lock m\n unlock m\n"
        "thread C\n lock m\n unlock m\n";
    static const char apart[] = "mutex m\ncell x\n"
                                "thread M\n create A\n create B\n join A\n store x, 1\n join B\n"
                                "thread A\n lock m\n unlock m\nthread B\n lock m\n unlock m\n";

    (void)state;
    assert_int_equal(search(row, "optimal", SYMMETRY_NEW).executions, 1);
    assert_int_equal(search(apart, "optimal", SYMMETRY_NEW).executions, 2);
    assert_int_equal(search(apart, "optimal", SYMMETRY_NEW).saved, 0);
}

/* Another outcome of an event is a race in every run that has the event: it was not, once the search had gone on behind it. */
static void test_outcomes(void **state)
{
    struct found found =
        search("thread A\n reg r\n r = choose 2\nthread B\n reg r\n r = choose 2\n", "optimal",
               SYMMETRY_NEW);

    (void)state;
    assert_true(found.executions >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locks),   cmocka_unit_test(test_sections),
        cmocka_unit_test(test_readers), cmocka_unit_test(test_bugs),
        cmocka_unit_test(test_joins),   cmocka_unit_test(test_outcomes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
