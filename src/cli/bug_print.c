#include "cli/bug_print.h"

#include <inttypes.h>

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
        fputc(at[i], out);
    }
    fputc('\n', out);
}

void bug_print(FILE *out, const char *before, const struct session_bug *bug,
               const struct native_case *found, const char *trace)
{
    if (bug->site.file)
        fprintf(out, "%s:%" PRIu32 ": ", bug->site.file, bug->site.line);
    fprintf(out, "%s%s: %s", bug->refused ? "note: " : before, bug_kind_names[bug->kind],
            bug->message);
    fprintf(out, " (thread %" PRIu32 ")\n", bug->thread);
    if (bug->detail)
        fprintf(out, "%s", bug->detail);
    if (found && bug->kind == BUG_EXIT)
        output_print(out, found);
    if (trace)
        fprintf(out,
                "  the run is in %s: `raddle show %s` tells it, `raddle replay %s` does it again\n",
                trace, trace, trace);
}
