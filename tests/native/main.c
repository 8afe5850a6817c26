/* native_random: random programs, explored as scripts by the engine in this process and as C by `raddle cc` and
 * `raddle check`. Both must find the same: executions, runs given up, bugs, final states. */

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "emit.h"
#include "engine/generate.h"
#include "engine/shrink.h"
#include "outcome.h"
#include "script/text.h"

#ifndef NATIVE_SOURCE_DIR
#define NATIVE_SOURCE_DIR "tests/native"
#endif

enum { BATCH = 50, COMPILE_SECONDS = 300 };

static const char *const models[] = {"sc", "tso", "pso"};
enum { MODEL_COUNT = sizeof models / sizeof *models };

struct options {
    uint64_t seed;
    uint64_t programs;
    uint64_t limit; /* executions of a program that is not too big */
    const char *raddle;
    const char *file; /* a script, instead of random programs */
    const char *opt;
    const char *stateful;
    bool keep, shrink, verbose;
    struct knobs knobs;
};

static struct options options = {
    .seed = 1, .programs = 100, .limit = 3000, .opt = "0", .stateful = "off"};

/* One program of a batch. */
struct item {
    uint64_t seed;
    struct program program;
};

static char directory[] = "/tmp/raddle-native-XXXXXX";

/* Programs under a model. */
static uint64_t agreed, disagreed, too_big;

/* How much of what was seen, so that a test of nothing is noticed. */
static struct {
    uint64_t executions, given_up, states, with_bug[BUG_KIND_COUNT];
} seen;

/* ---- compiling */

static bool compile(const struct item *items, unsigned count, const char *stem)
{
    char source[64], opt[16];
    char *argv[] = {(char *)options.raddle, "cc",   opt, "-w", "-I" NATIVE_SOURCE_DIR, "-o",
                    (char *)stem,           source, NULL};

    snprintf(source, sizeof source, "%s.c", stem);
    snprintf(opt, sizeof opt, "-O%s", options.opt);
    FILE *file = fopen(source, "w");
    if (!file) {
        perror(source);
        return false;
    }
    emit_begin(file);
    for (unsigned i = 0; i < count; i++)
        emit_program(&items[i].program, i, file);
    emit_end(count, file);
    if (fclose(file) != 0)
        return false;
    int status = command_run(argv, "compile.log", COMPILE_SECONDS);
    if (status != 0)
        printf("raddle cc: exit status %d; --keep leaves compile.log and %s in %s\n", status,
               source, directory);
    return status == 0;
}

/* ---- judging */

static void seen_add(const struct outcome *outcome)
{
    seen.executions += outcome->executions;
    seen.given_up += outcome->given_up;
    for (uint32_t i = 0; i < outcome->state_count; i++)
        seen.states += i == 0 || outcome->states[i] != outcome->states[i - 1];
    for (int k = 0; k < BUG_KIND_COUNT; k++)
        seen.with_bug[k] += outcome->kinds >> k & 1;
}

/* 1: both agree; 0: they do not, and `out` tells; -1: too big. */
static int judge(const struct item *item, const char *binary, unsigned number, const char *model,
                 FILE *out)
{
    struct outcome script, native;
    bool apart = item->seed % 4 == 0; /* natively every order of what commutes, in the script one */
    int result = -1;

    if (outcome_of_script(&item->program, model, options.limit, &script)) {
        /* every other program in an order that chance decides: nothing may depend on it */
        outcome_of_native(options.raddle, binary, number, model, item->seed % 2 ? item->seed : 0,
                          options.stateful, apart, &native);
        result =
            outcome_compare(&script, &native,
                            !apart && !script.crowded && strcmp(options.stateful, "off") == 0, out);
        seen_add(&script);
        outcome_free(&native);
    }
    outcome_free(&script);
    return result;
}

/* What a disagreement is shrunk with. */
struct shrinking {
    uint64_t seed;
    const char *model;
    FILE *out;
};

static bool still_fails(void *ctx, const struct program *program)
{
    const struct shrinking *shrinking = ctx;
    struct item item = {.seed = shrinking->seed};

    program_clone(program, &item.program);
    emit_adapt(&item.program);
    bool fails = !compile(&item, 1, "./shrunk") ||
                 judge(&item, "./shrunk", 0, shrinking->model, shrinking->out) == 0;
    program_free(&item.program);
    return fails;
}

static void report(const struct item *item, const char *model)
{
    struct program program;
    struct shrinking shrinking = {item->seed, model, fopen("/dev/null", "w")};

    program_clone(&item->program, &program);
    if (options.shrink && shrinking.out)
        shrink(&program, still_fails, &shrinking);
    printf("seed %" PRIu64 ", model %s, -O%s:\n", item->seed, model, options.opt);
    text_print(&program, stdout);
    if (options.shrink) {
        fclose(shrinking.out);
        shrinking.out = stdout;
        if (!still_fails(&shrinking, &program))
            printf("  (and now it does not disagree)\n");
        printf("/* as C: */\n");
        emit_begin(stdout);
        emit_program(&program, 0, stdout);
        emit_end(1, stdout);
    } else {
        printf("  (--seed %" PRIu64 " --programs 1 --opt %s --shrink makes it smaller)\n",
               item->seed, options.opt);
    }
    program_free(&program);
}

static bool judge_item(const struct item *item, const char *binary, unsigned number)
{
    for (int m = 0; m < MODEL_COUNT; m++) {
        int same = judge(item, binary, number, models[m], stdout);
        if (options.verbose)
            printf("seed %" PRIu64 " %s %s: %s\n", item->seed, item->program.name, models[m],
                   same < 0 ? "too big"
                   : same   ? "same"
                            : "DIFFERENT");
        if (same < 0) {
            too_big++;
            continue;
        }
        *(same ? &agreed : &disagreed) += 1;
        if (!same) {
            report(item, models[m]);
            return false;
        }
    }
    return true;
}

/* The programs that passed; the others are reported. */
static unsigned judge_batch(const struct item *items, unsigned count)
{
    unsigned passed = 0;

    if (!compile(items, count, "./batch"))
        return 0;
    for (unsigned i = 0; i < count; i++)
        passed += judge_item(&items[i], "./batch", i);
    return passed;
}

/* ---- programs */

/* As engine_oracle has it: the first program is that of the given seed, the others are scattered. */
static uint64_t program_seed(uint64_t i)
{
    uint64_t x = (options.seed << 32 | i) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
    return i == 0 ? options.seed : x >> 28;
}

static int finish(uint64_t passed, uint64_t failed, double seconds)
{
    printf("%.1f s; programs under models: %" PRIu64 " the same, %" PRIu64 " different, %" PRIu64
           " too big; %" PRIu64 " executions, %" PRIu64 " given up, %" PRIu64 " final states; with",
           seconds, agreed, disagreed, too_big, seen.executions, seen.given_up, seen.states);
    for (int k = BUG_NONE + 1; k < BUG_KIND_COUNT; k++)
        if (seen.with_bug[k])
            printf(" %s %" PRIu64, bug_kind_names[k], seen.with_bug[k]);
    if (failed == 0 && (agreed == 0 || too_big > agreed)) {
        printf("\nhardly anything was compared\n");
        failed++;
    }
    printf("\n%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed ? 1 : 0;
}

static int judge_random(void)
{
    static struct item items[BATCH];
    uint64_t passed = 0;
    struct timespec start, end;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t first = 0; first < options.programs; first += BATCH) {
        unsigned count =
            options.programs - first < BATCH ? (unsigned)(options.programs - first) : BATCH;
        for (unsigned i = 0; i < count; i++) {
            items[i].seed = program_seed(first + i);
            generate(items[i].seed, &options.knobs, &items[i].program);
            emit_adapt(&items[i].program);
        }
        passed += judge_batch(items, count);
        for (unsigned i = 0; i < count; i++)
            program_free(&items[i].program);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return finish(passed, options.programs - passed,
                  (double)(end.tv_sec - start.tv_sec) +
                      (double)(end.tv_nsec - start.tv_nsec) / 1e9);
}

static int judge_file(const char *text, size_t length)
{
    struct item item = {0};
    struct read_error error;
    char message[300];

    if (!text_read(text, length, options.file, &item.program, &error)) {
        fprintf(stderr, "%s\n", read_error_format(&error, options.file, message, sizeof message));
        return 2;
    }
    emit_adapt(&item.program);
    unsigned passed = judge_batch(&item, 1);
    program_free(&item.program);
    return finish(passed, 1 - passed, 0);
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
    fprintf(stderr,
            "usage: native_random [--seed N] [--programs N] [--limit EXECUTIONS] [--raddle PATH]\n"
            "                     [--flavour NAME] [--events N] [--opt 0|1|2|3] [--file SCRIPT]\n"
            "                     [--stateful KIND] [--shrink] [--keep] [--verbose]\n");
    return 2;
}

static bool set_value(const char *name, const char *value)
{
    if (strcmp(name, "--seed") == 0)
        options.seed = strtoull(value, NULL, 0);
    else if (strcmp(name, "--programs") == 0)
        options.programs = strtoull(value, NULL, 0);
    else if (strcmp(name, "--limit") == 0)
        options.limit = strtoul(value, NULL, 0);
    else if (strcmp(name, "--events") == 0)
        options.knobs.events_max = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--raddle") == 0)
        options.raddle = value;
    else if (strcmp(name, "--file") == 0)
        options.file = value;
    else if (strcmp(name, "--opt") == 0)
        options.opt = value;
    else if (strcmp(name, "--stateful") == 0)
        options.stateful = value;
    else if (strcmp(name, "--flavour") == 0) {
        for (int f = 0; f < FLAVOUR_COUNT; f++)
            if (strcmp(flavour_names[f], value) == 0)
                options.knobs.flavour = f;
        return options.knobs.flavour >= 0;
    } else
        return false;
    return true;
}

static bool set_flag(const char *name)
{
    bool *flag = strcmp(name, "--keep") == 0      ? &options.keep
                 : strcmp(name, "--shrink") == 0  ? &options.shrink
                 : strcmp(name, "--verbose") == 0 ? &options.verbose
                                                  : NULL;

    if (flag)
        *flag = true;
    return flag != NULL;
}

static bool options_read(int argc, char **argv)
{
    options.knobs = knobs_default;
    options.knobs.as_c = true;
    options.raddle = getenv("RADDLE");
    for (int i = 1; i < argc; i++) {
        if (set_flag(argv[i]))
            continue;
        if (i + 1 == argc || !set_value(argv[i], argv[i + 1]))
            return false;
        i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    static char raddle[PATH_MAX], text[1 << 20];
    size_t length = 0;
    int status;

    if (!options_read(argc, argv))
        return usage();
    if (!options.raddle || !realpath(options.raddle, raddle)) {
        fprintf(stderr, "native_random: --raddle or RADDLE must name the program raddle\n");
        return 2;
    }
    options.raddle = raddle;
    if (options.file) {
        FILE *file = fopen(options.file, "r");
        length = file ? fread(text, 1, sizeof text, file) : 0;
        if (file)
            fclose(file);
    }
    if (!mkdtemp(directory) || chdir(directory) != 0) {
        perror(directory);
        return 2;
    }
    status = options.file ? judge_file(text, length) : judge_random();
    if (options.keep)
        printf("everything is in %s\n", directory);
    else
        directory_remove();
    return status;
}
