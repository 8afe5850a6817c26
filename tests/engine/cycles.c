#include "cycles.h"

#include <stdlib.h>
#include <string.h>

#include "engine_api.h"
#include "script/text.h"

#define STATES_MAX 4000
#define TEXT_MAX   4096

/* Makes a program in the text form, from a number. */
struct maker {
    uint64_t random;
    char text[TEXT_MAX];
    size_t length;
    unsigned labels;
};

static unsigned below(struct maker *maker, unsigned n)
{
    maker->random += 0x9e3779b97f4a7c15u;
    uint64_t x = maker->random;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((x ^ (x >> 31)) % n);
}

static void say(struct maker *maker, const char *format, unsigned a, unsigned b)
{
    maker->length +=
        (size_t)snprintf(maker->text + maker->length, TEXT_MAX - maker->length, format, a, b);
}

/* One row, or a few that belong together. All values are small, so that there are few states. */
static void row_make(struct maker *maker)
{
    static const char *const rows[] = {
        "  store v%u, %u\n",
        "  r = load v%u\n  let r = r & %u\n",
        "  r = cas v%u, %u, 1\n  let r = r & 1\n",
        "  lock m%u\n  store v%u, 1\n  unlock m0\n  unlock m1\n",
        "  lock m0\n  r = load v%u\n  let r = r ^ %u\n  let r = r & 3\n  store v1, r\n  unlock m0\n",
        "  lock m1\n  lock m0\n  store v%u, %u\n  unlock m0\n  unlock m1\n",
        "  xor v%u, %u\n",
        "  sempost s\n  semwait s\n",
        "  q = trylock m%u\n  if q == 0 goto T%u\n  unlock m0\nT%u:\n",
        "  r = choose 2\n",
        "  lock m0\n  unlock m0\n",
        "  lock m1\n  store v0, %u\n  unlock m1\n",
        "  assert r != %u\n",
    };
    unsigned kind = below(maker, sizeof rows / sizeof *rows);

    switch (kind) {
    case 3: /* always the same mutex */
        say(maker, "  lock m%u\n  store v%u, 2\n", 0, below(maker, 2));
        say(maker, "  unlock m%u\n", 0, 0);
        break;
    case 8:
        maker->labels++;
        say(maker, "  q = trylock m0\n  if q == 0 goto T%u\n  unlock m0\nT%u:\n", maker->labels,
            maker->labels);
        break;
    case 12:
        if (below(maker, 4) == 0)
            say(maker, rows[kind], 2 + below(maker, 2), 0);
        break;
    default:
        say(maker, rows[kind], below(maker, 2), below(maker, 4));
    }
}

/* Rows, of which some last ones are done again and again: for ever, or until a register says otherwise. */
static void thread_make(struct maker *maker, unsigned number)
{
    unsigned before = below(maker, 3), inside = 1 + below(maker, 3), after = below(maker, 2);
    unsigned how = below(maker, 4);

    say(maker, "thread T%u_%u\n", number, 0);
    say(maker, "  reg r = %u\n  reg q = %u\n", 0, 0);
    for (unsigned i = 0; i < before; i++)
        row_make(maker);
    say(maker, "L%u:\n", number, 0);
    for (unsigned i = 0; i < inside; i++)
        row_make(maker);
    if (how == 0)
        say(maker, "  goto L%u\n", number, 0);
    else if (how < 3)
        say(maker, "  if r == %u goto L%u\n", below(maker, 2), number);
    for (unsigned i = 0; i < after && how != 0; i++)
        row_make(maker);
}

static bool program_make(uint64_t seed, struct program *program)
{
    struct maker maker = {.random = seed};
    struct read_error error;
    unsigned threads = 2 + below(&maker, 2);

    say(&maker, "cell v0\ncell v1 = %u\nmutex m0\nmutex m1\nsem s = %u\n", below(&maker, 2), 0);
    for (unsigned i = 0; i < threads; i++)
        thread_make(&maker, i);
    return text_read(maker.text, maker.length, "cycles", program, &error);
}

/* What one search has found. */
struct found {
    struct oracle_replayer *replayer;
    struct oracle_set finals;
    struct oracle_end ends;
    const char *wrong;
};

static bool found_add(void *context, const struct engine_execution *execution)
{
    struct found *found = context;
    struct oracle_outcome outcome;

    if (execution->blocked)
        return true;
    oracle_replay(found->replayer, execution->schedule, execution->length, &outcome);
    if (outcome.verdict == ORACLE_UNSUPPORTED)
        found->wrong = "too long";
    else if (outcome.verdict != ORACLE_COMPLETE)
        found->wrong = "an execution cannot be replayed";
    oracle_set_add(&found->finals, outcome.final);
    found->ends.deadlock |= outcome.end.deadlock;
    found->ends.asserted |= outcome.end.asserted;
    found->ends.misused |= outcome.end.misused;
    return !found->wrong;
}

static const char *problem_of(const struct found *found, const struct oracle_result *truth,
                              bool ended)
{
    if (found->wrong)
        return found->wrong;
    if (!ended)
        return "the search does not come to an end";
    if (found->finals.count != truth->finals.count)
        return "not all final states are reached";
    if (found->ends.deadlock != (truth->deadlocks > 0) ||
        found->ends.asserted != (truth->asserts > 0) || found->ends.misused != (truth->misuses > 0))
        return "not the same kinds of bugs";
    return NULL;
}

static enum judgement search_judge(const struct program *program, const char *name,
                                   const struct oracle_config *config,
                                   const struct oracle_result *truth, uint64_t order, FILE *file)
{
    struct engine_config engine = {name, "sc", ORACLE_UNBOUNDED, ORACLE_UNBOUNDED, order, 0};
    struct found found = {.replayer = oracle_replayer_new(config)};
    struct engine_stats stats;
    bool ended = engine_run(program, &engine, found_add, &found, &stats);
    const char *problem = problem_of(&found, truth, ended);
    bool too_long = problem && strcmp(problem, "too long") == 0;

    if (problem && !too_long)
        fprintf(file, "%s (%s, --seed %llu): %u of %u final states\n", problem, name,
                (unsigned long long)order, found.finals.count, truth->finals.count);
    oracle_replayer_free(found.replayer);
    oracle_set_free(&found.finals);
    return too_long ? JUDGED_TOO_BIG : problem ? JUDGED_WRONG : JUDGED_RIGHT;
}

enum judgement cycles_judge(uint64_t seed, FILE *file)
{
    static const char *const names[] = {"exhaustive+exact", "dpor+exact", "source+exact"};
    struct program program;
    struct oracle_config config = {.program = &program,
                                   .model = ORACLE_SC,
                                   .buffer_bound = ORACLE_UNBOUNDED,
                                   .preemption_bound = ORACLE_UNBOUNDED};
    struct oracle_result truth;
    enum judgement judgement = JUDGED_TOO_BIG;

    if (!program_make(seed, &program))
        return JUDGED_TOO_BIG; /* a label without a row behind it */
    oracle_reach(&config, STATES_MAX, &truth);
    if (!truth.too_big)
        judgement = JUDGED_RIGHT;
    for (size_t i = 0; i < 3 && judgement == JUDGED_RIGHT; i++)
        judgement = search_judge(&program, names[i], &config, &truth, seed % 3 * 5, file);
    if (judgement == JUDGED_WRONG)
        text_print(&program, file);
    oracle_result_free(&truth);
    program_free(&program);
    return judgement;
}
