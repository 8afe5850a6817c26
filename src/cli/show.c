#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "trace/lanes.h"

extern const struct subcommand subcommand_show;

#define WIDTH_DEFAULT 100
#define WIDTH_MAX     10000

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct show_settings {
    uint32_t width; /* 0: that of the terminal */
    bool plain;
    enum colour_choice colour;
    bool help;
    const char *file;
};

/* ---- options: these are few and none is of a search, so options_read does not fit */

static bool width_set(struct show_settings *settings, const char *value)
{
    char *end;
    unsigned long width = strtoul(value, &end, 10);

    if (*value < '0' || *value > '9' || *end || width < 40 || width > WIDTH_MAX) {
        fprintf(stderr, "raddle: option '--width' takes a number from 40 to %d, not '%s'\n",
                WIDTH_MAX, value);
        return false;
    }
    settings->width = (uint32_t)width;
    return true;
}

static bool colour_set(struct show_settings *settings, const char *value)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (unsigned i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            settings->colour = (enum colour_choice)i;
            return true;
        }
    fprintf(stderr, "raddle: option '--color' takes auto, always or never, not '%s'\n", value);
    return false;
}

/* Whether argv[*i] is option `name`, as --name=value or --name value. Then *value is what it was
 * given, NULL after a complaint if that is missing, and *i stands at the last argument that
 * belongs to it. */
static bool option_is(int argc, char **argv, int *i, const char *name, const char **value)
{
    size_t length = strlen(name);
    const char *rest;

    if (strncmp(argv[*i], name, length) != 0)
        return false;
    rest = argv[*i] + length;
    if (*rest != '=' && *rest != '\0')
        return false;
    if (*rest == '=')
        *value = rest + 1;
    else
        *value = *i + 1 < argc ? argv[++*i] : NULL;
    if (!*value)
        fprintf(stderr, "raddle: option '%s' needs a value\n", name);
    return true;
}

static bool option_read(int argc, char **argv, int *i, struct show_settings *settings)
{
    const char *value;

    if (strcmp(argv[*i], "--plain") == 0)
        return settings->plain = true;
    if (strcmp(argv[*i], "--help") == 0)
        return settings->help = true;
    if (option_is(argc, argv, i, "--width", &value))
        return value && width_set(settings, value);
    if (option_is(argc, argv, i, "--color", &value))
        return value && colour_set(settings, value);
    fprintf(stderr, "raddle: unknown option '%s'; `raddle show --help` lists them\n", argv[*i]);
    return false;
}

static bool arguments_read(int argc, char **argv, struct show_settings *settings)
{
    bool options = true;
    int files = 0;

    for (int i = 1; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1] != '\0') {
            if (!option_read(argc, argv, &i, settings))
                return false;
        } else {
            settings->file = argv[i];
            files++;
        }
    }
    if (files == 1 || settings->help)
        return true;
    fprintf(stderr,
            "raddle: show takes one trace, not %d; usage: raddle show [OPTIONS] FILE.raddle\n",
            files);
    return false;
}

/* ---- the terminal */

static uint32_t terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    if (columns && atoi(columns) >= 40 && atoi(columns) <= WIDTH_MAX)
        return (uint32_t)atoi(columns);
    return WIDTH_DEFAULT;
}

static bool terminal_has_colours(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool locale_is_utf8(void)
{
    return setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static struct lanes_style style_of(const struct show_settings *settings)
{
    struct lanes_style style = {.width = settings->width ? settings->width : terminal_width()};

    style.unicode = !settings->plain && locale_is_utf8();
    style.colour = settings->colour == COLOUR_ALWAYS ||
                   (settings->colour == COLOUR_AUTO && !settings->plain && terminal_has_colours());
    return style;
}

/* ---- the subcommand */

static int show_file(const struct show_settings *settings)
{
    struct lanes_style style = style_of(settings);
    struct trace_error error;
    struct trace trace;
    size_t length;
    char *text = input_read(settings->file, &length);
    char line[1024];
    bool ok;

    if (!text)
        return EXIT_STATUS_USAGE;
    ok = trace_read(text, length, &trace, &error);
    free(text);
    if (!ok) {
        fprintf(stderr, "%s\n", trace_error_format(&error, settings->file, line, sizeof line));
        return EXIT_STATUS_USAGE;
    }
    ok = lanes_print(&trace, &style, stdout) == 0;
    trace_free(&trace);
    if (ok)
        return EXIT_STATUS_SAFE;
    fprintf(stderr, "raddle: %s: out of memory\n", settings->file);
    return EXIT_STATUS_ENVIRONMENT;
}

static int show_main(int argc, char **argv)
{
    struct show_settings settings = {0};

    if (!arguments_read(argc, argv, &settings))
        return EXIT_STATUS_USAGE;
    if (!settings.help)
        return show_file(&settings);
    printf("usage: raddle show [OPTIONS] FILE.raddle\n\n"
           "Shows the run that a trace holds: one lane for each thread, one row for each step.\n\n"
           "  --width N                columns to use (default: those of the terminal, else %d)\n"
           "  --plain                  ASCII only, and no colours unless they are asked for\n"
           "  --color auto|always|never  colours (default: auto, on a terminal)\n"
           "  --help                   this page\n",
           WIDTH_DEFAULT);
    return EXIT_STATUS_SAFE;
}

const struct subcommand subcommand_show = {"show", "FILE.raddle",
                                           "show a trace, one lane for each thread", show_main};
