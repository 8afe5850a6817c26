/* Searches that compare states: the same final states as without, in fewer runs; cycles; a table that is full. */
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

#define RESERVE    ((size_t)1 << 34)
#define FINALS_MAX 4096

struct search {
    struct program program;
    struct script script;
    struct arena arena;
    struct explorer explorer;
    struct fingerprint finals[FINALS_MAX]; /* registers, memory, how the run ended */
    uint32_t count;
    bool failed; /* some run, to its end or not, shows a bug */
};

static void final_add(struct search *search, struct fingerprint final)
{
    for (uint32_t i = 0; i < search->count; i++)
        if (fingerprint_equal(search->finals[i], final))
            return;
    assert_true(search->count < FINALS_MAX);
    search->finals[search->count++] = final;
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct search *search = context;
    struct fingerprint final = {0, 0};

    search->failed |= explorer->execution.findings.count > 0;
    if (ending == ENDING_ASLEEP || ending == ENDING_KNOWN || ending == ENDING_CUT)
        return true;
    fingerprint_word(&final, (uint64_t)ending << 1 | (explorer->execution.findings.count > 0));
    fingerprint_bytes(&final, search->script.memory, search->script.size);
    for (uint32_t t = 0; t < search->program.thread_count; t++)
        fingerprint_bytes(&final, search->script.threads[t].regs,
                          search->program.threads[t].reg_count * sizeof(int64_t));
    final_add(search, final);
    return true;
}

static struct explorer_options options_of(const char *reduction, const char *model,
                                          enum states_kind kind)
{
    return (struct explorer_options){
        .reduction = reduction_find(reduction),
        .memory = memory_find(model),
        .buffer_bound = BUFFER_UNBOUNDED,
        .preemption_bound = NO_BOUND,
        .states = (uint8_t)kind,
        .states_after = 10,
        .forgets = true,
        .max_steps = 5000,
        .max_executions = NO_LIMIT,
        .ended = run_ended,
    };
}

static struct search *search_run(const char *text, struct explorer_options options)
{
    struct search *search = calloc(1, sizeof *search);
    struct read_error error;

    assert_true(text_read(text, strlen(text), "states", &search->program, &error));
    assert_int_equal(arena_open(&search->arena, RESERVE), 0);
    assert_int_equal(script_open(&search->script, &search->program), 0);
    options.context = search;
    explorer_open(&search->explorer, &search->arena, &search->script.base, &options);
    assert_true(explorer_run(&search->explorer));
    return search;
}

static void search_free(struct search *search)
{
    script_close(&search->script);
    arena_close(&search->arena);
    program_free(&search->program);
    free(search);
}

static uint64_t runs_of(const struct search *search)
{
    const struct explorer_stats *stats = &search->explorer.stats;

    return stats->executions + stats->asleep + stats->assumes + stats->states.revisited;
}

static bool is_subset(const struct search *a, const struct search *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t j = 0;

        while (j < b->count && !fingerprint_equal(a->finals[i], b->finals[j]))
            j++;
        if (j == b->count)
            return false;
    }
    return true;
}

static const char *const samples[] = {
    /* the state behind "B, A" is known from "A, B", but only there C can still come before A */
    "cell x\ncell y\n"
    "thread A\n store x, 1\n"
    "thread B\n store y, 1\n"
    "thread C\n r = load y\n s = load x\n",
    /* the same state, reached over a write that changes nothing */
    "cell x = 1\ncell y\n"
    "thread A\n store x, 1\n store y, 1\n"
    "thread B\n r = load y\n let r = 0\n store x, 2\n"
    "thread C\n s = load x\n t = load y\n",
    /* all unordered events count, not just the latest */
    "cell x\n"
    "thread A\n r = load x\n"
    "thread B\n r = load x\n create C\n"
    "thread C\n store x, 1\n",
    /* a lock races with the lock before it, also in a future that is not explored again */
    "cell x\nmutex m\n"
    "thread A\n lock m\n store x, 1\n unlock m\n"
    "thread B\n lock m\n store x, 2\n unlock m\n"
    "thread C\n lock m\n r = load x\n unlock m\n",
    /* who waits for ever belongs to what may follow */
    "mutex a\nmutex b\n"
    "thread A\n lock a\n lock b\n unlock b\n unlock a\n"
    "thread B\n lock b\n lock a\n unlock a\n unlock b\n"
    "thread C\n lock a\n unlock a\n",
    /* waits, signals that are lost, and choices */
    "cell full\nmutex m\ncond c\n"
    "thread A\n lock m\n r = choose 2\n store full, 1\n signal c\n unlock m\n"
    "thread B\n lock m\nL:\n r = load full\n if r == 1 goto E\n wait c, m\n goto L\nE:\n unlock m\n"
    "thread C\n lock m\n q = load full\n unlock m\n",
    "cell x\ncell y\n"
    "thread A\n store x, 1\n r = load y\n"
    "thread B\n store y, 1\n r = load x\n"
    "thread C\n r = load x\n s = load y\n let r = 0\n",
};

static const char *const names[] = {"exhaustive", "dpor", "source", "optimal"};
static const char *const models[] = {"sc", "tso", "pso"};

/* Every sample, reduction, model and kind of state against the stateless search. */
static void nothing_is_lost(void **unused)
{
    (void)unused;
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++)
        for (size_t m = 0; m < 3; m++) {
            struct search *all =
                search_run(samples[s], options_of("optimal", models[m], STATES_OFF));

            for (size_t r = 0; r < 4; r++)
                for (unsigned kind = STATES_DELTA; kind <= STATES_AUTO; kind++) {
                    struct search *some =
                        search_run(samples[s], options_of(names[r], models[m], kind));

                    if (!is_subset(all, some) || !is_subset(some, all))
                        fail_msg("%s %s kind %u: %u of %u final states of\n%s", names[r], models[m],
                                 kind, some->count, all->count, samples[s]);
                    search_free(some);
                }
            search_free(all);
        }
}

/* Threads that all do `rows`. */
static char *alike(const char *declarations, unsigned threads, const char *rows)
{
    char *text = calloc(1, 1 << 16);
    size_t used = (size_t)sprintf(text, "%s", declarations);

    for (unsigned t = 0; t < threads; t++)
        used += (size_t)sprintf(text + used, "thread T%u\n%s", t, rows);
    return text;
}

static void interleavings_melt(void **unused)
{
    char *text =
        alike("cell c\nmutex m\n", 8,
              " lock m\n r = load c\n let r = r + 1\n store c, r\n let r = 0\n unlock m\n");
    struct search *search = search_run(text, options_of("source", "sc", STATES_EXACT));

    (void)unused;
    assert_int_equal(search->count, 1);
    assert_int_equal(search->explorer.stats.executions, 1); /* of 8! = 40,320 */
    assert_true(runs_of(search) < 40320 / 20);
    search_free(search);
    free(text);
}

static void endless_loops_end(void **unused)
{
    static const char rows[] =
        "L:\n lock m\n r = load c\n let r = r ^ 1\n store c, r\n let r = 0\n unlock m\n goto L\n";
    char *text = alike("cell c\nmutex m\n", 2, rows);

    (void)unused;
    for (size_t r = 0; r < 4; r++) {
        struct search *search = search_run(text, options_of(names[r], "sc", STATES_EXACT));

        assert_int_equal(search->explorer.stats.cut, 0);
        assert_int_equal(search->explorer.stats.executions, 0);
        assert_true(search->explorer.stats.states.cycles > 0);
        search_free(search);
    }
    free(text);
}

/* A thread that can only go on outside of a cycle must not be forgotten on it. */
static void cycles_hide_nothing(void **unused)
{
    static const char text[] = "cell x\ncell y\n"
                               "thread A\nL:\n store x, 1\n store x, 0\n goto L\n"
                               "thread B\n store y, 1\n r = load x\n assert r == 0\n";

    (void)unused;
    for (size_t r = 0; r < 4; r++) {
        struct search *search = search_run(text, options_of(names[r], "sc", STATES_EXACT));

        assert_int_equal(search->explorer.stats.cut, 0);
        assert_true(search->failed);
        search_free(search);
    }
}

/* As much memory as lets some states into the table, but not all: the search still comes to its end, and finds the same. */
static void a_full_table_is_no_harm(void **unused)
{
    char *text = alike("cell c\ncell d\n", 4,
                       " r = add c, 1\n r = add d, 1\n r = add c, 2\n r = add d, 1\n let r = 0\n");
    struct explorer_options options = options_of("source", "sc", STATES_EXACT);
    struct search *all = search_run(text, options), *some;

    (void)unused;
    options.max_memory = 2 * all->explorer.stats.max_bytes / 3;
    some = search_run(text, options);
    assert_true(some->explorer.stats.states.full);
    assert_int_equal(some->explorer.stats.cut, 0);
    assert_true(some->explorer.stats.states.states < all->explorer.stats.states.states);
    assert_true(runs_of(some) > runs_of(all));
    assert_true(is_subset(all, some) && is_subset(some, all));
    search_free(all);
    search_free(some);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),         cmocka_unit_test(interleavings_melt),
        cmocka_unit_test(endless_loops_end),       cmocka_unit_test(cycles_hide_nothing),
        cmocka_unit_test(a_full_table_is_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
