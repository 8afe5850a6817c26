#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/places.h"

/* `raddle cc` is clang-19 with our arguments in front of the user's: so his win where both say
 * something, and nothing of ours stands behind a "--". It becomes clang, and so is clang in all
 * else. */

#define ARGUMENTS_OWN 32
#define CLANG_DIR     "/usr/lib/llvm-19/bin/" /* where Debian has them under their own names */

/* What the command line asks for. */
struct request {
    bool links;
    bool has_input;
    bool is_static;
    bool is_cxx;
};

/* ---- reading the command line */

/* With one of these clang stops before the linker, or links nothing that could run. */
static bool stops_before_link(const char *argument)
{
    static const char *const exact[] = {"-c",
                                        "-S",
                                        "-E",
                                        "-M",
                                        "-MM",
                                        "-r",
                                        "-fsyntax-only",
                                        "--help",
                                        "--precompile",
                                        "--preprocess",
                                        "--assemble",
                                        "--compile",
                                        "--analyze",
                                        "--version",
                                        "-emit-ast",
                                        "-dumpmachine",
                                        "-dumpversion",
                                        "-help",
                                        "--relocatable"};

    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(argument, exact[i]) == 0)
            return true;
    return strncmp(argument, "-print-", 7) == 0 || strncmp(argument, "--print-", 8) == 0;
}

/* Options whose argument is the next word: that one is no input file. */
static bool takes_next(const char *argument)
{
    static const char *const names[] = {
        "-o",       "-x",       "-I",         "-L",       "-D",           "-U",
        "-include", "-imacros", "-MF",        "-MT",      "-MQ",          "-isystem",
        "-iquote",  "-Xclang",  "-idirafter", "-Xlinker", "-T",           "-u",
        "-z",       "-target",  "-mllvm",     "-arch",    "-isysroot",    "-Xassembler",
        "-B",       "-F",       "-e",         "-iprefix", "-iwithprefix", "-Xpreprocessor",
        "--param",  "-l",       "-rpath",     "-MJ",      "-cxx-isystem", "-iwithprefixbefore"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(argument, names[i]) == 0)
            return true;
    return false;
}

static bool is_input(const char *argument)
{
    return argument[0] != '-' || argument[1] == 0 || strncmp(argument, "-l", 2) == 0 ||
           strncmp(argument, "-Wl,", 4) == 0;
}

static struct request request_read(int argc, char **argv)
{
    struct request request = {.links = true};
    bool only_files = false;

    for (int i = 1; i < argc; i++) {
        if (only_files || is_input(argv[i]))
            request.has_input = true;
        else if (strcmp(argv[i], "--") == 0)
            only_files = true;
        else if (stops_before_link(argv[i]))
            request.links = false;
        else if (strcmp(argv[i], "-static") == 0 || strcmp(argv[i], "-static-pie") == 0)
            request.is_static = true;
        else if (strcmp(argv[i], "--driver-mode=g++") == 0)
            request.is_cxx = true;
        if (!only_files && takes_next(argv[i]))
            i++;
    }
    request.links &= request.has_input;
    return request;
}

/* ---- starting clang */

struct command {
    char **at;
    int count;
};

static void add(struct command *command, const char *format, const char *value)
{
    size_t size = strlen(format) + strlen(value) + 1;
    char *argument = malloc(size);

    if (!argument) {
        fprintf(stderr, "raddle: out of memory\n");
        exit(EXIT_STATUS_ENVIRONMENT);
    }
    snprintf(argument, size, format, value);
    command->at[command->count++] = argument;
}

static void add_compile(struct command *command, const struct places *places)
{
    add(command, "-fpass-plugin=%s/raddle_pass.so", places->libraries);
    add(command, "-Xclang%s", "");
    add(command, "-disable-O0-optnone%s", "");      /* else locals stay in memory at -O0 */
    add(command, "-fno-discard-value-names%s", ""); /* names of locals without -g */
    add(command, "-gline-tables-only%s", "");       /* any -g of the user's comes later and wins */
    /* makes libstdc++ leave std::string to the program, where its accesses are seen */
    add(command, "-D_GLIBCXX_ASSERTIONS%s", "");
    if (*places->include)
        add(command, "-isystem%s", places->include);
}

/* libraddle comes before every library of the user's, so that what it interposes is found in it
 * first. */
static void add_link(struct command *command, const struct places *places)
{
    add(command, "-L%s", places->libraries);
    add(command, "-Wl,--push-state,--no-as-needed%s", "");
    add(command, "-lraddle%s", "");
    add(command, "-Wl,--pop-state,-z,now,-rpath,%s", places->libraries);
    add(command, "-pthread%s", "");
}

static int start(const char *compiler, struct command *command)
{
    char path[PATH_MAX];

    command->at[0] = (char *)compiler;
    execvp(compiler, command->at);
    if (errno == ENOENT) {
        snprintf(path, sizeof path, "%s%.*s", CLANG_DIR, (int)(strlen(compiler) - strlen("-19")),
                 compiler);
        execv(path, command->at);
    }
    fprintf(stderr, "raddle: cannot run %s: %s; install it (Debian: apt-get install clang-19)\n",
            compiler, strerror(errno));
    return EXIT_STATUS_USAGE;
}

static int compile(int argc, char **argv, bool is_cxx)
{
    struct request request = request_read(argc, argv);
    struct places places;
    struct command command = {.count = 1}; /* after the program itself */

    if (!places_find(&places))
        return EXIT_STATUS_ENVIRONMENT;
    if (request.links && request.is_static) {
        fprintf(stderr, "raddle: -static: a checked program must be linked dynamically\n");
        return EXIT_STATUS_USAGE;
    }
    command.at = calloc((size_t)argc + ARGUMENTS_OWN, sizeof(char *));
    if (!command.at) {
        fprintf(stderr, "raddle: out of memory\n");
        return EXIT_STATUS_ENVIRONMENT;
    }
    add(&command, "--start-no-unused-arguments%s", "");
    add_compile(&command, &places);
    if (request.links)
        add_link(&command, &places);
    add(&command, "--end-no-unused-arguments%s", "");
    for (int i = 1; i < argc; i++)
        command.at[command.count++] = argv[i];
    return start(is_cxx || request.is_cxx ? "clang++-19" : "clang-19", &command);
}

static int cc_main(int argc, char **argv)
{
    return compile(argc, argv, false);
}

static int cxx_main(int argc, char **argv)
{
    return compile(argc, argv, true);
}

const struct subcommand subcommand_cc = {
    .name = "cc",
    .arguments = "ARGS…",
    .summary = "compile and link a program for checking (a drop-in for clang)",
    .about = "Is clang 19 with a pass and a library of raddle: every option of clang works, "
             "`raddle cc --help` is clang's. A program linked so checks itself when it is started, "
             "with options of `raddle check` from RADDLE_OPTIONS.",
    .run = cc_main,
    .mode = OPTIONS_PASSED_ON,
};

const struct subcommand subcommand_cxx = {
    .name = "c++",
    .arguments = "ARGS…",
    .summary = "the same for C++ (a drop-in for clang++)",
    .about = "Is clang++ 19 with a pass and a library of raddle: every option of clang++ works, "
             "`raddle c++ --help` is clang's. A program linked so checks itself when it is "
             "started, with options of `raddle check` from RADDLE_OPTIONS.",
    .run = cxx_main,
    .mode = OPTIONS_PASSED_ON,
};
