#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* Pages for --help: one screen of WIDTH columns each, made from the tables of options. */

#define WIDTH  80
#define COLUMN 26 /* where the text of an option begins */

/* Characters on the screen, not bytes. */
static int width_of(const char *text, size_t length)
{
    int width = 0;

    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* Prints words from column `at` on; lines after the first begin at `indent`. Ends the line. */
static void wrap(const char *text, int at, int indent)
{
    const char *space = "";

    while (*text) {
        size_t length = strcspn(text, " ");
        int width = width_of(text, length);

        if (at + (int)strlen(space) + width > WIDTH && at > indent) {
            printf("\n%*s", indent, "");
            at = indent;
            space = "";
        }
        printf("%s%.*s", space, (int)length, text);
        at += (int)strlen(space) + width;
        space = " ";
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void row_print(const struct option_row *row)
{
    const char *argument = row->argument ? row->argument : "";
    int at = option_needs_value(row) || !row->argument
                 ? printf("  --%s%s%s", row->name, *argument ? " " : "", argument)
                 : printf("  --%s[%s]", row->name, argument);

    if (at >= COLUMN) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", COLUMN - at, "");
    wrap(row->help, COLUMN, COLUMN);
}

void help_subcommand(const struct subcommand *subcommand)
{
    const struct option_row *tables[OPTION_TABLES];

    printf("usage: raddle %s %s%s\n\n", subcommand->name,
           subcommand->mode == OPTIONS_PASSED_ON ? "" : "[OPTIONS] ", subcommand->arguments);
    wrap(subcommand->about, 0, 0);
    putchar('\n');
    options_tables(subcommand, tables);
    for (int i = 0; i < OPTION_TABLES; i++)
        for (const struct option_row *row = tables[i]; row && row->name; row++)
            row_print(row);
    if (!subcommand->hidden)
        printf("%s`man raddle%s%s` tells more.\n", tables[2] ? "\n" : "",
               subcommand == &subcommand_help ? "" : "-",
               subcommand == &subcommand_help ? "" : subcommand->name);
}

void help_all(void)
{
    printf("raddle runs a multithreaded C program under every thread interleaving that\n"
           "matters: none breaks it, or here is the one that does.\n\n"
           "usage: raddle COMMAND [OPTIONS] …\n\n");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            printf("  %-8s %s\n", (*s)->name, (*s)->summary);
    printf("\n"
           "  raddle check queue_test.c             compile, explore, report\n"
           "  make CC=\"raddle cc\"                   build a project for checking\n"
           "  raddle check --model tso ./prog ARGS  check what was built so\n"
           "  raddle show prog.raddle               the failing run, one lane a thread\n\n"
           "`raddle COMMAND --help` tells the options of a command, `raddle --version` the\n"
           "version, `man raddle` more.\n\n"
           "Exit status: 0 safe, 1 a bug was found, 2 wrong usage or input, 3 incomplete,\n"
           "4 the environment failed, 70 raddle itself is wrong.\n");
}

static int help_main(int argc, char **argv)
{
    const struct subcommand *subcommand;

    if (argc < 2) {
        help_all();
        return EXIT_STATUS_SAFE;
    }
    if (argc > 2) {
        fprintf(stderr, "raddle: help takes one command, not %d; usage: raddle help [COMMAND]\n",
                argc - 1);
        return EXIT_STATUS_USAGE;
    }
    subcommand = strcmp(argv[1], "--help") == 0 ? &subcommand_help : subcommand_find(argv[1]);
    if (!subcommand) {
        subcommand_unknown(argv[1]);
        return EXIT_STATUS_USAGE;
    }
    help_subcommand(subcommand);
    return EXIT_STATUS_SAFE;
}

const struct subcommand subcommand_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "tell the options of a command",
    .about = "Prints what `raddle COMMAND --help` prints, or the list of commands.",
    .run = help_main,
    .mode = OPTIONS_OWN,
};
