/* The search as a whole: how many executions each reduction needs for programs whose number of traces is known,
 * that all reductions see the same final states, the traps of DESIGN section 7, bounds and limits. */
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

/* ---- harness */

/* The distinct final states of the complete runs of a search, sorted, as text. */
struct final_states {
    char **at;
    size_t count, room;
};

struct result {
    struct explorer_stats stats;
    struct final_states states;
    uint64_t deadlocks;            /* runs that ended in one */
    uint64_t bugs[BUG_KIND_COUNT]; /* findings in complete runs */
};

struct search {
    struct program program;
    struct script script;
    struct result *result;
};

static void states_add(struct final_states *states, const char *text)
{
    size_t low = 0, high = states->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(states->at[middle], text);

        if (order == 0)
            return;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (states->count == states->room) {
        states->room = states->room ? 2 * states->room : 16;
        states->at = realloc(states->at, states->room * sizeof *states->at);
        assert_non_null(states->at);
    }
    memmove(states->at + low + 1, states->at + low, (states->count - low) * sizeof *states->at);
    states->at[low] = strdup(text);
    states->count++;
}

static void result_free(struct result *result)
{
    for (size_t i = 0; i < result->states.count; i++)
        free(result->states.at[i]);
    free(result->states.at);
    memset(result, 0, sizeof *result);
}

/* Appends to a buffer of `size` bytes that must be large enough. */
static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    int got;

    va_start(args, format);
    got = vsnprintf(text + used, size - used, format, args);
    va_end(args);
    assert_true(got >= 0 && (size_t)got < size - used);
}

/* "x=1 T0.r=0 deadlock": all cells, all registers, and how it ended. */
static void describe_state(const struct search *search, const struct explorer *explorer,
                           enum ending ending, char *text, size_t size)
{
    const struct program *program = &search->program;

    *text = '\0';
    for (uint32_t d = 0; d < program->decl_count; d++)
        for (uint32_t i = 0; program->decls[d].kind == OBJECT_CELL && i < program->decls[d].count;
             i++)
            append(text, size, "%s[%u]=%lld ", program->decls[d].name, i,
                   (long long)script_cell(&search->script, d, i));
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t r = 0; r < program->threads[t].reg_count; r++)
            append(text, size, "%s.%s=%lld ", program->threads[t].name,
                   program->threads[t].regs[r].name,
                   (long long)script_reg(&search->script, t, (reg_id)r));
    if (ending == ENDING_DEADLOCK)
        append(text, size, "deadlock ");
    /* one word a kind: the order in which several were found is no part of the state */
    for (unsigned kind = 1; kind < BUG_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < explorer->execution.findings.count; i++)
            if (explorer->execution.findings.at[i].bug == kind)
                append(text, size, "%s ", bug_kind_names[kind]);
}

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct search *search = context;
    const struct execution *x = &explorer->execution;
    char text[8192];

    if (ending == ENDING_ASLEEP || ending == ENDING_CUT ||
        (x->failed_assumes.count && !explorer_run_failed(explorer, ending)))
        return true;
    search->result->deadlocks += ending == ENDING_DEADLOCK;
    for (uint32_t i = 0; i < x->findings.count; i++)
        search->result->bugs[x->findings.at[i].bug]++;
    describe_state(search, explorer, ending, text, sizeof text);
    states_add(&search->result->states, text);
    return true;
}

/* How a test wants to search; what is 0 means the default. */
struct how {
    const char *model, *reduction; /* sc, optimal */
    uint32_t buffer_bound;         /* N + 1 */
    uint32_t preemption_bound;     /* N + 1 */
    bool bound_grows;
    uint64_t max_steps, max_executions, seed;
    double timeout;
};

static struct explorer_options options_of(struct how how)
{
    return (struct explorer_options){
        .reduction = reduction_find(how.reduction ? how.reduction : "optimal"),
        .memory = memory_find(how.model ? how.model : "sc"),
        .buffer_bound = how.buffer_bound ? how.buffer_bound - 1 : BUFFER_UNBOUNDED,
        .preemption_bound = how.preemption_bound ? how.preemption_bound - 1 : NO_BOUND,
        .bound_grows = how.bound_grows,
        .max_steps = how.max_steps ? how.max_steps : NO_LIMIT,
        .max_executions = how.max_executions ? how.max_executions : NO_LIMIT,
        .timeout = how.timeout,
        .seed = how.seed,
        .ended = run_ended,
    };
}

/* Explores search->program and frees it; the caller frees the result. */
static struct result search_run(struct search *search, struct how how)
{
    struct explorer_options options = options_of(how);
    struct explorer *explorer = malloc(sizeof *explorer);
    struct result result = {0};
    struct arena arena;

    assert_non_null(explorer);
    assert_non_null(options.memory);
    assert_non_null(options.reduction);
    search->result = &result;
    options.context = search;
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    assert_int_equal(script_open(&search->script, &search->program), 0);
    explorer_open(explorer, &arena, &search->script.base, &options);
    assert_true(explorer_run(explorer));
    result.stats = explorer->stats;
    script_close(&search->script);
    arena_close(&arena);
    free(explorer);
    program_free(&search->program);
    return result;
}

/* A classic as "locks(3)" or "sb", anything else as the text of a program. */
static struct result explore(const char *source, struct how how)
{
    struct search search = {0};
    struct read_error error;
    char name[32], message[300];
    unsigned n = 0;

    if (strchr(source, '\n')) {
        if (!text_read(source, strlen(source), NULL, &search.program, &error))
            fail_msg("%s\n%s", read_error_format(&error, NULL, message, sizeof message), source);
    } else {
        assert_true(sscanf(source, "%31[a-z](%u)", name, &n) >= 1);
        if (!classic_build(name, n, &search.program))
            fail_msg("no classic '%s'", source);
    }
    return search_run(&search, how);
}

static bool has_state(const struct final_states *states, const char *text)
{
    for (size_t i = 0; i < states->count; i++)
        if (strcmp(states->at[i], text) == 0)
            return true;
    return false;
}

/* Whether some state contains each of the words of `text`. */
static bool has_words(const struct final_states *states, const char *text)
{
    for (size_t i = 0; i < states->count; i++) {
        char copy[200];
        char *rest = copy, *word;
        bool all = true;

        assert_true(strlen(text) < sizeof copy);
        strcpy(copy, text);
        while ((word = strsep(&rest, " ")))
            all &= strstr(states->at[i], word) != NULL;
        if (all)
            return true;
    }
    return false;
}

static bool is_subset(const struct final_states *small, const struct final_states *large)
{
    for (size_t i = 0; i < small->count; i++)
        if (!has_state(large, small->at[i])) {
            print_message("missing: %s\n", small->at[i]);
            return false;
        }
    return true;
}

#define ASSERT_SAME_STATES(a, b, ...)                                                              \
    do {                                                                                           \
        if (!is_subset(&(a)->states, &(b)->states) || !is_subset(&(b)->states, &(a)->states))      \
            fail_msg(__VA_ARGS__);                                                                 \
    } while (0)

static const char *const model_names[] = {"sc", "tso", "pso"};
static const char *const reduction_names[] = {"optimal", "source", "dpor", "sharing", "exhaustive"};

enum { MODELS = 3, REDUCTIONS = 5 };

/* ---- the numbers of executions */

struct count {
    const char *source;
    const char *model; /* NULL: all three, with the same number */
    uint64_t executions;
};

static const struct count counts[] = {
    {"sb", "sc", 3},
    {"sb", "tso", 4},
    {"sb", "pso", 4},
    {"mp", "sc", 3},
    {"mp", "tso", 3},
    {"mp", "pso", 4},
    {"mpdep", "sc", 2},
    {"mpdep", "tso", 2},
    {"mpdep", "pso", 3},
    {"locks(1)", NULL, 1},
    {"locks(2)", NULL, 2},
    {"locks(3)", NULL, 6},
    {"locks(4)", NULL, 24},
    {"locks(5)", NULL, 120},
    {"locks(6)", NULL, 720},
    {"readers(1)", "sc", 2},
    {"readers(2)", "sc", 4},
    {"readers(3)", "sc", 8},
    {"readers(4)", "sc", 16},
    {"readers(5)", "sc", 32},
    {"readers(6)", "sc", 64},
    {"readers(7)", "sc", 128},
    {"readers(8)", "sc", 256},
    {"readers(8)", "tso", 256},
    {"ainc(1)", NULL, 1},
    {"ainc(2)", NULL, 2},
    {"ainc(3)", NULL, 6},
    {"ainc(4)", NULL, 24},
    {"ainc(5)", NULL, 120},
    {"ainc(6)", NULL, 720},
    {"lastzero(5)", "sc", 64},
    {"lastzero(8)", "sc", 704},
    {"lastzero(10)", "sc", 3328},
    {"indexer(11)", "sc", 1},
    {"indexer(12)", "sc", 8},
    {"indexer(13)", "sc", 64},
    {"indexer(14)", "sc", 512},
    {"filesystem(14)", "sc", 2},
    {"filesystem(16)", "sc", 8},
    {"filesystem(18)", "sc", 32},
    {"filesystem(20)", "sc", 128},
};

static void expect_count(const struct count *count, const char *model, const char *reduction)
{
    struct result r = explore(count->source, (struct how){.model = model, .reduction = reduction});

    if (r.stats.executions != count->executions)
        fail_msg("%s, %s, %s: %llu executions, not %llu", count->source, model, reduction,
                 (unsigned long long)r.stats.executions, (unsigned long long)count->executions);
    if (strcmp(reduction, "optimal") == 0 && r.stats.asleep)
        fail_msg("%s, %s: %llu runs given up", count->source, model,
                 (unsigned long long)r.stats.asleep);
    assert_int_equal(r.stats.cut, 0);
    result_free(&r);
}

static void expect_counts(const char *reduction)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned m = 0; m < MODELS; m++)
            if (!counts[i].model || strcmp(counts[i].model, model_names[m]) == 0)
                expect_count(&counts[i], model_names[m], reduction);
}

static void optimal_visits_each_trace_once(void **state)
{
    (void)state;
    expect_counts("optimal");
}

/* Its redundant runs are given up, and not counted as executions. */
static void source_completes_each_trace_once(void **state)
{
    (void)state;
    expect_counts("source");
}

/* ---- all reductions agree */

static const char start_two[] = "cell a\n"
                                "thread t0\n create t1\n store a, 1\n"
                                "thread t1\n store a, 2\n";

static const char two_waiters[] = "cell n\nmutex m\ncond c\n"
                                  "thread A\n lock m\n wait c, m\n a = add n, 1\n unlock m\n"
                                  "thread B\n lock m\n wait c, m\n a = add n, 1\n unlock m\n"
                                  "thread C\n signal c\n signal c\n";

static const char timed[] = "cell x\nmutex m\ncond c\n"
                            "thread A\n lock m\n r = timedwait c, m\n s = load x\n unlock m\n"
                            "thread B\n store x, 1\n signal c\n";

static const char two_timed[] = "cell x\nmutex m\ncond c\n"
                                "thread A\n lock m\n r = timedwait c, m\n unlock m\n"
                                "thread B\n lock m\n r = timedwait c, m\n unlock m\n"
                                "thread C\n signal c\n";

static const char nested[] = "cell x\n"
                             "thread A\n create B\n a = load x\n join B\n b = load x\n"
                             "thread B\n create C\n store x, 1\n"
                             "thread C\n r = add x, 2\n";

static const char choices[] = "cell x\n"
                              "thread A\n r = choose 3\n store x, r\n"
                              "thread B\n s = choose 2\n t = load x\n";

static const char barrier_and_sem[] = "cell x\nbarrier b = 2\nsem e\n"
                                      "thread A\n a = barrier b\n store x, 1\n sempost e\n"
                                      "thread B\n a = barrier b\n c = load x\n"
                                      "thread C\n semwait e\n d = add x, 1\n";

static const char tries[] = "cell x\nmutex m\nrwlock w\n"
                            "thread A\n lock m\n a = trywrlock w\n unlock m\n"
                            "thread B\n r = trylock m\n b = tryrdlock w\n"
                            "thread C\n rdlock w\n";

static const char deadlock[] = "mutex a\nmutex b\n"
                               "thread A\n lock a\n lock b\n unlock b\n unlock a\n"
                               "thread B\n lock b\n lock a\n unlock a\n unlock b\n";

static const char failing[] = "cell x\n"
                              "thread A\n a = load x\n assert a == 0\n store x, 2\n"
                              "thread B\n store x, 1\n b = load x\n assume b != 2\n";

static const char *const small_programs[] = {
    "sb",      "mp",        "mpdep", "locks(3)", "readers(3)", "ainc(3)", "lastzero(2)",
    start_two, two_waiters, timed,   two_timed,  nested,       choices,   barrier_and_sem,
    tries,     deadlock,    failing,
};

enum { SMALL_PROGRAMS = sizeof small_programs / sizeof *small_programs };

/* All four against the oracle: the same final states; and never fewer executions than traces. */
static void compare_reductions(const char *source, const char *model)
{
    struct result all = explore(source, (struct how){.model = model, .reduction = "exhaustive"});
    struct result best = explore(source, (struct how){.model = model});

    assert_int_equal(best.stats.asleep, 0);
    for (unsigned i = 0; i < REDUCTIONS; i++) {
        struct result r =
            explore(source, (struct how){.model = model, .reduction = reduction_names[i]});

        ASSERT_SAME_STATES(&all, &r, "%s under %s differs from exhaustive:\n%s", reduction_names[i],
                           model, source);
        if (strcmp(reduction_names[i], "source") == 0)
            assert_int_equal(r.stats.executions, best.stats.executions);
        assert_true(r.stats.executions + r.stats.assumes >=
                    best.stats.executions + best.stats.assumes);
        assert_int_equal(r.deadlocks > 0, all.deadlocks > 0);
        result_free(&r);
    }
    result_free(&all);
    result_free(&best);
}

static void reductions_agree_on_final_states(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SMALL_PROGRAMS; i++)
        for (unsigned m = 0; m < MODELS; m++)
            compare_reductions(small_programs[i], model_names[m]);
}

/* Too large for the oracle: dpor and sharing against optimal. */
static void reductions_agree_on_larger_programs(void **state)
{
    static const char *const programs[] = {"locks(4)",    "readers(4)",  "ainc(4)",
                                           "lastzero(4)", "indexer(12)", "filesystem(14)"};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        /* sharing tries all threads where two meet: too much for twelve of them */
        bool many = programs[i][0] == 'i' || programs[i][0] == 'f';
        struct result best = explore(programs[i], (struct how){0});

        for (unsigned k = 2; k < (many ? 3 : 4); k++) {
            struct result r = explore(programs[i], (struct how){.reduction = reduction_names[k]});

            ASSERT_SAME_STATES(&best, &r, "%s: %s", programs[i], reduction_names[k]);
            assert_true(r.stats.executions >= best.stats.executions);
            result_free(&r);
        }
        result_free(&best);
    }
}

/* clock-vector-por, section 4: the sharing-based scheme explores what the clock vectors know to be in vain. */
static void sharing_explores_more_than_clock_vectors(void **state)
{
    struct result sharing = explore(start_two, (struct how){.reduction = "sharing"});
    struct result dpor = explore(start_two, (struct how){.reduction = "dpor"});
    struct result best = explore(start_two, (struct how){0});

    (void)state;
    assert_int_equal(best.stats.executions, 2);
    assert_true(sharing.stats.executions > dpor.stats.executions);
    assert_true(sharing.stats.transitions > dpor.stats.transitions);
    assert_int_equal(best.states.count, 2);
    ASSERT_SAME_STATES(&best, &sharing, "sharing");
    ASSERT_SAME_STATES(&best, &dpor, "dpor");
    result_free(&sharing);
    result_free(&dpor);
    result_free(&best);
}

/* ---- buffer bounds */

static void buffer_bound_0_is_sc(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SMALL_PROGRAMS; i++) {
        struct result sc = explore(small_programs[i], (struct how){0});

        for (unsigned m = 1; m < MODELS; m++) {
            struct result r = explore(small_programs[i],
                                      (struct how){.model = model_names[m], .buffer_bound = 0 + 1});

            ASSERT_SAME_STATES(&sc, &r, "%s with bound 0:\n%s", model_names[m], small_programs[i]);
            assert_int_equal(r.stats.executions, sc.stats.executions);
            assert_int_equal(r.stats.asleep, 0);
            assert_int_equal(r.stats.cut & ~(uint32_t)CUT_BUFFER_BOUND, 0);
            result_free(&r);
        }
        result_free(&sc);
    }
}

/* With the largest bound that every interleaving can be tried for, in a moment. */
static const struct {
    const char *source;
    uint32_t oracle_bound;
} buffering_programs[] = {
    {"cell x\ncell y\n"
     "thread A\n store x, 1\n store x, 2\n a = load y\n"
     "thread B\n store y, 1\n store y, 2\n b = load x\n",
     1},
    {"cell x\ncell y\n"
     "thread A\n store x, 1\n store x, 2\n store x, 3\n a = load y\n"
     "thread B\n store y, 1\n store y, 2\n store y, 3\n b = load x\n",
     0},
    {"cell x\ncell y\ncell z\n"
     "thread A\n store x, 1\n store z, 1\n a = load y\n b = load z\n"
     "thread B\n store y, 1\n store z, 2\n a = load x\n b = load z\n",
     0},
    {"cell x\ncell y\ncell z\n"
     "thread A\n store x, 1\n store y, 1\n store z, 1\n a = load z\n"
     "thread B\n a = load z\n b = load y\n c = load x\n store z, 2\n store x, 2\n",
     0},
};

/* No store waits behind more than two others here, so a bound of 3 is as good as none. */
static void expect_growth(const char *source, const char *model, uint32_t oracle_bound)
{
    struct result before = explore(source, (struct how){0});
    struct result unbounded = explore(source, (struct how){.model = model});

    for (uint32_t bound = 0; bound <= 3; bound++) {
        struct result r = explore(source, (struct how){.model = model, .buffer_bound = bound + 1});
        struct result all =
            explore(source, (struct how){.model = model,
                                         .reduction = bound <= oracle_bound ? "exhaustive" : "dpor",
                                         .buffer_bound = bound + 1});

        ASSERT_SAME_STATES(&all, &r, "%s, bound %u:\n%s", model, bound, source);
        if (!is_subset(&before.states, &r.states))
            fail_msg("%s, bound %u loses a state:\n%s", model, bound, source);
        assert_int_equal(r.stats.asleep, 0);
        assert_int_equal(!!(r.stats.cut & CUT_BUFFER_BOUND), bound < 3 && r.stats.cut);
        result_free(&before);
        result_free(&all);
        before = r;
    }
    ASSERT_SAME_STATES(&before, &unbounded, "%s: bound 3 is not enough:\n%s", model, source);
    assert_int_equal(before.stats.cut, 0);
    result_free(&before);
    result_free(&unbounded);
}

static void states_grow_with_the_buffer_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof buffering_programs / sizeof *buffering_programs; i++)
        for (unsigned m = 1; m < MODELS; m++)
            expect_growth(buffering_programs[i].source, model_names[m],
                          buffering_programs[i].oracle_bound);
}

/* ---- traps (DESIGN section 7) */

static void expect_states_once(const char *source, struct how how, size_t count,
                               const char *const *words)
{
    struct result r = explore(source, how);

    if (r.states.count != count)
        fail_msg("%s, %s, seed %llu: %zu states, not %zu:\n%s", how.model, how.reduction,
                 (unsigned long long)how.seed, r.states.count, count, source);
    for (const char *const *w = words; *w; w++)
        if (!has_words(&r.states, *w))
            fail_msg("%s, %s, seed %llu: '%s' is not found:\n%s", how.model, how.reduction,
                     (unsigned long long)how.seed, *w, source);
    result_free(&r);
}

/* For each reduction: the states that the words name, and no more than `count`. With seeds, since what is tried
 * first decides which races have to be seen. */
static void expect_states(const char *source, const char *model, size_t count,
                          const char *const *words)
{
    for (unsigned i = 0; i < REDUCTIONS; i++)
        for (uint64_t seed = 0; seed < 8; seed++)
            expect_states_once(
                source, (struct how){.model = model, .reduction = reduction_names[i], .seed = seed},
                count, words);
}

#define STATES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_executions(const char *source, const char *model, uint64_t executions)
{
    struct count count = {source, model, executions};

    expect_count(&count, model, "optimal");
    expect_count(&count, model, "source");
}

/* The latest read before the write is T2's, but that one is ordered by the creation; the race is T1's. */
static void trap_race_behind_an_ordered_read(void **state)
{
    static const char source[] = "cell x\n"
                                 "thread T1\n a = load x\n"
                                 "thread T2\n b = load x\n create T3\n"
                                 "thread T3\n store x, 1\n";

    (void)state;
    expect_states(source, "sc", 2, STATES("T1.a=0 T2.b=0", "T1.a=1 T2.b=0"));
    expect_executions(source, "sc", 2);
}

/* The unlock orders the second lock, and still the locks could have come the other way round. */
static void trap_lock_races_with_the_lock_before(void **state)
{
    static const char source[] = "cell x\nmutex m\n"
                                 "thread A\n lock m\n store x, 1\n unlock m\n"
                                 "thread B\n lock m\n store x, 2\n unlock m\n";

    (void)state;
    expect_states(source, "sc", 2, STATES("x[0]=1", "x[0]=2"));
    expect_executions(source, "sc", 2);
}

static void trap_failed_cas_is_a_read(void **state)
{
    (void)state;
    /* never equal: commutes with the load, and with another one like it */
    expect_executions("cell x\nthread A\n a = cas x, 5, 1\nthread B\n b = load x\n"
                      "thread C\n c = cas x, 6, 1\n",
                      "sc", 1);
    expect_executions("cell x\nthread A\n a = cas x, 0, 1\nthread B\n b = load x\n", "sc", 2);
    /* fails before the store, succeeds after it: {C L}S, CSL, SCL, SLC, LSC */
    expect_executions("cell x\nthread S\n store x, 1\nthread C\n c = cas x, 1, 2\n"
                      "thread L\n l = load x\n",
                      "sc", 5);
}

static void trap_failed_trylock_is_a_read(void **state)
{
    (void)state;
    expect_executions("mutex m\nthread A\n lock m\n create B\n create C\n"
                      "thread B\n b = trylock m\nthread C\n c = trylock m\n",
                      "sc", 1);
    expect_executions("mutex m\nthread B\n b = trylock m\nthread C\n c = trylock m\n", "sc", 2);
}

static void trap_own_flush_foreign_flush_own_load(void **state)
{
    static const char source[] =
        "cell x\nthread A\n store x, 1\n r = load x\nthread B\n store x, 2\n";

    (void)state;
    for (unsigned m = 1; m < MODELS; m++)
        expect_states(source, model_names[m], 3,
                      STATES("x[0]=1 A.r=1", "x[0]=2 A.r=1", "x[0]=2 A.r=2"));
}

static void trap_sb_rfi_pos(void **state)
{
    static const char source[] = "cell x\ncell y\n"
                                 "thread A\n store x, 1\n a = load x\n b = load y\n"
                                 "thread B\n store y, 1\n a = load y\n b = load x\n";

    (void)state;
    expect_states(source, "sc", 3, STATES("A.a=1 A.b=1 B.a=1 B.b=1"));
    for (unsigned m = 1; m < MODELS; m++)
        expect_states(source, model_names[m], 4, STATES("A.a=1 A.b=0 B.a=1 B.b=0"));
}

/* A buffer of one slot, as examples/scripts/bbuf.script: `again` is where a woken thread goes on, and the
 * conditions are those that producers and consumers wait on. */
static char *bounded_buffer(const char *full, const char *empty, bool again)
{
    static char source[2000];

    *source = '\0';
    append(source, sizeof source, "cell slot\ncell taken\nmutex m\ncond c\ncond d\n");
    for (int i = 0; i < 2; i++)
        append(
            source, sizeof source,
            "thread P%d\n lock m\nFULL:\n v = load slot\n if v == 0 goto PUT\n wait %s, m\n goto %s\n"
            "PUT:\n store slot, %d\n signal %s\n unlock m\n",
            i, full, again ? "FULL" : "PUT", i + 1, empty);
    for (int i = 0; i < 2; i++)
        append(
            source, sizeof source,
            "thread C%d\n lock m\nEMPTY:\n v = load slot\n if v != 0 goto TAKE\n wait %s, m\n goto %s\n"
            "TAKE:\n v = load slot\n store slot, 0\n add taken, v\n signal %s\n unlock m\n",
            i, empty, again ? "EMPTY" : "TAKE", full);
    return source;
}

/* All reductions but sharing, which takes as long as the oracle, against the oracle. */
static struct result compare_buffer(const char *source)
{
    struct result all = explore(source, (struct how){.reduction = "exhaustive"});

    for (unsigned i = 0; i < 3; i++) {
        struct result r = explore(source, (struct how){.reduction = reduction_names[i]});

        ASSERT_SAME_STATES(&all, &r, "%s:\n%s", reduction_names[i], source);
        if (i == 0)
            assert_int_equal(r.stats.asleep, 0);
        result_free(&r);
    }
    return all;
}

static void trap_buffer_with_conditions(void **state)
{
    struct result r = compare_buffer(bounded_buffer("c", "d", true));

    (void)state;
    assert_int_equal(r.deadlocks, 0);
    for (size_t i = 0; i < r.states.count; i++)
        assert_non_null(strstr(r.states.at[i], "slot[0]=0 taken[0]=3"));
    assert_true(has_words(&r.states, "C0.v=1 C1.v=2") && has_words(&r.states, "C0.v=2 C1.v=1"));
    result_free(&r);
}

/* A woken thread that does not look again may find that another was faster. */
static void trap_buffer_with_if_instead_of_while(void **state)
{
    struct result r = compare_buffer(bounded_buffer("c", "d", false));

    (void)state;
    assert_true(has_words(&r.states, "C0.v=0") || has_words(&r.states, "C1.v=0"));
    assert_true(has_words(&r.states, "taken[0]=1") || has_words(&r.states, "taken[0]=2"));
    result_free(&r);
}

/* One condition for both sides: the signal may wake the wrong side, and is lost for the right one. */
static void trap_buffer_with_one_condition(void **state)
{
    struct result r = compare_buffer(bounded_buffer("c", "c", true));

    (void)state;
    assert_true(r.deadlocks > 0);
    assert_true(has_words(&r.states, "taken[0]=3"));
    result_free(&r);
}

static void trap_signal_that_comes_too_early(void **state)
{
    static const char source[] = "mutex m\ncond c\n"
                                 "thread A\n lock m\n wait c, m\n unlock m\n"
                                 "thread B\n lock m\n signal c\n unlock m\n";

    (void)state;
    expect_executions(source, "sc", 2);
    for (unsigned i = 0; i < REDUCTIONS; i++) {
        struct result r = explore(source, (struct how){.reduction = reduction_names[i]});

        assert_true(r.deadlocks > 0);
        assert_true(r.stats.executions > r.deadlocks);
        result_free(&r);
    }
}

/* B's signal may wake A, come after its timeout, or before its wait; in the last case A times out, too, but
 * sees x. */
static void trap_timed_wait(void **state)
{
    static const char source[] =
        "cell x\nmutex m\ncond c\n"
        "thread A\n lock m\n early = load x\n r = timedwait c, m\n late = load x\n unlock m\n"
        "thread B\n lock m\n store x, 1\n signal c\n unlock m\n";

    (void)state;
    expect_states(source, "sc", 4,
                  STATES("A.early=0 A.r=0 A.late=1", "A.early=0 A.r=1 A.late=0",
                         "A.early=0 A.r=1 A.late=1", "A.early=1 A.r=1 A.late=1"));
}

/* Increments whose results nobody uses leave the same memory, yet order what is around them. */
static void trap_increments_do_not_commute(void **state)
{
    (void)state;
    expect_executions("cell x\nthread A\n add x, 1\nthread B\n add x, 1\n", "sc", 2);
}

/* ---- chance decides nothing */

static const char *const seeded_programs[] = {
    "sb",      "mp",   "mpdep", "locks(4)",      "readers(4)", "lastzero(4)", two_waiters, timed,
    two_timed, nested, choices, barrier_and_sem, tries,        deadlock,      start_two,
};

static void seeds_change_no_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof seeded_programs / sizeof *seeded_programs; i++)
        for (unsigned m = 0; m < MODELS; m++) {
            struct result first =
                explore(seeded_programs[i], (struct how){.model = model_names[m]});

            for (uint64_t seed = 1; seed <= 50; seed++) {
                struct result r = explore(seeded_programs[i],
                                          (struct how){.model = model_names[m], .seed = seed});

                if (r.stats.executions != first.stats.executions || r.stats.asleep)
                    fail_msg("seed %llu, %s: %llu executions, %llu asleep, not %llu:\n%s",
                             (unsigned long long)seed, model_names[m],
                             (unsigned long long)r.stats.executions,
                             (unsigned long long)r.stats.asleep,
                             (unsigned long long)first.stats.executions, seeded_programs[i]);
                ASSERT_SAME_STATES(&first, &r, "seed %llu:\n%s", (unsigned long long)seed,
                                   seeded_programs[i]);
                result_free(&r);
            }
            result_free(&first);
        }
}

/* ---- limits and findings */

static void limits_are_named(void **state)
{
    struct result r = explore("locks(4)", (struct how){.max_steps = 5});

    (void)state;
    assert_int_equal(r.stats.cut, CUT_MAX_STEPS);
    assert_int_equal(r.stats.executions, 0);
    assert_int_equal(r.stats.max_depth, 5);
    result_free(&r);
    r = explore("locks(4)", (struct how){.max_steps = 12}); /* 3 events a thread: just enough */
    assert_int_equal(r.stats.cut, 0);
    assert_int_equal(r.stats.executions, 24);
    result_free(&r);
    r = explore("locks(4)", (struct how){.max_executions = 7});
    assert_int_equal(r.stats.cut, CUT_MAX_EXECUTIONS);
    assert_int_equal(r.stats.executions, 7);
    result_free(&r);
    r = explore("locks(9)", (struct how){.timeout = 0.05});
    assert_int_equal(r.stats.cut, CUT_TIMEOUT);
    assert_true(r.stats.executions > 0 && r.stats.executions < 362880);
    result_free(&r);
    r = explore("sb", (struct how){.model = "tso", .buffer_bound = 0 + 1});
    assert_int_equal(r.stats.cut, CUT_BUFFER_BOUND);
    result_free(&r);
}

/* A search that ended because all was seen must not be called cut at the very last execution. */
static void last_execution_is_no_limit(void **state)
{
    struct result r = explore("locks(3)", (struct how){.max_executions = 7});

    (void)state;
    assert_int_equal(r.stats.cut, 0);
    assert_int_equal(r.stats.executions, 6);
    result_free(&r);
}

static bool stop_at_once(void *context, struct explorer *explorer, enum ending ending)
{
    (void)context;
    (void)explorer;
    (void)ending;
    return false;
}

static void observer_can_stop(void **state)
{
    struct explorer_options options = options_of((struct how){0});
    static struct explorer explorer;
    struct search search = {0};
    struct arena arena;

    (void)state;
    options.ended = stop_at_once;
    assert_true(classic_build("locks", 3, &search.program));
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    assert_int_equal(script_open(&search.script, &search.program), 0);
    explorer_open(&explorer, &arena, &search.script.base, &options);
    assert_true(explorer_run(&explorer));
    assert_int_equal(explorer.stats.cut, CUT_STOPPED);
    assert_int_equal(explorer.stats.executions, 1);
    script_close(&search.script);
    arena_close(&arena);
    program_free(&search.program);
}

static void bugs_are_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < REDUCTIONS; i++) {
        struct how how = {.reduction = reduction_names[i]};
        struct result r = explore(deadlock, how);

        assert_true(r.deadlocks > 0 && r.deadlocks < r.stats.executions);
        result_free(&r);
        r = explore(failing, how);
        assert_true(r.bugs[BUG_ASSERTION] > 0);
        assert_true(r.stats.assumes > 0);
        assert_int_equal(r.deadlocks, 0);
        result_free(&r);
        r = explore("mutex m\ncell x\nthread A\n a = load x\n if a == 0 goto E\n unlock m\nE:\n"
                    "thread B\n store x, 1\n",
                    how);
        assert_true(r.bugs[BUG_MISUSE] > 0 && r.bugs[BUG_MISUSE] < r.stats.executions);
        result_free(&r);
    }
}

/* ---- preemption bounds */

/* Fails only if B reads between A's stores, and again after them: A is preempted, and so is B. */
static const char two_preemptions[] = "cell x\n"
                                      "thread A\n store x, 1\n store x, 2\n"
                                      "thread B\n a = load x\n b = load x\n"
                                      " let a = a * 10\n let a = a + b\n assert a != 12\n";

static void bug_needs_two_preemptions(void **state)
{
    static const char *const takers[] = {"dpor", "exhaustive"};

    (void)state;
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t bound = 0; bound <= 3; bound++) {
            struct result r = explore(two_preemptions, (struct how){.reduction = takers[i],
                                                                    .preemption_bound = bound + 1});

            assert_int_equal(r.bugs[BUG_ASSERTION] > 0, bound >= 2);
            if (bound < 2)
                assert_int_equal(r.stats.cut, CUT_PREEMPTION_BOUND);
            result_free(&r);
        }
}

static const char *const bounded_programs[] = {
    "sb",      "mp",   "locks(3)", "ainc(3)", "lastzero(2)", two_preemptions, two_waiters, timed,
    two_timed, nested, choices,    tries,     deadlock,      barrier_and_sem, start_two,   failing,
};

static void compare_bounded(const char *source, const char *model)
{
    struct result unbounded = explore(source, (struct how){.model = model});
    struct result before = {0};

    for (uint32_t bound = 0; bound <= 3; bound++) {
        struct how how = {.model = model, .preemption_bound = bound + 1};
        struct result all, r;

        how.reduction = "exhaustive";
        all = explore(source, how);
        how.reduction = "dpor";
        r = explore(source, how);
        ASSERT_SAME_STATES(&all, &r, "%s, at most %u preemptions:\n%s", model, bound, source);
        if (r.stats.cut == 0) /* then it is safe to say that nothing was left out */
            ASSERT_SAME_STATES(&unbounded, &r, "%s, %u preemptions are not enough:\n%s", model,
                               bound, source);
        assert_true(is_subset(&before.states, &r.states));
        result_free(&before);
        result_free(&all);
        before = r;
    }
    result_free(&before);
    result_free(&unbounded);
}

static void dpor_keeps_its_promise_under_a_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bounded_programs / sizeof *bounded_programs; i++)
        for (unsigned m = 0; m < MODELS; m++)
            compare_bounded(bounded_programs[i], model_names[m]);
}

/* It ends when nothing was forbidden: then all final states were seen, by runs of all bounds together. */
static void a_bound_grows_until_nothing_is_forbidden(void **state)
{
    static const char *const sources[] = {"sb", "mp", "locks(3)"};

    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (unsigned m = 0; m < MODELS; m++) {
            struct how how = {.model = model_names[m], .reduction = "dpor"};
            struct result all = explore(sources[i], how), grown;
            uint64_t executions = 0;

            how.preemption_bound = 1;
            how.bound_grows = true;
            grown = explore(sources[i], how);
            ASSERT_SAME_STATES(&all, &grown, "%s, %s", sources[i], model_names[m]);
            assert_int_equal(grown.stats.cut, 0);
            how.bound_grows = false;
            for (uint32_t bound = 0; bound <= grown.stats.bounds; bound++) {
                struct result one;

                how.preemption_bound = bound + 1;
                one = explore(sources[i], how);
                assert_int_equal(one.stats.cut != 0, bound < grown.stats.bounds);
                executions += one.stats.executions;
                result_free(&one);
            }
            assert_int_equal(grown.stats.executions, executions);
            result_free(&all);
            result_free(&grown);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_grows_until_nothing_is_forbidden),
        cmocka_unit_test(optimal_visits_each_trace_once),
        cmocka_unit_test(source_completes_each_trace_once),
        cmocka_unit_test(reductions_agree_on_final_states),
        cmocka_unit_test(reductions_agree_on_larger_programs),
        cmocka_unit_test(sharing_explores_more_than_clock_vectors),
        cmocka_unit_test(buffer_bound_0_is_sc),
        cmocka_unit_test(states_grow_with_the_buffer_bound),
        cmocka_unit_test(trap_race_behind_an_ordered_read),
        cmocka_unit_test(trap_lock_races_with_the_lock_before),
        cmocka_unit_test(trap_failed_cas_is_a_read),
        cmocka_unit_test(trap_failed_trylock_is_a_read),
        cmocka_unit_test(trap_own_flush_foreign_flush_own_load),
        cmocka_unit_test(trap_sb_rfi_pos),
        cmocka_unit_test(trap_buffer_with_conditions),
        cmocka_unit_test(trap_buffer_with_if_instead_of_while),
        cmocka_unit_test(trap_buffer_with_one_condition),
        cmocka_unit_test(trap_signal_that_comes_too_early),
        cmocka_unit_test(trap_timed_wait),
        cmocka_unit_test(trap_increments_do_not_commute),
        cmocka_unit_test(seeds_change_no_count),
        cmocka_unit_test(limits_are_named),
        cmocka_unit_test(last_execution_is_no_limit),
        cmocka_unit_test(observer_can_stop),
        cmocka_unit_test(bugs_are_found),
        cmocka_unit_test(bug_needs_two_preemptions),
        cmocka_unit_test(dpor_keeps_its_promise_under_a_bound),
    };

    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
