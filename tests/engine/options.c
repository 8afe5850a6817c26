#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

struct options options = {.seed = 1, .programs = 1000, .limit = 2000, .model = -1};

int options_usage(void)
{
    fprintf(
        stderr,
        "usage: engine_oracle [--seed N] [--programs N] [--seconds N] [--limit N]\n"
        "                     [--only REDUCTION] [--model sc|tso|pso] [--flavour NAME]\n"
        "                     [--file PROGRAM] [--bounds] [--preemptions] [--cycles] [--twins]\n"
        "                     [--self-check] [--fork] [--keep-going] [--verbose] [--apart] [--together]\n");
    return 2;
}

int options_find(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool set_flag(const char *name)
{
    static const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--bounds", &options.bounds},         {"--preemptions", &options.preemptions},
        {"--cycles", &options.cycles},         {"--twins", &options.twins},
        {"--self-check", &options.self_check}, {"--fork", &options.forks},
        {"--verbose", &options.verbose},       {"--keep-going", &options.keep_going},
        {"--apart", &options.apart},           {"--together", &options.together},
    };

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flags[i].name, name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

static bool set_value(const char *name, const char *value)
{
    if (strcmp(name, "--seed") == 0)
        options.seed = strtoull(value, NULL, 0);
    else if (strcmp(name, "--programs") == 0)
        options.programs = strtoull(value, NULL, 0);
    else if (strcmp(name, "--seconds") == 0)
        options.seconds = strtod(value, NULL);
    else if (strcmp(name, "--limit") == 0)
        options.limit = strtoull(value, NULL, 0);
    else if (strcmp(name, "--only") == 0)
        options.only = value;
    else if (strcmp(name, "--file") == 0)
        options.file = value;
    else if (strcmp(name, "--model") == 0)
        return (options.model = options_find(value, oracle_model_names, ORACLE_MODEL_COUNT)) >= 0;
    else if (strcmp(name, "--flavour") == 0)
        return (options.knobs.flavour = options_find(value, flavour_names, FLAVOUR_COUNT)) >= 0;
    else
        return false;
    return true;
}

bool options_read(int argc, char **argv)
{
    options.knobs = knobs_default;
    for (int i = 1; i < argc; i++) {
        if (set_flag(argv[i]))
            continue;
        if (i + 1 == argc || !set_value(argv[i], argv[i + 1]))
            return false;
        i++;
    }
    return true;
}
