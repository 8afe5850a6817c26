#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/native.h"
#include "cli/report_files.h"
#include "trace/lanes.h"
#include "trace/story.h"

#define WIDTH_DEFAULT 100
#define WIDTH_MAX     10000

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct show_settings {
    uint32_t width; /* 0: that of the terminal */
    bool plain;
    bool all;
    enum colour_choice colour;
};

/* ---- options */

static struct show_settings show_settings; /* the setters of a row know only those of a search */

static const char *set_width(struct settings *settings, const char *value)
{
    char *end;
    unsigned long width = strtoul(value, &end, 10);

    (void)settings;
    if (*value < '0' || *value > '9' || *end || width < 40 || width > WIDTH_MAX)
        return "a number from 40 to 10000";
    show_settings.width = (uint32_t)width;
    return NULL;
}

static const char *set_colour(struct settings *settings, const char *value)
{
    static const char *const names[] = {"auto", "always", "never"};

    (void)settings;
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            show_settings.colour = (enum colour_choice)i;
            return NULL;
        }
    return "auto, always or never";
}

static const char *set_plain(struct settings *settings, const char *value)
{
    (void)settings;
    (void)value;
    show_settings.plain = true;
    return NULL;
}

static const char *set_all(struct settings *settings, const char *value)
{
    (void)settings;
    (void)value;
    show_settings.all = true;
    return NULL;
}

/* Two numbers of threads. */
static const char *set_compared(struct settings *settings, const char *value)
{
    static const char wanted[] = "two threads, as in 1,2";
    char *end;

    for (int i = 0; i < 2; i++) {
        unsigned long thread = strtoul(value, &end, 10);

        if (*value < '0' || *value > '9' || thread > UINT32_MAX || *end != (i ? '\0' : ','))
            return wanted;
        settings->compared[i] = (uint32_t)thread;
        value = end + 1;
    }
    settings->compares = true;
    return settings->compared[0] == settings->compared[1] ? wanted : NULL;
}

static const struct option_row show_options[] = {
#define REPORT(name, summary)       {#name, "FILE", summary, report_set_##name},
#define REPORT_TRACE(name, summary) {#name, "FILE", summary, report_set_##name},
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE
    {"source-root", "DIR", "sarif: names of files as seen from there", report_set_source_root},
    {"all", NULL, "every step, not only those that matter to the failure, and the run in words",
     set_all},
    {"width", "N", "columns (default: those of the terminal, else 100)", set_width},
    {"plain", NULL, "ASCII only, and no colours unless they are asked for", set_plain},
    {"why-symmetric", "A,B",
     "do the run again, and tell what keeps two threads from being interchangeable", set_compared},
    {"color", "auto|always|never", "colours (default auto: on a terminal)", set_colour},
    {0},
};

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

    style.brief = !settings->all;
    style.unicode = !settings->plain && locale_is_utf8();
    style.colour = settings->colour == COLOUR_ALWAYS ||
                   (settings->colour == COLOUR_AUTO && !settings->plain && terminal_has_colours());
    return style;
}

/* ---- the subcommand */

/* For people, unless files for other programs are asked for. */
static bool show_trace(const struct trace *trace, const char *file, const struct settings *settings)
{
    struct lanes_style style = style_of(&show_settings);

    if (report_files_wanted(settings))
        return report_files_trace(settings, trace);
    if (lanes_print(trace, &style, stdout) == 0 && story_print(trace, &style, stdout) == 0 &&
        fflush(stdout) == 0)
        return true;
    fprintf(stderr, "raddle: %s: %s\n", file, strerror(errno));
    return false;
}

/* Whether the trace has both threads that are to be compared. */
static bool has_compared(const struct trace *trace, const char *file,
                         const struct settings *settings)
{
    for (int i = 0; i < 2; i++)
        if (settings->compared[i] >= trace->threads.count) {
            fprintf(stderr, "raddle: %s has threads 0 to %u, and no thread %u\n", file,
                    trace->threads.count - 1, settings->compared[i]);
            return false;
        }
    return true;
}

static int show_file(const char *file, struct settings *settings)
{
    struct trace_error error;
    struct trace trace;
    size_t length;
    char *text = input_read(file, &length);
    char line[1024];
    bool ok;
    int status;

    if (!text)
        return EXIT_STATUS_USAGE;
    ok = trace_read(text, length, &trace, &error);
    free(text);
    if (!ok) {
        fprintf(stderr, "%s\n", trace_error_format(&error, file, line, sizeof line));
        return EXIT_STATUS_USAGE;
    }
    if (settings->compares)
        status = has_compared(&trace, file, settings) ? replay_trace(&trace, file, NULL, settings)
                                                      : EXIT_STATUS_USAGE;
    else
        status = show_trace(&trace, file, settings) ? EXIT_STATUS_SAFE : EXIT_STATUS_ENVIRONMENT;
    trace_free(&trace);
    return status;
}

static int show_main(int argc, char **argv)
{
    struct settings settings;
    int files;

    if (!options_read(argc, argv, &subcommand_show, &settings, &files))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        help_subcommand(&subcommand_show);
        return EXIT_STATUS_SAFE;
    }
    if (files != 1) {
        fprintf(stderr,
                "raddle: show takes one trace, not %d; usage: raddle show [OPTIONS] FILE.raddle\n",
                files);
        return EXIT_STATUS_USAGE;
    }
    if (!report_files_settle(&settings))
        return EXIT_STATUS_USAGE;
    return show_file(argv[1], &settings);
}

const struct subcommand subcommand_show = {
    .name = "show",
    .arguments = "FILE.raddle",
    .summary = "show a trace, one lane for each thread",
    .about =
        "Shows the run that a trace holds: one lane for each thread, one row for each step that "
        "matters to the failure. With a FILE for another program it writes that instead.",
    .run = show_main,
    .mode = OPTIONS_OWN,
    .options = show_options,
    .suffix = "raddle",
};
