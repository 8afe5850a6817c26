/* Failing runs made short: as few switches as any failing run has, judged by trying them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/minimise.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 34)

static const struct sample {
    const char *name, *model, *text;
} samples[] = {
    {"lost update", "sc",
     "cell x\ncell noise\n"
     "thread A\n r = load x\n let r = r + 1\n store x, r\n q = add noise, 1\n"
     "thread B\n q = add noise, 1\n r = load x\n let r = r + 1\n store x, r\n"
     "thread C\n join A\n join B\n r = load x\n assert r == 2\n"},
    {"store buffering", "tso",
     "cell x\ncell y\ncell a = 1\ncell b = 1\n"
     "thread A\n store x, 1\n r = load y\n store a, r\n"
     "thread B\n store y, 1\n r = load x\n store b, r\n"
     "thread C\n join A\n join B\n r = load a\n s = load b\n let r = r + s\n assert r != 0\n"},
    {"message passing", "pso",
     "cell data\ncell flag\n"
     "thread A\n store data, 1\n store flag, 1\n"
     "thread B\n f = load flag\n if f == 0 goto E\n d = load data\n assert d == 1\nE:\n yield\n"},
    {"two locks", "sc",
     "mutex a\nmutex b\ncell noise\n"
     "thread A\n q = add noise, 1\n lock a\n lock b\n unlock b\n unlock a\n"
     "thread B\n q = add noise, 1\n lock b\n lock a\n unlock a\n unlock b\n"
     "thread C\n q = add noise, 1\n"},
    {"a choice", "sc",
     "cell x\n"
     "thread A\n c = choose 4\n store x, c\n"
     "thread B\n r = load x\n assert r != 3\n"},
    {"needs two switches", "sc",
     "cell x\ncell y\n"
     "thread A\n store x, 1\n r = load y\n s = load x\n if s == 1 goto E\n assert r == 1\nE:\n yield\n"
     "thread B\n r = load x\n if r == 0 goto E\n store x, 2\n store y, 1\nE:\n yield\n"},
};

struct search {
    struct program program;
    struct script script;
    struct arena arena;
    struct explorer explorer;
    uint32_t least;   /* switches of the best failing run seen */
    bool stop_at_bug; /* the first failing run ends the search */
};

static uint32_t switches_of_run(const struct explorer *explorer)
{
    const struct execution *x = &explorer->execution;
    event_id end = x->findings.count ? x->findings.at[0].event + 1 : x->events.count;
    agent_id running = AGENT_NONE;
    uint32_t switches = 0;

    for (event_id id = 0; id < end; id++) {
        agent_id agent = x->events.at[id].agent;

        if (explorer->world.agents.at[agent].is_buffer)
            continue;
        switches += running != AGENT_NONE && running != agent;
        running = agent;
    }
    return switches;
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct search *search = context;
    uint32_t switches;

    if (!explorer_run_failed(explorer, ending))
        return true;
    switches = switches_of_run(explorer);
    if (switches < search->least)
        search->least = switches;
    return !search->stop_at_bug;
}

static bool run_fails(void *context, struct explorer *explorer, enum ending ending)
{
    (void)context;
    return explorer_run_failed(explorer, ending);
}

static void search_open(struct search *search, const struct sample *sample, const char *reduction,
                        uint64_t seed, uint32_t bound)
{
    struct explorer_options options = {.reduction = reduction_find(reduction),
                                       .memory = memory_find(sample->model),
                                       .buffer_bound = BUFFER_UNBOUNDED,
                                       .preemption_bound = bound,
                                       .max_steps = NO_LIMIT,
                                       .max_executions = NO_LIMIT,
                                       .seed = seed,
                                       .ended = run_ended,
                                       .context = search};
    struct read_error error;
    char message[300];

    memset(search, 0, sizeof *search);
    search->least = UINT32_MAX;
    search->stop_at_bug = seed != 0 || bound != NO_BOUND;
    if (!text_read(sample->text, strlen(sample->text), NULL, &search->program, &error))
        fail_msg("%s", read_error_format(&error, NULL, message, sizeof message));
    assert_int_equal(arena_open(&search->arena, RESERVE), 0);
    assert_int_equal(script_open(&search->script, &search->program), 0);
    explorer_open(&search->explorer, &search->arena, &search->script.base, &options);
    assert_true(explorer_run(&search->explorer));
    assert_true(search->least != UINT32_MAX);
}

static void search_close(struct search *search)
{
    script_close(&search->script);
    arena_close(&search->arena);
    program_free(&search->program);
}

static uint32_t least_of_all(const struct sample *sample)
{
    static struct search search;
    uint32_t least;

    search_open(&search, sample, "exhaustive", 0, NO_BOUND);
    least = search.least;
    search_close(&search);
    return least;
}

static void check_sample(const struct sample *sample, uint32_t least, uint64_t seed)
{
    static struct search search;
    struct minimise_goal goal = {.same = run_fails, .seconds = 10};
    struct minimise_result result;

    search_open(&search, sample, "optimal", seed, NO_BOUND);
    assert_true(minimise(&search.explorer, &goal, &result));
    assert_true(explorer_run_failed(&search.explorer, explorer_ending(&search.explorer)));
    assert_int_equal(result.after.switches, switches_of_run(&search.explorer));
    assert_int_equal(result.after.steps, search.explorer.execution.events.count);
    if (result.after.switches != least)
        fail_msg("%s, seed %u: %u switches, but %u are enough", sample->name, (unsigned)seed,
                 result.after.switches, least);
    search_close(&search);
}

static void test_least_switches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        uint32_t least = least_of_all(&samples[i]);

        for (uint64_t seed = 1; seed <= 20; seed++)
            check_sample(&samples[i], least, seed);
    }
}

/* One preemption, and one switch; or two switches and no preemption: if D takes the semaphore, A has to wait for it. */
static void test_bound(void **state)
{
    static const struct sample sample = {
        "bound", "sc",
        "cell x\nsem s = 1\nsem t\nthread A\n  store x, 1\n  semwait s\n  store x, 0\n  sempost s\n"
        "thread D\n  semwait s\n  semwait t\n  sempost s\n"
        "thread B\n  r = load x\n  assert r == 0\n  sempost t\n"};
    static struct search search;
    struct minimise_goal goal = {.same = run_fails, .seconds = 10};
    struct minimise_result result;

    (void)state;
    for (uint32_t bound = 0; bound <= 1; bound++) {
        search_open(&search, &sample, "dpor", 0, bound);
        assert_true(minimise(&search.explorer, &goal, &result));
        print_message("bound %u: %u switches\n", bound, result.after.switches);
        assert_int_equal(result.after.switches, bound == 0 ? 2 : 1);
        search_close(&search);
    }
}

/* A bug that nobody sees again: the minimiser says so. */
static bool run_never_fails(void *context, struct explorer *explorer, enum ending ending)
{
    (void)context;
    (void)explorer;
    (void)ending;
    return false;
}

static void test_not_again(void **state)
{
    static struct search search;
    struct minimise_goal goal = {.same = run_never_fails, .seconds = 10};
    struct minimise_result result;

    (void)state;
    search_open(&search, &samples[0], "optimal", 1, NO_BOUND);
    assert_false(minimise(&search.explorer, &goal, &result));
    assert_int_equal(search.explorer.execution.events.count, 0);
    search_close(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_switches),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_not_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
