/* native_states: random C programs, explored by `raddle check` with and without comparing states, and with and without every order of what
 * commutes. All must find the same: verdict, bugs, final states. Of programs that go round for ever only the search with exact states has an end: there it must find what was planted. */

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "generate.h"
#include "native/outcome.h"
#include "result.h"

#ifndef NATIVE_SOURCE_DIR
#define NATIVE_SOURCE_DIR "tests/native"
#endif

enum { BATCH = 50, COMPILE_SECONDS = 300, ENDLESS_LIMIT = 100000, SEARCH_SECONDS = 10 };

static struct options {
    uint64_t seed, programs, seconds;
    uint64_t limit; /* executions of a program that is not too big */
    unsigned size;
    const char *raddle, *opt, *model, *style; /* the last three: or NULL, any */
    unsigned jobs; /* processes that search together, where that goes with the search; 0: one */
    bool twins;    /* threads with the same code, for searches that look for symmetry */
    bool keep, verbose;
} options = {.seed = 1, .programs = 100, .limit = 2000, .size = 9};

static char directory[] = "/tmp/raddle-states-XXXXXX";

/* The first is what the others are held against. With --twins the last four count. */
static const struct {
    const char *name;
    bool apart;  /* every order of what commutes */
    bool jobs;   /* several processes can */
    bool states; /* symmetry, and states are compared */
} kinds[] = {{"stateful=off", true, true, false},    {"stateful=off", false, true, false},
             {"stateful=exact", false, true, false}, {"stateful=delta", false, false, false},
             {"stateful=auto", false, false, false}, {"symmetry=new", false, false, false},
             {"symmetry=all", false, false, false},  {"symmetry=new", false, false, true},
             {"symmetry=all", false, false, true}};
enum { KIND_EXACT = 2, KIND_COUNT = sizeof kinds / sizeof *kinds };

static bool is_judged(unsigned kind)
{
    if (options.jobs && !kinds[kind].jobs)
        return false;
    return (strncmp(kinds[kind].name, "symmetry", strlen("symmetry")) == 0) == options.twins;
}

/* How much of what was seen, so that a test of nothing is noticed. */
static struct {
    uint64_t agreed, disagreed, too_big, too_slow; /* programs */
    uint64_t by_style[STYLE_COUNT], racy, asserting, deadlocked, other,
        safe; /* of those that agreed */
    uint64_t executions[KIND_COUNT], states[KIND_COUNT], revisited[KIND_COUNT];
    uint64_t pairs, pairs_lost,
        pairs_more;  /* of accesses that race: without states; only so; only with states */
    uint64_t merged; /* programs in which a state was revisited */
} seen;

/* ---- compiling */

static bool compile(const uint64_t *seeds, unsigned count, const char *opt)
{
    char flag[16];
    char *argv[] = {(char *)options.raddle, "cc", flag,      "-g",      "-w",
                    "-I" NATIVE_SOURCE_DIR, "-o", "./batch", "batch.c", NULL};
    FILE *file = fopen("batch.c", "w");

    if (!file)
        return false;
    snprintf(flag, sizeof flag, "-O%s", opt);
    generate_begin(file);
    for (unsigned i = 0; i < count; i++)
        generate_program(seeds[i], i, options.size, options.twins, file);
    generate_end(count, file);
    if (fclose(file) != 0)
        return false;
    int status = command_run(argv, "compile.log", COMPILE_SECONDS);
    if (status != 0)
        printf("raddle cc: exit status %d; --keep leaves compile.log and batch.c in %s\n", status,
               directory);
    return status == 0;
}

/* ---- judging */

/* One program and how it is searched. */
struct trial {
    uint64_t seed;
    unsigned number;
    const char *opt, *model;
    const char *reduction; /* of the searches with states */
    const char *without;   /* of that without, in which what commutes is tried once */
};

static const char *reduction_of(const struct trial *trial, unsigned kind)
{
    return kind == 0 ? NULL : kind < KIND_EXACT ? trial->without : trial->reduction;
}

static void search(const struct trial *trial, unsigned kind, uint64_t limit, struct result *result)
{
    struct search search = {.raddle = options.raddle,
                            .binary = "./batch",
                            .model = trial->model,
                            .kind = kinds[kind].name,
                            .reduction = reduction_of(trial, kind),
                            .number = trial->number,
                            .limit = limit,
                            .seconds = SEARCH_SECONDS,
                            .apart = kinds[kind].apart,
                            .jobs = kind > 0 ? options.jobs : 0,
                            .states = kinds[kind].states};

    result_of(&search, result);
    seen.executions[kind] += result->executions;
    seen.states[kind] += result->states;
    seen.revisited[kind] += result->revisited;
}

static void tell(const struct trial *trial, unsigned kind, const struct result *result)
{
    printf("seed %" PRIu64 " (%s), model %s, -O%s, --%s%s%s, --reduction=%s: %" PRIu64
           " executions, %" PRIu64 " states, %" PRIu64 " revisited: %s\n",
           trial->seed, style_names[generate_style(trial->seed)], trial->model, trial->opt,
           kinds[kind].name, kinds[kind].apart ? " --no-commute=all" : "",
           kinds[kind].states ? " --stateful=exact" : "",
           reduction_of(trial, kind) ? reduction_of(trial, kind) : "optimal", result->executions,
           result->states, result->revisited, result->verdict);
}

static void found_add(const struct result *result)
{
    seen.racy += result_has(result, "data-race");
    seen.asserting += result_has(result, "assertion");
    seen.deadlocked += result_has(result, "deadlock");
    seen.safe += result->bugs.count == 0;
}

/* Too big for the limit, or for the time. */
static bool has_no_end(const struct result *result, uint64_t limit)
{
    return result->executions >= limit || strcmp(result->reason, "the time was up") == 0;
}

/* 1: all agree; 0: they do not, and it was told; -1: too big. */
static int judge_ending(const struct trial *trial)
{
    static struct result plain, stateful;
    int same = 1;
    uint64_t revisited = 0;

    search(trial, 0, options.limit, &plain);
    if (has_no_end(&plain, options.limit))
        same = -1;
    for (unsigned k = 1; k < KIND_COUNT && same >= 0; k++) {
        if (!is_judged(k) || (strcmp(kinds[k].name, "stateful=auto") == 0 && trial->seed % 4))
            continue;
        search(trial, k, 20 * options.limit, &stateful);
        revisited += stateful.revisited;
        if (k >= KIND_EXACT) {
            seen.pairs += plain.pairs.count;
            seen.pairs_lost += result_pairs_only(&plain, &stateful);
            seen.pairs_more += result_pairs_only(&stateful, &plain);
        }
        if (options.verbose)
            tell(trial, k, &stateful);
        if (has_no_end(&stateful, 20 * options.limit)) {
            seen.too_slow++;
        } else if (!result_compare(&plain, &stateful, stdout)) {
            tell(trial, 0, &plain);
            tell(trial, k, &stateful);
            same = 0;
        }
        result_free(&stateful);
    }
    if (same > 0)
        found_add(&plain);
    seen.merged += revisited > 0;
    result_free(&plain);
    return same;
}

static int judge_endless(const struct trial *trial)
{
    static const char *const expected[] = {
        [PLANTED_NOTHING] = NULL, [PLANTED_ASSERTION] = "assertion", [PLANTED_RACE] = "data-race"};
    const char *kind = expected[generate_planted(trial->seed)];
    static struct result result;

    search(trial, KIND_EXACT, ENDLESS_LIMIT, &result);
    int same = !result.problem[0] && (kind ? result_has(&result, kind) : !result.bugs.count);
    if (has_no_end(&result, ENDLESS_LIMIT)) {
        seen.too_slow++;
        if (!result.bugs.count) /* what was found by then counts */
            same = -1;
    } else if (result.reason[0]) {
        same = 0;
    }
    if (!same) {
        printf("  endless, and planted is %s: %s %s %s\n", kind ? kind : "nothing", result.problem,
               result.verdict, result.reason);
        for (unsigned i = 0; i < result.bugs.count; i++)
            printf("  found: %s\n", result.bugs.at[i]);
        tell(trial, KIND_EXACT, &result);
    } else if (same > 0) {
        found_add(&result);
    }
    seen.merged += result.revisited > 0;
    result_free(&result);
    return same;
}

static void judge(const struct trial *trial)
{
    enum style style = generate_style(trial->seed);
    int same = style == STYLE_ENDLESS ? judge_endless(trial) : judge_ending(trial);

    if (same < 0)
        seen.too_big++;
    else if (same) {
        seen.agreed++;
        seen.by_style[style]++;
    } else {
        seen.disagreed++;
        printf("  (--seed %" PRIu64
               " --programs 1 --opt %s --model %s --size %u --keep leaves it in a file)\n",
               trial->seed, trial->opt, trial->model, options.size);
    }
    fflush(stdout);
}

/* What is not given is drawn from the seed. */
static void judge_batch(const uint64_t *seeds, unsigned count, const char *opt)
{
    static const char *const models[] = {"sc", "sc", "tso", "sc", "tso", "pso"};
    static const char *const reductions[] = {NULL, "dpor", NULL, "source"};
    static const char *const without[] = {NULL, "dpor", "sharing", "source", "exhaustive"};

    if (!compile(seeds, count, opt)) {
        seen.disagreed += count;
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        struct trial trial = {.seed = seeds[i], .number = i, .opt = opt};
        trial.model = options.model ? options.model : models[seeds[i] / 5 % 6];
        if (generate_style(seeds[i]) == STYLE_ENDLESS) /* buffers grow without end */
            trial.model = "sc";
        trial.reduction = reductions[seeds[i] / 31 % 4];
        trial.without = without[seeds[i] / 31 % 5];
        if (options.jobs && trial.without && strcmp(trial.without, "sharing") == 0)
            trial.without = NULL;
        judge(&trial);
    }
}

/* ---- programs */

/* The first program is that of the given seed, the others are scattered. */
static uint64_t program_seed(uint64_t i)
{
    uint64_t x = (options.seed << 32 | i) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return i == 0 ? options.seed : x >> 28;
}

static bool is_wanted(uint64_t seed)
{
    if (options.twins && generate_style(seed) == STYLE_ENDLESS)
        return false;
    return !options.style || strcmp(options.style, style_names[generate_style(seed)]) == 0;
}

static int finish(double seconds)
{
    bool enough = seen.agreed > seen.too_big && (seen.agreed < 10 || seen.merged > seen.agreed / 4);

    printf("%.1f s; programs: %" PRIu64 " the same (", seconds, seen.agreed);
    for (int s = 0; s < STYLE_COUNT; s++)
        printf("%s%" PRIu64 " %s", s ? ", " : "", seen.by_style[s], style_names[s]);
    printf("), %" PRIu64 " different, %" PRIu64 " too big, %" PRIu64
           " searches too slow; with races %" PRIu64 ", failed assertions %" PRIu64
           ", deadlocks %" PRIu64 ", safe %" PRIu64 "; in %" PRIu64
           " a state was revisited, or a thread left out\n",
           seen.disagreed, seen.too_big, seen.too_slow, seen.racy, seen.asserting, seen.deadlocked,
           seen.safe, seen.merged);
    for (int k = 0; k < KIND_COUNT; k++)
        printf("%s%s: %" PRIu64 " executions, %" PRIu64 " states, %" PRIu64 " revisited\n",
               kinds[k].name, kinds[k].apart ? ", every order" : "", seen.executions[k],
               seen.states[k], seen.revisited[k]);
    printf("pairs of places that race: %" PRIu64 " without states, %" PRIu64
           " of them only so, %" PRIu64 " only with states\n",
           seen.pairs, seen.pairs_lost, seen.pairs_more);
    if (!enough)
        printf("hardly anything was compared\n");
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", seen.agreed, seen.disagreed);
    return seen.disagreed || !enough ? 1 : 0;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int judge_random(void)
{
    static const char *const opts[] = {"0", "1", "2"};
    uint64_t seeds[BATCH], next = 0, made = 0, batch = options.seed;
    double start = now();

    while (made < options.programs &&
           (!options.seconds || now() - start < (double)options.seconds)) {
        unsigned count = 0;
        while (count < BATCH && made < options.programs) {
            uint64_t seed = program_seed(next++);
            if (!is_wanted(seed))
                continue;
            seeds[count++] = seed;
            made++;
        }
        judge_batch(seeds, count, options.opt ? options.opt : opts[batch++ % 3]);
    }
    return finish(now() - start);
}

/* ---- the command line */

static void directory_remove(void)
{
    DIR *dir = opendir(".");

    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            unlink(entry->d_name);
    if (dir)
        closedir(dir);
    if (chdir("/") != 0 || rmdir(directory) != 0)
        perror(directory);
}

static int usage(void)
{
    fprintf(
        stderr,
        "usage: native_states [--seed N] [--programs N] [--seconds N] [--limit EXECUTIONS]\n"
        "                     [--size STATEMENTS] [--raddle PATH] [--opt 0|1|2|3] [--model NAME]\n"
        "                     [--style NAME] [--jobs N] [--twins] [--keep] [--verbose]\n");
    return 2;
}

static bool set_value(const char *name, const char *value)
{
    if (strcmp(name, "--seed") == 0)
        options.seed = strtoull(value, NULL, 0);
    else if (strcmp(name, "--programs") == 0)
        options.programs = strtoull(value, NULL, 0);
    else if (strcmp(name, "--seconds") == 0)
        options.seconds = strtoull(value, NULL, 0);
    else if (strcmp(name, "--limit") == 0)
        options.limit = strtoull(value, NULL, 0);
    else if (strcmp(name, "--size") == 0)
        options.size = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--raddle") == 0)
        options.raddle = value;
    else if (strcmp(name, "--opt") == 0)
        options.opt = value;
    else if (strcmp(name, "--model") == 0)
        options.model = value;
    else if (strcmp(name, "--style") == 0)
        options.style = value;
    else if (strcmp(name, "--jobs") == 0)
        options.jobs = (unsigned)strtoul(value, NULL, 0);
    else
        return false;
    return true;
}

static bool options_read(int argc, char **argv)
{
    options.raddle = getenv("RADDLE");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--keep") == 0)
            options.keep = true;
        else if (strcmp(argv[i], "--twins") == 0)
            options.twins = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            options.verbose = true;
        else if (i + 1 == argc || !set_value(argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return options.size > 0;
}

int main(int argc, char **argv)
{
    static char raddle[PATH_MAX];

    if (!options_read(argc, argv))
        return usage();
    if (!options.raddle || !realpath(options.raddle, raddle)) {
        fprintf(stderr, "native_states: --raddle or RADDLE must name the program raddle\n");
        return 2;
    }
    options.raddle = raddle;
    if (!mkdtemp(directory) || chdir(directory) != 0) {
        perror(directory);
        return 2;
    }
    int status = judge_random();
    if (options.keep)
        printf("everything is in %s\n", directory);
    else
        directory_remove();
    return status;
}
