/* native_rounds: random C and C++ programs of loops, explored by `raddle check` with and without rounds that change nothing, and every order of what commutes. Both must find the same: verdict, final
 * states, deadlocks, loops that wait for ever, failed assertions, data races. */

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loops.h"
#include "native/outcome.h"
#include "native_states/result.h"

#ifndef NATIVE_SOURCE_DIR
#define NATIVE_SOURCE_DIR "tests/native"
#endif

enum { BATCH = 50, COMPILE_SECONDS = 300, SEARCH_SECONDS = 5, FEWER = 20 };

/* What goes with what: docs/reductions.md. */
static const char *const reductions[] = {"optimal", "optimal", "source",  "dpor",
                                         "optimal", "sharing", "optimal", "exhaustive"};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static struct options {
    uint64_t seed, programs;
    uint64_t limit;                       /* executions of a program that is not too big */
    const char *raddle, *opt, *reduction; /* the last two: or NULL, any */
    const char *language;                 /* c, c++, or NULL: mostly C */
    bool keep, verbose;
} options = {.seed = 1, .programs = 100, .limit = 3000};

static char directory[] = "/tmp/raddle-rounds-XXXXXX";

/* How much of what was seen, so that a test of nothing is noticed. */
static struct {
    uint64_t agreed, disagreed, too_big, fewer; /* programs */
    uint64_t racy, asserting, deadlocked, spinning, safe;
    uint64_t all, changing, blocked; /* executions */
    uint64_t cxx;
    uint64_t by_reduction[REDUCTIONS];
} seen;

static bool compile(const uint64_t *seeds, unsigned count, const char *opt, bool cxx)
{
    char flag[16], *name = cxx ? "batch.cpp" : "batch.c";
    char *argv[] = {(char *)options.raddle,
                    cxx ? "c++" : "cc",
                    flag,
                    "-g",
                    "-w",
                    "-I" NATIVE_SOURCE_DIR,
                    "-o",
                    "./batch",
                    name,
                    NULL};
    FILE *file = fopen(name, "w");
    int status;

    if (!file)
        return false;
    snprintf(flag, sizeof flag, "-O%s", opt);
    loops_begin(cxx, file);
    for (unsigned i = 0; i < count; i++)
        loops_program(seeds[i], i, file);
    loops_end(count, file);
    if (fclose(file) != 0)
        return false;
    status = command_run(argv, "compile.log", COMPILE_SECONDS);
    if (status != 0)
        printf("raddle cc: exit status %d; --keep leaves compile.log and %s in %s\n", status, name,
               directory);
    return status == 0;
}

/* Or it has a run without an end. */
static bool is_too_big(const struct result *result, uint64_t limit)
{
    return result->executions >= limit || strcmp(result->reason, "the time was up") == 0 ||
           strncmp(result->reason, "a run was given up", 18) == 0;
}

static void tell(const struct search *search, uint64_t seed, const struct result *result)
{
    printf("seed %" PRIu64 ", model %s, --rounds=%s, --races=%s, --reduction=%s, --%s: "
           "%" PRIu64 " executions, %" PRIu64 " blocked: %s %s\n",
           seed, search->model, search->rounds, search->races, search->reduction, search->kind,
           result->executions, result->blocked, result->verdict, result->reason);
}

static void agreed_add(const struct result *all, const struct result *changing, unsigned reduction,
                       bool cxx)
{
    seen.agreed++;
    seen.cxx += cxx;
    seen.by_reduction[reduction]++;
    seen.racy += result_has(all, "data-race");
    seen.asserting += result_has(all, "assertion");
    seen.deadlocked += result_has(all, "deadlock");
    seen.spinning += result_has(all, "spin");
    seen.safe += all->bugs.count == 0;
    seen.fewer += changing->executions < all->executions;
    seen.all += all->executions;
    seen.changing += changing->executions;
    seen.blocked += changing->blocked;
}

/* The number of the one with the name, the first one if there are several. */
static unsigned reduction_number(const char *name)
{
    for (unsigned i = 0; i < REDUCTIONS; i++)
        if (strcmp(reductions[i], name) == 0)
            return i;
    return REDUCTIONS;
}

/* What is not given is drawn from the seed. */
static void judge(uint64_t seed, unsigned number, const char *opt, bool cxx)
{
    static const char *const models[] = {"sc", "sc", "tso", "sc", "pso"};
    static const char *const kinds[] = {"stateful=off",   "stateful=off", "symmetry=new",
                                        "stateful=exact", "symmetry=all", "stateful=delta"};
    static struct result all, changing;
    struct search search = {.raddle = options.raddle,
                            .binary = "./batch",
                            .model = models[seed % 5],
                            .reduction = "optimal",
                            .kind = "stateful=off",
                            .rounds = "all",
                            .races = seed / 3 % 4 ? "report" : "ignore",
                            .number = number,
                            .limit = options.limit,
                            .seconds = SEARCH_SECONDS,
                            .apart = true};
    bool too_big;

    result_of(&search, &all);
    too_big = is_too_big(&all, options.limit);
    if (options.verbose)
        tell(&search, seed, &all);
    search.rounds = "changing";
    search.apart = false;
    search.reduction = options.reduction ? options.reduction : reductions[seed / 7 % REDUCTIONS];
    if (strcmp(search.reduction, "sharing") != 0)
        search.kind = kinds[seed / 11 % 6];
    search.limit = 10 * options.limit;
    if (!too_big)
        result_of(&search, &changing);
    if (options.verbose && !too_big)
        tell(&search, seed, &changing);
    if (too_big || is_too_big(&changing, search.limit)) {
        seen.too_big++;
    } else if (result_compare(&all, &changing, stdout)) {
        agreed_add(&all, &changing, reduction_number(search.reduction), cxx);
    } else {
        seen.disagreed++;
        tell(&search, seed, &changing);
        printf("  (--seed %" PRIu64
               " --programs 1 --opt %s --language %s --keep leaves it in a file)\n",
               seed, opt, cxx ? "c++" : "c");
    }
    fflush(stdout);
    result_free(&all);
    if (!too_big)
        result_free(&changing);
}

/* The first program is that of the given seed, the others are scattered. */
static uint64_t program_seed(uint64_t i)
{
    uint64_t x = (options.seed << 32 | i) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return i == 0 ? options.seed : x >> 28;
}

static int judge_random(void)
{
    static const char *const opts[] = {"0", "1", "2", "3"};
    uint64_t made = 0, batch = options.seed;
    bool enough;

    while (made < options.programs) {
        uint64_t seeds[BATCH];
        const char *opt = options.opt ? options.opt : opts[batch % 4];
        bool cxx = options.language ? strcmp(options.language, "c++") == 0 : batch % 3 == 2;
        unsigned count = 0;

        while (count < BATCH && made < options.programs)
            seeds[count++] = program_seed(made++);
        batch++;
        if (!compile(seeds, count, opt, cxx)) {
            seen.disagreed += count;
            continue;
        }
        for (unsigned i = 0; i < count; i++)
            judge(seeds[i], i, opt, cxx);
    }
    printf("programs: %" PRIu64 " the same, %" PRIu64 " different, %" PRIu64
           " too big; with fewer executions %" PRIu64 ", with races %" PRIu64
           ", failed assertions %" PRIu64 ", deadlocks %" PRIu64 ", endless waiting %" PRIu64
           ", safe %" PRIu64 ", in C++ %" PRIu64 "\n",
           seen.agreed, seen.disagreed, seen.too_big, seen.fewer, seen.racy, seen.asserting,
           seen.deadlocked, seen.spinning, seen.safe, seen.cxx);
    for (unsigned i = 0; i < REDUCTIONS; i++)
        if (reduction_number(reductions[i]) == i)
            printf("%s %" PRIu64 "%s", reductions[i], seen.by_reduction[i],
                   i + 1 < REDUCTIONS ? ", " : "\n");
    printf("executions: %" PRIu64 " with all rounds, %" PRIu64 " and %" PRIu64
           " blocked without those that change nothing\n",
           seen.all, seen.changing, seen.blocked);
    enough = seen.agreed < FEWER || (seen.fewer > seen.agreed / 5 && seen.agreed > seen.too_big);
    if (!enough)
        printf("hardly anything was compared\n");
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", seen.agreed, seen.disagreed);
    return seen.disagreed || !enough ? 1 : 0;
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

static bool options_read(int argc, char **argv)
{
    options.raddle = getenv("RADDLE");
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--keep") == 0)
            options.keep = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            options.verbose = true;
        else if (!value)
            return false;
        else if (strcmp(argv[i], "--seed") == 0)
            options.seed = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--programs") == 0)
            options.programs = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--limit") == 0)
            options.limit = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--raddle") == 0)
            options.raddle = argv[++i];
        else if (strcmp(argv[i], "--opt") == 0)
            options.opt = argv[++i];
        else if (strcmp(argv[i], "--language") == 0)
            options.language = argv[++i];
        else if (strcmp(argv[i], "--reduction") == 0 && reduction_number(value) < REDUCTIONS)
            options.reduction = argv[++i];
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static char raddle[PATH_MAX];
    int status;

    if (!options_read(argc, argv) || !options.raddle || !realpath(options.raddle, raddle)) {
        fprintf(stderr, "usage: native_rounds --raddle PATH [--seed N] [--programs N] [--limit "
                        "EXECUTIONS] [--opt 0|1|2|3] [--language c|c++] [--reduction NAME] "
                        "[--keep] [--verbose]\n");
        return 2;
    }
    options.raddle = raddle;
    if (!mkdtemp(directory) || chdir(directory) != 0) {
        perror(directory);
        return 2;
    }
    status = judge_random();
    if (options.keep)
        printf("everything is in %s\n", directory);
    else
        directory_remove();
    return status;
}
