/* engine_oracle: random programs, run by the engine under every reduction and memory model and
 * judged by the oracle. A failure is shrunk and printed; its seed makes it again. */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agree.h"
#include "cycles.h"
#include "file.h"
#include "generate.h"
#include "judge.h"
#include "known.h"
#include "options.h"
#include "script/text.h"
#include "shrink.h"
#include "twins.h"

static const char *const reductions[] = {
    "exhaustive", "sharing",    "dpor",         "source",        "optimal",   "exhaustive+exact",
    "dpor+delta", "dpor+exact", "source+delta", "source+exact",  "dpor+auto", "optimal+auto",
    "random",     "pct",        "pos",          "optimal:short", "dpor:all"};
enum { REDUCTION_COUNT = sizeof reductions / sizeof *reductions };

static const char *const turns[] = {"auto"};

static FILE *nowhere; /* for what is said about a failure before it is shrunk */

/* Where we are, for the handler of signals. */
static struct {
    uint64_t seed;
    const struct judge_case *c;
    const struct program *program;
} now;

/* Every other program is explored in an order that chance decides: no count may depend on it. */
static uint64_t order_seed(void)
{
    return now.seed % 2 ? now.seed : 0;
}

/* Every fifth program is explored with all orders of what commutes; or all are, or none. */
static unsigned apart(void)
{
    if (options.apart || options.together)
        return options.apart ? COMMUTE_ALL : 0;
    return now.seed % 5 == 0 ? COMMUTE_ALL : 0;
}

/* Executions up to which the reductions judge each other. */
#define AGREE_LIMIT 1000

/* Events of the larger programs: from about 14 on mistakes show that smaller ones hide. */
#define LARGE_EVENTS 18

#define TWIN_ORDERS 16

static uint64_t agreed;
static uint64_t round_judged;    /* programs that go round */
static uint64_t twins_judged;    /* programs with interchangeable threads, under each model */
static uint64_t twins_saved;     /* transitions that were not tried in them */
static uint64_t usable, too_big; /* programs, each once for every model and bound */

/* The signal is fatal anyway, so that printing in its handler can do no more harm.
 * NOLINTNEXTLINE(bugprone-signal-handler) */
static void on_signal(int signal_number)
{
    static bool again;

    if (!again && now.program) {
        again = true;
        printf("%s while judging seed %" PRIu64 ", ", signal_number == SIGALRM ? "hung" : "crashed",
               now.seed);
        if (now.c)
            judge_case_print(now.c, stdout);
        printf(":\n");
        text_print(now.program, stdout);
        printf("(--fork --seed %" PRIu64 " --programs 1 shrinks it)\n", now.seed);
        fflush(stdout);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_exit_within(void)
{
    if (now.program && now.c)
        on_signal(SIGABRT);
}

static void watch_signals(void)
{
    static const int signals[] = {SIGABRT, SIGALRM};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_signal);
#if !defined(__SANITIZE_ADDRESS__)
    signal(SIGSEGV, on_signal); /* the sanitizer says more than we could */
#endif
    atexit(on_exit_within); /* a failed CHECK in the engine exits */
}

/* judge_case in this process, or in one of its own that may crash or hang. */
static enum judgement judge_apart(const struct program *program, const struct judge_case *c,
                                  FILE *file)
{
    if (!options.forks)
        return judge_case(program, c, options.limit, file);
    fflush(stdout);
    fflush(file);
    pid_t child = fork();
    if (child == 0) {
        now.program = NULL; /* the parent tells */
        signal(SIGABRT, SIG_DFL);
        signal(SIGALRM, SIG_DFL);
        alarm(10);
        enum judgement judgement = judge_case(program, c, options.limit, file);
        fflush(file);
        _exit((int)judgement);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return JUDGED_TOO_BIG;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= JUDGED_TOO_BIG)
        return (enum judgement)WEXITSTATUS(status);
    fprintf(file, "the engine %s\n", WIFEXITED(status) ? "failed a CHECK" : "crashed or hung");
    return JUDGED_WRONG;
}

static bool still_fails(void *ctx, const struct program *program)
{
    return judge_apart(program, ctx, nowhere) == JUDGED_WRONG;
}

static void report_failure(const struct program *program, struct judge_case *c)
{
    struct program small;

    program_clone(program, &small);
    shrink(&small, still_fails, c);
    printf("\nseed %" PRIu64 ", ", now.seed);
    judge_case_print(c, stdout);
    printf("\n");
    text_print(&small, stdout);
    printf("\n");
    judge_apart(&small, c, stdout);
    fflush(stdout);
    program_free(&small);
}

/* Judges one case that stands for itself. True unless it is wrong, which is then reported. */
static bool check_case(const struct program *program, struct judge_case c)
{
    now.c = &c;
    enum judgement judgement = judge_apart(program, &c, nowhere);
    if (judgement == JUDGED_WRONG)
        report_failure(program, &c);
    now.c = NULL;
    return judgement != JUDGED_WRONG;
}

/* One reduction against what the oracle found under the same rules. */
static bool check_engine(const struct program *program, struct judge_case *c,
                         const struct oracle_result *truth)
{
    if (options.forks)
        return check_case(program, *c);
    now.c = c;
    bool fine = judge_engine(program, c, truth, nowhere) != JUDGED_WRONG;
    if (!fine)
        report_failure(program, c);
    now.c = NULL;
    return fine;
}

/* The reductions judging each other takes long: only some programs in a test, all in a long run. */
static bool wants_agreement(uint64_t seed)
{
    return !options.only && !options.preemptions && (options.seconds > 0 || seed % 8 == 0);
}

static bool still_disagrees(void *ctx, const struct program *program)
{
    const struct judge_case *c = ctx;

    return judge_agree(program, c->model, AGREE_LIMIT, nowhere) == JUDGED_WRONG;
}

/* Too big for the oracle, but perhaps not for the reductions: they judge each other. */
static bool check_agreement(const struct program *program, struct judge_case *c)
{
    struct program smaller;

    if (c->buffer_bound != ORACLE_UNBOUNDED || c->preemption_bound != ORACLE_UNBOUNDED ||
        !wants_agreement(now.seed))
        return true;
    switch (judge_agree(program, c->model, AGREE_LIMIT, nowhere)) {
    case JUDGED_WRONG:
        break;
    case JUDGED_RIGHT:
        agreed++;
        /* fall through */
    default:
        return true;
    }
    program_clone(program, &smaller);
    shrink(&smaller, still_disagrees, c);
    printf("\nseed %" PRIu64 ": ", now.seed);
    judge_agree(&smaller, c->model, AGREE_LIMIT, stdout);
    text_print(&smaller, stdout);
    program_free(&smaller);
    return false;
}

/* The reductions of `names` that are wanted against one exploration of the oracle. */
static bool check_reductions(const struct program *program, struct judge_case c,
                             const char *const *names, int count)
{
    struct oracle_result truth;
    bool fine = true;

    if (!judge_explore(program, &c, options.limit, &truth)) {
        too_big++;
        oracle_result_free(&truth);
        return check_agreement(program, &c);
    }
    usable++;
    if (options.verbose) {
        judge_case_print(&c, stdout);
        printf(": %" PRIu64 " interleavings, %u traces, %u final states\n", truth.interleavings,
               truth.traces.count, truth.finals.count);
    }
    for (int r = 0; r < count && fine; r++) {
        c.reduction = names[r];
        if (!options.only || strcmp(options.only, c.reduction) == 0)
            fine = check_engine(program, &c, &truth);
    }
    oracle_result_free(&truth);
    return fine;
}

static bool check_buffer_bounds(const struct program *program, enum oracle_model model)
{
    if (judge_monotone(program, model, options.limit, stdout) == JUDGED_WRONG) {
        text_print(program, stdout);
        return false;
    }
    for (int bound = 0; bound <= 3; bound++) {
        struct judge_case c = {NULL,  model,        bound, ORACLE_UNBOUNDED,
                               false, order_seed(), 0,     apart()};
        if (!check_reductions(program, c, reductions, REDUCTION_COUNT))
            return false;
    }
    return true;
}

static bool check_preemption_bounds(const struct program *program, enum oracle_model model)
{
    static const char *const bounded[] = {"exhaustive", "dpor", "source"};

    for (int bound = 0; bound <= 2; bound++) {
        struct judge_case c = {NULL, model, ORACLE_UNBOUNDED, bound, false, 0, 0, apart()};
        if (!check_reductions(program, c, bounded, 3))
            return false;
    }
    return true;
}

/* What commutes is no step in some of the searches that take turns, and one in others: here it is one in all of them. */
static bool check_turns(const struct program *program, enum oracle_model model)
{
    struct judge_case c = {NULL,         model, ORACLE_UNBOUNDED, ORACLE_UNBOUNDED, false,
                           order_seed(), 0,     COMMUTE_ALL};

    return check_reductions(program, c, turns, 1);
}

/* The oracle by its own rules, without and with bounds. */
static bool check_oracle(const struct program *program, struct judge_case c)
{
    bool fine = check_case(program, c);

    for (c.buffer_bound = 1; c.buffer_bound <= 2 && fine && c.model != ORACLE_SC; c.buffer_bound++)
        fine = check_case(program, c);
    return fine;
}

/* Everything about one program. What is judged only now and then depends on the seed alone, so that
 * a seed always means the same. */
static bool check_program(const struct program *program, uint64_t seed)
{
    bool fine = true;

    now.seed = seed;
    now.program = program;
    alarm(120);
    for (int model = 0; model < ORACLE_MODEL_COUNT && fine; model++) {
        if (options.model >= 0 && options.model != model)
            continue;
        if (options.preemptions) {
            fine = check_preemption_bounds(program, model);
            continue;
        }
        struct judge_case c = {NULL,  model,        ORACLE_UNBOUNDED, ORACLE_UNBOUNDED,
                               false, order_seed(), seed % 4 == 1,    apart()};
        struct judge_case permuted = {"optimal", model,        ORACLE_UNBOUNDED, ORACLE_UNBOUNDED,
                                      true,      order_seed(), seed % 4 == 1,    apart()};
        if (options.self_check || seed % 8 == 0)
            fine = check_oracle(program, c);
        fine = fine && check_reductions(program, c, reductions, REDUCTION_COUNT);
        if (fine && (options.bounds || seed % 8 == 1) && model != ORACLE_SC)
            fine = check_buffer_bounds(program, model);
        if (fine && (options.bounds || seed % 8 == 2))
            fine = check_preemption_bounds(program, model);
        if (fine && (options.bounds || seed % 8 == 4))
            fine = check_turns(program, model);
        if (fine && (options.bounds || seed % 4 == 3) && !options.only)
            fine = check_case(program, permuted);
    }
    alarm(0);
    now.program = NULL;
    return fine;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start->tv_sec) + (double)(end.tv_nsec - start->tv_nsec) / 1e9;
}

/* A larger program of the same seed, which only the reductions can judge. */
static bool check_large(uint64_t seed)
{
    struct knobs knobs = {
        .flavour = options.knobs.flavour, .threads_max = 4, .events_max = LARGE_EVENTS};
    struct program program;
    bool fine = true;

    generate(seed, &knobs, &program);
    now.seed = seed;
    now.program = &program;
    for (int model = 0; model < ORACLE_MODEL_COUNT && fine; model++) {
        struct judge_case c = {
            "optimal", (enum oracle_model)model, ORACLE_UNBOUNDED, ORACLE_UNBOUNDED, false, 0, 0,
            0};

        if (options.model < 0 || options.model == model)
            fine = check_agreement(&program, &c);
    }
    now.program = NULL;
    program_free(&program);
    return fine;
}

/* A program that goes round, of the same seed. */
static bool check_cycles(uint64_t seed)
{
    enum judgement judgement;

    now.seed = seed;
    alarm(120);
    judgement = cycles_judge(seed, nowhere);
    alarm(0);
    round_judged += judgement == JUDGED_RIGHT;
    if (judgement != JUDGED_WRONG)
        return true;
    printf("\nseed %" PRIu64 ": ", seed);
    cycles_judge(seed, stdout);
    return false;
}

/* Programs with interchangeable threads, of the same seed. */
static bool check_twins(uint64_t seed)
{
    enum judgement round;

    now.seed = seed;
    alarm(120);
    round = twins_judge_round(seed, &twins_saved, stdout);
    alarm(0);
    round_judged += round == JUDGED_RIGHT;
    if (round == JUDGED_WRONG)
        return false;
    for (int model = 0; model < ORACLE_MODEL_COUNT; model++) {
        enum judgement judgement;
        uint64_t again = 0;

        if (options.model >= 0 && options.model != model)
            continue;
        alarm(120);
        judgement = twins_judge(seed, (enum oracle_model)model, &twins_saved, nowhere);
        alarm(0);
        twins_judged += judgement == JUDGED_RIGHT;
        if (judgement != JUDGED_WRONG)
            continue;
        printf("\nseed %" PRIu64 ": ", seed);
        twins_judge(seed, (enum oracle_model)model, &again, stdout);
        return false;
    }
    return true;
}

static bool check_seed(uint64_t seed)
{
    struct program program;
    uint32_t line;

    if (options.cycles)
        return check_cycles(seed);
    if (options.twins)
        return check_twins(seed);
    generate(seed, &options.knobs, &program);
    const char *invalid = program_check(&program, &line);
    if (invalid)
        printf("seed %" PRIu64 ": the generator made an invalid program: %s\n", seed, invalid);
    if (options.verbose) {
        printf("seed %" PRIu64 "\n", seed);
        text_print(&program, stdout);
    }
    bool fine = !invalid && check_program(&program, seed);
    program_free(&program);
    if (fine && !options.only && !options.preemptions)
        fine = check_cycles(seed) && (seed % 4 != 0 || check_twins(seed));
    return fine && (!wants_agreement(seed) || check_large(seed));
}

/* The first program is that of the given seed itself, so that a failure can be had again by its own
 * number; the others are scattered, so that shards with seeds 1, 2, 3 share none. */
static uint64_t program_seed(uint64_t i)
{
    uint64_t x = (options.seed << 32 | i) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return i == 0 ? options.seed : x >> 28;
}

/* Returns the exit status. */
static int check_seeds(void)
{
    struct timespec start;
    uint64_t passed = 0, failed = known_check_all();

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t i = 0;
         (options.seconds > 0 || i < options.programs) && (failed == 0 || options.keep_going);
         i++) {
        if (options.seconds > 0 && seconds_since(&start) > options.seconds)
            break;
        *(check_seed(program_seed(i)) ? &passed : &failed) += 1;
    }
    if (failed == 0 && usable + too_big >= 30 && usable < too_big) {
        printf("most programs were too big: the generator is no good\n");
        failed++;
    }
    printf("%.1f s; programs under models and bounds: %" PRIu64 " judged, %" PRIu64
           " agreed on, %" PRIu64 " go round, %" PRIu64 " with twins (%" PRIu64
           " transitions saved), %" PRIu64 " too big; oracle: %" PRIu64 " interleavings, %" PRIu64
           " steps; engine: %" PRIu64 " runs, %" PRIu64 " executions, %" PRIu64 " redundant\n",
           seconds_since(&start), usable, agreed, round_judged, twins_judged, twins_saved, too_big,
           judge_stats.interleavings, judge_stats.steps, judge_stats.runs, judge_stats.executions,
           judge_stats.redundant);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed ? 1 : 0;
}

/* A program with interchangeable threads, in several orders of what is free. */
static bool check_twins_of(const struct program *program)
{
    for (uint64_t order = 0; order < TWIN_ORDERS; order++)
        if (twins_judge_program(program, order, &twins_saved, stdout) != JUDGED_RIGHT)
            return false;
    return true;
}

static int check_file(const char *path)
{
    struct program program;

    if (!file_read(path, &program))
        return 2;
    options.bounds = options.self_check = true;
    bool fine = options.twins ? check_twins_of(&program) : check_program(&program, 0);
    if (too_big)
        printf("too big under %" PRIu64 " models (--limit raises the limit)\n", too_big);
    printf("%d passed, %d failed\n", fine, !fine);
    program_free(&program);
    return fine ? 0 : 1;
}

/* Whether there is a reduction of that name, or a way to take turns. */
static bool is_search(const char *name)
{
    return options_find(name, reductions, REDUCTION_COUNT) >= 0 ||
           options_find(name, turns, 1) >= 0;
}

int main(int argc, char **argv)
{
    if (!options_read(argc, argv) || (options.only && !is_search(options.only)))
        return options_usage();
    nowhere = fopen("/dev/null", "w");
    if (!nowhere) {
        perror("/dev/null");
        return 2;
    }
    watch_signals();
    return options.file ? check_file(options.file) : check_seeds();
}
