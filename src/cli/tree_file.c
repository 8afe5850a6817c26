#include "cli/tree_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report_files.h"
#include "trace/utf8.h"

/* How leaves look. */
static const struct {
    const char *text, *colour;
} marks[] = {
    [TREE_DONE] = {"done", "#d5ecd4"},     [TREE_ASSUME] = {"assumption fails", "#e4e4e4"},
    [TREE_BUG] = {"bug", "#f4b6b6"},       [TREE_ASLEEP] = {"redundant", "#e4e4e4"},
    [TREE_CUT] = {"cut short", "#f6e3b5"}, [TREE_KNOWN] = {"known state", "#d9dff0"},
};

/* Threads are told apart by colour, too. */
static const char *const colours[] = {"#1f5fa8", "#a85b12", "#1c7c3c", "#7b3aa8",
                                      "#a81c47", "#127c85", "#6b6b12", "#a8128f"};

/* In quotes; a newline is \n there. */
static void put_text(FILE *out, const char *text)
{
    size_t length = strlen(text);
    char *clean = utf8_repair(text, &length, false);

    fputc('"', out);
    for (const char *c = clean; c && *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        if (*c == '\n')
            fputs("\\n", out);
        else
            fputc(*c, out);
    }
    fputc('"', out);
    free(clean);
}

static void put_node(FILE *out, const struct tree_node *node, uint32_t number)
{
    fprintf(out, "  s%" PRIu32, number);
    if (node->mark != TREE_INNER)
        fprintf(
            out, " [shape=box, style=filled, fillcolor=\"%s\", label=\"run %" PRIu32 "\\n%s%s\"]",
            marks[node->mark].colour, node->run, marks[node->mark].text, node->more ? "\\n…" : "");
    else if (node->more)
        fputs(" [shape=plaintext, label=\"…\"]", out);
    fputs(";\n", out);
    if (node->parent == TREE_NONE)
        return;
    fprintf(out, "  s%" PRIu32 " -> s%" PRIu32 " [color=\"%s\"%s, label=", node->parent, number,
            colours[node->thread % (sizeof colours / sizeof *colours)],
            node->is_buffer ? ", style=dashed" : "");
    put_text(out, node->text);
    fputs("];\n", out);
}

static bool tree_put(FILE *out, const struct tree *tree, const char *subject)
{
    char title[600];

    snprintf(title, sizeof title, "%.400s: %" PRIu32 " states, %" PRIu32 " runs%s", subject,
             tree->nodes.count, tree->runs,
             tree->full ? "\nonly the first states are shown; … stands for more" : "");
    fputs("digraph raddle {\n  graph [labelloc=t, fontname=\"sans-serif\", label=", out);
    put_text(out, title);
    fputs("];\n"
          "  node [shape=point, width=0.09, fontname=\"sans-serif\", fontsize=10];\n"
          "  edge [fontname=\"monospace\", fontsize=9, arrowsize=0.6];\n",
          out);
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        put_node(out, &tree->nodes.at[i], i);
    fputs("}\n", out);
    return fflush(out) == 0 && !ferror(out);
}

bool tree_file_write(const struct settings *settings, const struct tree *tree, const char *subject)
{
    const char *file = settings->tree;
    bool to_stdout = file && strcmp(file, "-") == 0, ok;
    FILE *out;

    if (!file)
        return true;
    out = to_stdout ? stdout : fopen(file, "w");
    ok = out && tree_put(out, tree, subject);
    if (out && !to_stdout)
        ok = fclose(out) == 0 && ok;
    if (!ok) {
        fprintf(stderr, "raddle: %s: cannot be written: %s\n", to_stdout ? "standard output" : file,
                strerror(errno));
        if (out && !to_stdout)
            report_file_discard(file);
    } else if (tree->full) {
        fprintf(
            stderr,
            "raddle: the search has more than %d states: %s shows the first ones; --tree is for "
            "small programs\n",
            TREE_STATES_MAX, to_stdout ? "the tree" : file);
    }
    return ok;
}
