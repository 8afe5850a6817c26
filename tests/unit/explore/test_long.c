/* Long runs: what is looked at to find races and to reverse them, and the memory that it takes, grow with the number of steps and not faster. Counted, not timed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "explore/explorer.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 34)
#define RUNS    10
#define SHORT   1000u
#define LONG    100000u

/* Two threads each, `%u` rounds. */
static const char *const loops[] = {
    /* critical sections */
    "mutex m\ncell x\n"
    "thread A\n let i = %u + 0\nL:\n lock m\n unlock m\n let i = i - 1\n if i > 0 goto L\n"
    "thread B\n let i = %u + 0\nL:\n lock m\n unlock m\n let i = i - 1\n if i > 0 goto L\n",
    /* they take turns: each step of one has a race with one of the other */
    "mutex m\ncond c\ncell turn\n"
    "thread A\n let i = %u + 0\nL:\n lock m\nW:\n t = load turn\n if t == 0 goto G\n wait c, m\n let z = 1 + 0\n if z goto W\n"
    "G:\n store turn, 1\n signal c\n unlock m\n let i = i - 1\n if i > 0 goto L\n"
    "thread B\n let i = %u + 0\nL:\n lock m\nW:\n t = load turn\n if t == 1 goto G\n wait c, m\n let z = 1 + 0\n if z goto W\n"
    "G:\n store turn, 0\n signal c\n unlock m\n let i = i - 1\n if i > 0 goto L\n",
    /* two variables in one word */
    "cell4 x[2]\n"
    "thread A\n let i = %u + 0\nL:\n store x[0], i\n t = load x[1]\n let i = i - 1\n if i > 0 goto L\n"
    "thread B\n let i = %u + 0\nL:\n store x[1], i\n t = load x[0]\n let i = i - 1\n if i > 0 goto L\n",
    /* many reads, then writes */
    "cell x\n"
    "thread A\n let i = %u + 0\nL:\n t = load x\n let i = i - 1\n if i > 0 goto L\n"
    "thread B\n let i = %u + 0\nL:\n store x, i\n let i = i - 1\n if i > 0 goto L\n",
    /* additions that commute, and reads between them, beside one addition of another thread */
    "cell x\n"
    "thread A\n let i = %u + 0\nL:\n add x, 1\n t = load x\n let i = i - 1\n if i > 0 goto L\n"
    "thread B\n let i = %u + 0\n add x, i\n",
};

/* What a search of some runs took, for each step of the longest one. */
struct cost {
    double looked, bytes;
};

static struct cost cost_of(const char *loop, unsigned rounds)
{
    struct explorer_options options = {.reduction = reduction_find("optimal"),
                                       .memory = memory_find("sc"),
                                       .buffer_bound = BUFFER_UNBOUNDED,
                                       .preemption_bound = NO_BOUND,
                                       .commutes = COMMUTE_ALL,
                                       .max_steps = NO_LIMIT,
                                       .max_executions = RUNS};
    static struct explorer explorer;
    struct program program;
    struct script script;
    struct read_error error;
    struct arena arena;
    char text[1000], message[300];
    struct cost cost;

    snprintf(text, sizeof text, loop, rounds, rounds);
    if (!text_read(text, strlen(text), NULL, &program, &error))
        fail_msg("%s\n%s", read_error_format(&error, NULL, message, sizeof message), text);
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    assert_int_equal(script_open(&script, &program), 0);
    explorer_open(&explorer, &arena, &script.base, &options);
    assert_true(explorer_run(&explorer));
    assert_int_equal(explorer.stats.executions, RUNS);
    assert_true(explorer.stats.max_depth >= rounds);
    cost.looked = (double)explorer.execution.looked / (double)explorer.stats.max_depth;
    cost.bytes = (double)explorer.stats.max_bytes / (double)explorer.stats.max_depth;
    script_close(&script);
    arena_close(&arena);
    program_free(&program);
    return cost;
}

static void steps_cost_the_same_in_long_runs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct cost few = cost_of(loops[i], SHORT / 4), many = cost_of(loops[i], LONG / 4);

        if (many.looked > 2 * few.looked || many.bytes > 2 * few.bytes)
            fail_msg(
                "loop %u: %.1f looks and %.0f bytes a step, not %.1f and %.0f as in a short run", i,
                many.looked, many.bytes, few.looked, few.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_cost_the_same_in_long_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
