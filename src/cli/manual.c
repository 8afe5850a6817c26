#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* Fills in a manual page: man/ holds what people wrote, the tables hold the options. */

/* A character beyond ASCII by its number, which every formatter knows; returns its last byte. */
static const char *wide_print(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned more = *byte >= 0xf0 ? 3 : *byte >= 0xe0 ? 2 : 1;
    unsigned code = *byte & (0x3fu >> more);

    for (; more > 0 && (byte[1] & 0xc0) == 0x80; more--)
        code = code << 6 | (*++byte & 0x3f);
    printf("\\[u%04X]", code);
    return (const char *)byte;
}

/* Text of a line in mdoc: a backslash, and a dot or quote at its beginning, would be commands. */
static void text_print(const char *text)
{
    if (*text == '.' || *text == '\'')
        printf("\\&");
    for (; *text; text++)
        if (*text == '\\')
            printf("\\e");
        else if (*text & 0x80)
            text = wide_print(text);
        else
            putchar(*text);
}

static void argument_print(const char *argument)
{
    const char *bar = "";

    printf(" ");
    if (!strchr(argument, '|')) {
        printf("Ar %s", argument);
        return;
    }
    while (*argument) {
        size_t length = strcspn(argument, "|");

        printf("%sCm %.*s", bar, (int)length, argument);
        bar = " | ";
        argument += length + (argument[length] == '|');
    }
}

static void row_print(const struct option_row *row)
{
    char first = row->help[0];
    size_t length = strlen(row->help);
    bool lower = first >= 'a' && first <= 'z';

    printf(".It Fl -%s", row->name);
    if (option_needs_value(row))
        argument_print(row->argument);
    else if (row->argument)
        printf(" Ns Op Ns %s", row->argument);
    putchar('\n');
    if (lower)
        putchar(first - 'a' + 'A');
    text_print(row->help + lower);
    printf("%s\n", length && row->help[length - 1] == '.' ? "" : ".");
}

static void options_print(const struct subcommand *subcommand)
{
    const struct option_row *tables[OPTION_TABLES];

    options_tables(subcommand, tables);
    printf(".Bl -tag -width Ds\n");
    for (int i = 0; i < OPTION_TABLES; i++)
        for (const struct option_row *row = tables[i]; row && row->name; row++)
            if (row->set != common_options[0].set)
                row_print(row);
    printf(".It Fl -help\nPrint the options on one screen.\n.El\n");
}

static int manual_main(int argc, char **argv)
{
    struct settings settings;
    const struct subcommand *subcommand;
    char line[4096];
    int count;

    if (!options_read(argc, argv, &subcommand_manual, &settings, &count))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        help_subcommand(&subcommand_manual);
        return EXIT_STATUS_SAFE;
    }
    subcommand = count == 1 ? subcommand_find(argv[1]) : NULL;
    if (!subcommand) {
        fprintf(stderr, "raddle: manual takes a command; usage: raddle manual COMMAND <PAGE.in\n");
        return EXIT_STATUS_USAGE;
    }
    while (fgets(line, sizeof line, stdin))
        if (strcmp(line, "@OPTIONS@\n") == 0)
            options_print(subcommand);
        else
            fputs(line, stdout);
    return EXIT_STATUS_SAFE;
}

const struct subcommand subcommand_manual = {
    .name = "manual",
    .arguments = "COMMAND <PAGE.in",
    .summary = "fill the options of a command into its manual page",
    .about = "Copies a manual page from standard input to standard output, with the options of the "
             "command where a line says @OPTIONS@.",
    .run = manual_main,
    .mode = OPTIONS_OWN,
    .hidden = true,
};
