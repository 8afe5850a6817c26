/* Searches that sample: each trace of a small program is found and none that it does not have, the same seed makes the same runs, PCT keeps
 * its promise, POS is more even than the random walk, and nobody starves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/explorer.h"
#include "script/classics.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 34)

static const char *const samplers[] = {"random", "pct", "pos"};
enum { SAMPLERS = 3 };

/* ---- harness */

struct how {
    const char *search, *model;
    uint64_t runs, seed, max_steps, turn_steps;
    uint32_t depth;
    bool stop; /* at the first run that fails */
};

/* What a search saw. */
struct result {
    struct explorer_stats stats;
    uint64_t failed, first_failed; /* runs; the number of the first, from 1 */
    uint64_t sequence;             /* all steps of all runs, in one number */
    uint64_t seen[4];              /* how often cell 0 ended with 0, 1, 2, 3 */
};

struct search {
    struct program program;
    struct script script;
    struct how how;
    struct result result;
};

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct search *search = context;
    struct result *result = &search->result;
    const struct execution *x = &explorer->execution;
    bool has_cell = search->program.decl_count > 0 && search->program.decls[0].kind == OBJECT_CELL;
    uint64_t value = has_cell ? (uint64_t)script_cell(&search->script, 0, 0) : 0;

    for (event_id id = 0; id < x->events.count; id++)
        result->sequence =
            mix64(result->sequence + x->events.at[id].agent + 7 * x->events.at[id].outcome + 1);
    if (value < 4)
        result->seen[value]++;
    if (explorer_run_failed(explorer, ending)) {
        result->failed++;
        if (result->first_failed == 0)
            result->first_failed = explorer->runs;
        return !search->how.stop;
    }
    return true;
}

/* A classic as "locks(3)" or "sb", anything else as the text of a program. */
static struct result sample(const char *source, struct how how)
{
    struct search search = {.how = how};
    struct explorer_options options = {
        .reduction = reductions[0],
        .search = search_find(how.search),
        .memory = memory_find(how.model ? how.model : "sc"),
        .buffer_bound = BUFFER_UNBOUNDED,
        .preemption_bound = NO_BOUND,
        .max_steps = how.max_steps ? how.max_steps : NO_LIMIT,
        .max_executions = NO_LIMIT,
        .runs = how.runs,
        .seed = how.seed || !search_samples(search_find(how.search)) ? how.seed : 1,
        .depth = how.depth,
        .turn_steps = how.turn_steps,
        .ended = run_ended,
        .context = &search,
    };
    struct explorer *explorer = malloc(sizeof *explorer);
    struct read_error error;
    struct arena arena;
    char name[32], message[300];
    unsigned n = 0;

    assert_non_null(explorer);
    if (strchr(source, '\n')) {
        if (!text_read(source, strlen(source), NULL, &search.program, &error))
            fail_msg("%s\n%s", read_error_format(&error, NULL, message, sizeof message), source);
    } else {
        assert_true(sscanf(source, "%31[a-z](%u)", name, &n) >= 1);
        assert_true(classic_build(name, n, &search.program));
    }
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    assert_int_equal(script_open(&search.script, &search.program), 0);
    explorer_open(explorer, &arena, &search.script.base, &options);
    assert_true(explorer_run(explorer));
    search.result.stats = explorer->stats;
    script_close(&search.script);
    arena_close(&arena);
    free(explorer);
    program_free(&search.program);
    return search.result;
}

/* A bug of that depth: threads A and B must take turns, A first, so often. `pad` steps of no interest lie before each turn, and `others`
 * threads take such steps, too. */
static const char *turns(unsigned depth, unsigned pad, unsigned others)
{
    static char text[20000];
    size_t used = (size_t)sprintf(text, "cell turn\ncell noise[8]\n");

    for (unsigned thread = 0; thread < 2; thread++) {
        used += (size_t)sprintf(text + used, "thread %s\n", thread ? "B" : "A");
        for (unsigned turn = thread; turn <= depth; turn += 2) {
            for (unsigned i = 0; i < pad; i++)
                used += (size_t)sprintf(text + used, "  store noise[%u], %u\n", thread, i);
            used += (size_t)sprintf(text + used, "  r = cas turn, %u, %u\n", turn, turn + 1);
            if (turn == depth)
                used += (size_t)sprintf(text + used, "  assert r != %u\n", depth);
        }
    }
    for (unsigned thread = 0; thread < others; thread++) {
        used += (size_t)sprintf(text + used, "thread N%u\n", thread);
        for (unsigned i = 0; i < pad * 2; i++)
            used += (size_t)sprintf(text + used, "  store noise[%u], %u\n", 2 + thread, i);
    }
    assert_true(used < sizeof text);
    return text;
}

/* ---- what is sampled */

struct count {
    const char *source, *model;
    uint64_t traces;
};

static const struct count counts[] = {
    {"sb", "sc", 3},          {"sb", "tso", 4},      {"sb", "pso", 4},
    {"mp", "sc", 3},          {"mp", "tso", 3},      {"mp", "pso", 4},
    {"mpdep", "pso", 3},      {"locks(3)", "sc", 6}, {"locks(4)", "tso", 24},
    {"readers(4)", "sc", 16}, {"ainc(4)", "sc", 24}, {"filesystem(16)", "sc", 8},
};

/* Chance may leave out one that there is, but not in ten thousand runs of such small programs; and it never adds one. */
static void all_traces_of_small_programs_are_seen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned s = 0; s < SAMPLERS; s++) {
            struct result r = sample(counts[i].source, (struct how){.search = samplers[s],
                                                                    .model = counts[i].model,
                                                                    .runs = 20000,
                                                                    .depth = 4});
            bool all = strcmp(samplers[s], "pct") != 0; /* some are deeper than 4 */

            if (all ? r.stats.sampled.traces != counts[i].traces
                    : r.stats.sampled.traces > counts[i].traces)
                fail_msg("%s, %s, %s: %llu traces, not %llu", counts[i].source, counts[i].model,
                         samplers[s], (unsigned long long)r.stats.sampled.traces,
                         (unsigned long long)counts[i].traces);
            assert_int_equal(r.stats.sampled.runs, 20000);
            assert_int_equal(r.stats.executions, 20000);
            assert_int_equal(r.stats.cut, CUT_SAMPLED);
            assert_true(!all || r.stats.sampled.once == 0);
        }
}

static void a_seed_makes_the_same_runs_again(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLERS; s++) {
        struct how how = {.search = samplers[s], .runs = 50, .seed = 17, .model = "tso"};
        struct result first = sample("lastzero(5)", how), again = sample("lastzero(5)", how);
        struct result other;

        how.seed = 18;
        other = sample("lastzero(5)", how);
        assert_true(first.sequence == again.sequence);
        assert_true(first.sequence != other.sequence);
    }
}

static void outcomes_are_drawn(void **state)
{
    const char *source = "cell x\nthread T\n  r = choose 3\n  store x, r\n";

    (void)state;
    for (unsigned s = 0; s < SAMPLERS; s++) {
        struct result r = sample(source, (struct how){.search = samplers[s], .runs = 3000});

        for (unsigned i = 0; i < 3; i++)
            assert_in_range(r.seen[i], 850, 1150);
        assert_int_equal(r.stats.sampled.traces, 3);
        assert_true(r.stats.sampled.drawn);
    }
}

/* ---- promises */

/* Of those who look for it, how many found it, at least: what is promised, less four times the spread. */
static void pct_keeps_its_promise(void **state)
{
    static const struct {
        unsigned depth, pad, others;
    } programs[] = {{1, 3, 0},  {1, 10, 3}, {2, 2, 0}, {2, 5, 2},
                    {2, 10, 1}, {3, 2, 0},  {3, 3, 1}, {4, 1, 0}};
    const uint64_t runs = 60000;

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct result r =
            sample(turns(programs[i].depth, programs[i].pad, programs[i].others),
                   (struct how){.search = "pct", .runs = runs, .depth = programs[i].depth});
        struct sample_stats one = r.stats.sampled;
        double chance, expected, found = (double)r.failed;

        assert_true(one.kept > runs - 100);
        one.kept = 1;
        chance = sample_promise(&one, programs[i].depth);
        expected = chance * (double)runs;
        print_message("depth %u, %u agents, %llu steps: found in %.5f of the runs, promised %.5f\n",
                      programs[i].depth, one.agents, (unsigned long long)one.steps,
                      found / (double)runs, chance);
        assert_true(chance > 0);
        if (found < expected && (expected - found) * (expected - found) > 16 * expected)
            fail_msg("depth %u: found %.0f times, promised %.0f", programs[i].depth, found,
                     expected);
    }
}

static void a_promise_needs_runs_that_end(void **state)
{
    struct sample_stats stats = {.agents = 2, .steps = 10, .kept = 5};

    (void)state;
    assert_true(sample_promise(&stats, 1) > 0.96 && sample_promise(&stats, 1) < 0.97);
    assert_true(sample_promise(&stats, 3) > 0.0247 && sample_promise(&stats, 3) < 0.0248);
    stats.given_up = 1;
    assert_true(sample_promise(&stats, 1) == 0);
    stats = (struct sample_stats){.agents = 2, .steps = 10};
    assert_true(sample_promise(&stats, 1) == 0);
}

/* One thread takes many steps that nobody sees before it writes, the other writes at once: by the random walk the second is nearly always
 * first. To POS the steps before do not matter. */
static void pos_is_more_even_than_the_random_walk(void **state)
{
    char text[2000] = "cell x\ncell noise\nthread A\n";
    struct result walk, pos;

    (void)state;
    for (int i = 0; i < 10; i++)
        strcat(text, "  store noise, 1\n");
    strcat(text, "  store x, 1\nthread B\n  store x, 2\n");
    walk = sample(text, (struct how){.search = "random", .runs = 20000});
    pos = sample(text, (struct how){.search = "pos", .runs = 20000});
    print_message("the rarer of two traces: %.4f of the runs by random, %.4f by pos\n",
                  (double)walk.seen[2] / 20000, (double)pos.seen[2] / 20000);
    assert_in_range(walk.seen[2], 0, 60);
    assert_true(pos.seen[2] > 20 * walk.seen[2] + 1000);
}

/* ---- runs that do not end */

/* T1 goes round for ever; what T2 does must be seen all the same, by each search, whoever is preferred. */
static const char endless[] = "cell x\ncell y\nthread T1\nL:\n  store x, 1\n  goto L\n"
                              "thread T2\n  store y, 1\n  store y, 2\n  assert 0 == 1\n";

static void a_thread_without_an_end_starves_nobody(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLERS; s++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct result r = sample(
                endless,
                (struct how){.search = samplers[s], .runs = 3, .seed = seed, .max_steps = 5000});

            assert_int_equal(r.failed, 3);
            assert_int_equal(r.stats.sampled.given_up, 3);
            assert_true(r.stats.cut & CUT_MAX_STEPS);
            assert_true(sample_promise(&r.stats.sampled, 1) == 0);
        }
}

/* Whoever yields goes behind the others, and a wait that times out again and again does not keep the run from its end. */
static void who_lets_time_pass_goes_last(void **state)
{
    const char *source = "cell x\nmutex m\ncond c\nthread T1\n  lock m\nL:\n  r = load x\n"
                         "  if r != 0 goto E\n  t = timedwait c, m\n  goto L\nE:\n  unlock m\n"
                         "thread T2\nY:\n  yield\n  r = load x\n  if r == 0 goto Y\n"
                         "thread T3\n  store x, 1\n";

    (void)state;
    for (unsigned s = 0; s < SAMPLERS; s++) {
        struct result r =
            sample(source, (struct how){.search = samplers[s], .runs = 500, .max_steps = 10000});

        assert_int_equal(r.stats.sampled.given_up, 0);
        assert_int_equal(r.stats.executions, 500);
        assert_true(r.stats.max_depth < 2000);
    }
}

/* ---- estimates */

static void what_is_unseen_is_told_from_what_was_seen_once(void **state)
{
    struct result few = sample("ainc(6)", (struct how){.search = "random", .runs = 200});
    struct result many = sample("ainc(6)", (struct how){.search = "random", .runs = 100000});
    double share = sample_unseen(&few.stats.sampled);

    (void)state;
    assert_int_equal(many.stats.sampled.traces, 720);
    assert_true(share > 0.65 && share < 0.85);
    assert_true(sample_unseen(&many.stats.sampled) < 0.001);
    assert_true(sample_traces_least(&few.stats.sampled) > 400);
    assert_true(sample_traces_least(&few.stats.sampled) < 1200);
    assert_true(sample_traces_least(&many.stats.sampled) < 722);
}

/* ---- turns */

/* However short the turns are, the search that explores all makes the runs that it makes alone, and the others' runs count, too. */
static void turns_leave_the_exploration_as_it_is(void **state)
{
    static const char *const programs[] = {"locks(4)", "lastzero(6)", "readers(7)", "sb"};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct result alone = sample(programs[i], (struct how){.search = "explore"});
        struct result whole = sample(programs[i], (struct how){.search = "auto"});

        assert_int_equal(whole.sequence, alone.sequence);
        assert_int_equal(whole.stats.executions, alone.stats.executions);
        assert_int_equal(whole.stats.transitions, alone.stats.transitions);
        assert_int_equal(whole.stats.sampled.runs, 0);
        for (uint64_t steps = 5; steps <= 80; steps *= 4) {
            struct result r =
                sample(programs[i], (struct how){.search = "auto", .turn_steps = steps});

            print_message(
                "%s, turns of %llu: %llu executions, %llu explored, %llu sampled\n", programs[i],
                (unsigned long long)steps, (unsigned long long)r.stats.executions,
                (unsigned long long)r.stats.explored, (unsigned long long)r.stats.sampled.runs);
            assert_int_equal(r.stats.cut, 0);
            assert_int_equal(r.stats.explored, alone.stats.executions);
            assert_true(r.stats.executions >= r.stats.explored + r.stats.sampled.runs);
        }
    }
}

/* A bug that only one of the three finds soon is found, by whichever it is. */
static void turns_find_what_any_of_them_finds(void **state)
{
    const char *deep = turns(3, 12, 2);
    struct how how = {.max_steps = 10000, .stop = true, .turn_steps = 2000};

    (void)state;
    how.search = "auto";
    assert_int_equal(sample(deep, how).failed, 1);
    assert_int_equal(sample(endless, how).failed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_traces_of_small_programs_are_seen),
        cmocka_unit_test(a_seed_makes_the_same_runs_again),
        cmocka_unit_test(outcomes_are_drawn),
        cmocka_unit_test(pct_keeps_its_promise),
        cmocka_unit_test(a_promise_needs_runs_that_end),
        cmocka_unit_test(pos_is_more_even_than_the_random_walk),
        cmocka_unit_test(a_thread_without_an_end_starves_nobody),
        cmocka_unit_test(who_lets_time_pass_goes_last),
        cmocka_unit_test(what_is_unseen_is_told_from_what_was_seen_once),
        cmocka_unit_test(turns_leave_the_exploration_as_it_is),
        cmocka_unit_test(turns_find_what_any_of_them_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
