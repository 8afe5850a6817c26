#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cc_hint.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/places.h"

/* `raddle cc` is clang-19 with our arguments in front of the user's: so his win where both say
 * something, and nothing of ours stands behind a "--". It is clang in all else; where that refuses
 * what gcc takes, a hint follows its messages. */

#define ARGUMENTS_OWN 32
#define CLANG_DIR     "/usr/lib/llvm-19/bin/" /* where Debian has them under their own names */

/* What the command line asks for. */
struct request {
    bool links;
    bool has_input;
    bool goes_on;  /* where a return is missing */
    bool compiles; /* a source is among the inputs */
    bool is_static;
    bool is_cxx;
    bool ends_with_files; /* behind a --: what follows is no option */
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

static bool is_source(const char *argument)
{
    static const char *const suffixes[] = {".c", ".i", ".cc", ".cpp", ".cxx", ".C"};
    const char *dot = strrchr(argument, '.');

    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

static struct request request_read(int argc, char **argv)
{
    struct request request = {.links = true};
    bool only_files = false;

    for (int i = 1; i < argc; i++) {
        if (only_files || is_input(argv[i])) {
            request.has_input = true;
            request.compiles |= is_source(argv[i]);
        } else if (strcmp(argv[i], "--") == 0)
            only_files = request.ends_with_files = true;
        else if (stops_before_link(argv[i]))
            request.links = false;
        else if (strcmp(argv[i], "-static") == 0 || strcmp(argv[i], "-static-pie") == 0)
            request.is_static = true;
        else if (strcmp(argv[i], "-fno-strict-return") == 0)
            request.goes_on = true;
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
    add(command, "-D__RADDLE__=1%s", "");
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

/* What containers of C++ call: behind all that may do so, and before libstdc++. */
static void add_containers(struct command *command, const struct places *places,
                           const struct request *request)
{
    if (request->ends_with_files) {
        add(command, "%s/libraddle_cxx.a", places->libraries);
        return;
    }
    add(command, "--start-no-unused-arguments%s", ""); /* a response file may say -c */
    add(command, "-lraddle_cxx%s", "");
    add(command, "--end-no-unused-arguments%s", "");
}

/* Becomes the compiler. */
static int become(const char *compiler, struct command *command)
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

/* Runs the compiler, and looks at what it says to programs. */
static int run(const char *compiler, struct command *command, const char *diagnostics, bool is_cxx)
{
    sigset_t set, before;
    int status;
    pid_t pid;

    /* what ends the compiler ends us, too, but not before its file is gone */
    sigemptyset(&set);
    interrupt_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(become(compiler, command));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        fprintf(stderr, "raddle: cannot run %s: %s\n", compiler, strerror(errno));
        return EXIT_STATUS_ENVIRONMENT;
    }
    cc_hint(diagnostics, !WIFEXITED(status) || WEXITSTATUS(status) != 0, is_cxx);
    unlink(diagnostics);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (WIFSIGNALED(status))
        raise(WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_STATUS_ENVIRONMENT;
}

/* A new file, whose name clang gets; false if there can be none. */
static bool diagnostics_open(struct command *command, char *path, size_t size)
{
    const char *directory = getenv("TMPDIR");
    int fd;

    snprintf(path, size, "%s/raddle-XXXXXX", directory && *directory ? directory : "/tmp");
    fd = mkstemp(path);
    if (fd < 0)
        return false;
    close(fd);
    add(command, "--serialize-diagnostics%s", "");
    add(command, "%s", path);
    return true;
}

static int compile(int argc, char **argv, bool is_cxx)
{
    struct request request = request_read(argc, argv);
    struct places places;
    static struct command command = {.count = 1}; /* after the program itself */
    char diagnostics[PATH_MAX];
    const char *compiler;
    bool looks;

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
    is_cxx |= request.is_cxx;
    compiler = is_cxx ? "clang++-19" : "clang-19";
    add(&command, "--start-no-unused-arguments%s", "");
    looks = request.compiles && !(is_cxx && request.goes_on) &&
            diagnostics_open(&command, diagnostics, sizeof diagnostics);
    add_compile(&command, &places);
    if (request.links)
        add_link(&command, &places);
    add(&command, "--end-no-unused-arguments%s", "");
    for (int i = 1; i < argc; i++)
        command.at[command.count++] = argv[i];
    if (request.links && is_cxx)
        add_containers(&command, &places, &request);
    return looks ? run(compiler, &command, diagnostics, is_cxx) : become(compiler, &command);
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
    .about =
        "Is clang 19 with a pass and a library of raddle: every option of clang works, "
        "`raddle cc --help` is clang's. A program linked so runs as usual; it checks itself if "
        "RADDLE_OPTIONS is set, to options of `raddle check` or to nothing.",
    .run = cc_main,
    .mode = OPTIONS_PASSED_ON,
};

const struct subcommand subcommand_cxx = {
    .name = "c++",
    .arguments = "ARGS…",
    .summary = "the same for C++ (a drop-in for clang++)",
    .about = "Is clang++ 19 with a pass and a library of raddle: every option of clang++ works, "
             "`raddle c++ --help` is clang's. A program linked so runs as usual; it checks "
             "itself if RADDLE_OPTIONS is set, to options of `raddle check` or to nothing.",
    .run = cxx_main,
    .mode = OPTIONS_PASSED_ON,
};
