#include "cli/bug_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines of the program's output in the report. */
#define OUTPUT_LINES 10

/* The end of what the program wrote in the failing run: for who fails by its exit status, that says why. */
static void output_print(FILE *out, const struct native_case *found)
{
    const char *at = found->output.at;
    size_t end = found->output.count, start;
    unsigned lines = 0;

    while (end > 0 && at[end - 1] == '\n')
        end--;
    for (start = end; start > 0 && (at[start - 1] != '\n' || ++lines < OUTPUT_LINES); start--)
        ;
    if (end == 0)
        return;
    fprintf(out, start ? "  the end of its output:\n" : "  its output:\n");
    for (size_t i = start; i < end; i++) {
        if (i == start || at[i - 1] == '\n')
            fputs("    ", out);
        fputc((unsigned char)at[i] < ' ' && !strchr("\n\t", at[i]) ? '?' : at[i], out);
    }
    fputc('\n', out);
}

/* ---- on a terminal */

#define BOLD   "\033[1m"
#define RED    "\033[1;31m"
#define NORMAL "\033[0m"

static bool is_terminal(FILE *out)
{
    return isatty(fileno(out)) == 1;
}

/* no-color.org: the variable counts if it is there and not empty. */
static bool has_colours(FILE *out)
{
    const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return is_terminal(out) && !(never && *never) && terminal && strcmp(terminal, "dumb") != 0;
}

/* The line of the source, with a mark below its column, if the file is there. */
static void source_print(FILE *out, const struct session_site *site)
{
    FILE *file = site->file && site->line ? fopen(site->file, "r") : NULL;
    char line[400];
    uint32_t number = 0;

    while (file && number < site->line && fgets(line, sizeof line, file))
        number += strchr(line, '\n') != NULL || feof(file);
    if (file)
        fclose(file);
    if (number == 0 || number != site->line)
        return;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' '; /* a tab, too: the mark must be where it belongs */
    fprintf(out, "%6" PRIu32 " | %s\n", site->line, line);
    if (site->column && site->column <= strlen(line))
        fprintf(out, "       | %*s^\n", (int)site->column - 1, "");
}

/* ---- a bug */

void bug_print(FILE *out, const char *before, const struct session_bug *bug,
               const struct native_case *found, const char *trace)
{
    char whose[220];
    bool colours = has_colours(out);
    const char *bold = colours ? BOLD : "", *red = colours ? RED : "",
               *normal = colours ? NORMAL : "";

    if (bug->site.file && bug->site.line)
        fprintf(out, "%s%s:%" PRIu32 ":%s ", bold, bug->site.file, bug->site.line, normal);
    else if (bug->site.file)
        fprintf(out, "%s%s:%s ", bold, bug->site.file, normal);
    fprintf(out, "%s%s%s:%s %s%s%s", bug->refused ? "note: " : before, red,
            bug_kind_names[bug->kind], normal, bold, bug->message, normal);
    fprintf(out, "%s\n",
            bug->kind == BUG_LOCK_ORDER ? "" : native_case_whose(found, bug, whose, sizeof whose));
    if (is_terminal(out))
        source_print(out, &bug->site);
    if (is_terminal(out) && bug->kind == BUG_DATA_RACE)
        source_print(out, &bug->sides[0].site);
    if (bug->detail)
        fprintf(out, "%s", bug->detail);
    if (found && found->notes)
        fprintf(out, "%s", found->notes);
    if (found && bug->kind == BUG_EXIT)
        output_print(out, found);
    if (trace)
        fprintf(out,
                "  trace: %s (`raddle show %s` explains the run, `raddle replay %s` repeats it)\n",
                trace, trace, trace);
}
