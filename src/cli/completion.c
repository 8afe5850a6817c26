#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* Completion for the shells, from the same tables as the help: whoever packages raddle puts it where the shell looks. */

/* Calls `print` for every option of the subcommand. */
static void options_each(const struct subcommand *subcommand,
                         void (*print)(const struct subcommand *, const struct option_row *))
{
    const struct option_row *tables[OPTION_TABLES];

    options_tables(subcommand, tables);
    for (int i = 0; i < OPTION_TABLES; i++)
        for (const struct option_row *row = tables[i]; row && row->name; row++)
            print(subcommand, row);
}

/* "a|b|c" as "a b c". */
static void words_print(const char *words)
{
    for (; *words; words++)
        putchar(*words == '|' ? ' ' : *words);
}

/* The names of the commands. */
static void commands_print(void)
{
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            printf("%s%s", s == subcommands ? "" : " ", (*s)->name);
}

static bool is_file(const char *argument)
{
    return strcmp(argument, "FILE") == 0;
}

static bool is_choice(const char *argument)
{
    return strchr(argument, '|') != NULL;
}

/* ---- bash */

static void bash_option(const struct subcommand *subcommand, const struct option_row *row)
{
    (void)subcommand;
    printf(" --%s", row->name);
}

static void bash_value(const struct subcommand *subcommand, const struct option_row *row)
{
    if (!option_needs_value(row))
        return;
    printf("    '%s --%s') ", subcommand->name, row->name);
    if (is_choice(row->argument)) {
        printf("_raddle_words '");
        words_print(row->argument);
        printf("'; return ;;\n");
    } else {
        printf("%sreturn ;;\n", is_file(row->argument) ? "_raddle_files ''; " : "");
    }
}

static void bash_subcommand(const struct subcommand *subcommand)
{
    printf("    '%s') options='", subcommand->name);
    options_each(subcommand, bash_option);
    printf("' suffix='%s' words='", subcommand->suffix ? subcommand->suffix : "");
    if (subcommand == &subcommand_help)
        commands_print();
    printf("' ;;\n");
}

static void bash_print(void)
{
    printf("# bash completion for raddle; made by `raddle completion bash`\n\n"
           "_raddle_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n\n"
           "# files that end with .$1, or all, and directories\n"
           "_raddle_files() {\n"
           "    compopt -o filenames 2>/dev/null\n"
           "    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"\n"
           "        if [ -n \"$1\" ]; then compgen -f -X \"!*.$1\" -- \"$cur\"\n"
           "        else compgen -f -- \"$cur\" | while IFS= read -r f; do\n"
           "            [ -d \"$f\" ] || printf '%%s\\n' \"$f\"; done; fi)\n"
           "}\n\n"
           "_raddle() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command=${COMP_WORDS[1]} options= suffix= words= i\n\n"
           "    COMPREPLY=()\n"
           "    # --model=tso comes as three words\n"
           "    if [ \"$cur\" = '=' ]; then cur=\n"
           "    elif [ \"$prev\" = '=' ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        _raddle_words '");
    commands_print();
    printf(" --help --version'\n"
           "        return\n"
           "    fi\n"
           "    case $command in\n");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            bash_subcommand(*s);
    printf("    esac\n"
           "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
           "        [ \"${COMP_WORDS[i]}\" != -- ] || { _raddle_files ''; return; }\n"
           "    done\n"
           "    case \"$command $prev\" in\n");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            options_each(*s, bash_value);
    printf("    esac\n"
           "    if [ -n \"$words\" ]; then _raddle_words \"$words\"\n"
           "    elif [[ $cur == -* ]]; then _raddle_words \"$options\"\n"
           "    else _raddle_files \"$suffix\"; fi\n"
           "}\n\n"
           "complete -F _raddle raddle\n");
}

/* ---- zsh */

/* Inside single quotes and brackets. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            printf("'\\''");
        } else {
            if (strchr("[]:\\", *text))
                putchar('\\');
            putchar(*text);
        }
    }
}

static void zsh_option(const struct subcommand *subcommand, const struct option_row *row)
{
    (void)subcommand;
    printf(" \\\n                '--%s%s[", row->name, option_needs_value(row) ? "=" : "");
    zsh_text(row->help);
    putchar(']');
    if (option_needs_value(row) && is_choice(row->argument)) {
        printf(":%s:(", row->name);
        words_print(row->argument);
        putchar(')');
    } else if (option_needs_value(row)) {
        printf(":");
        zsh_text(row->argument);
        printf(":%s", is_file(row->argument) ? "_files" : " ");
    }
    putchar('\'');
}

static void zsh_subcommand(const struct subcommand *subcommand)
{
    printf("        %s)\n            _arguments", subcommand->name);
    options_each(subcommand, zsh_option);
    printf(" \\\n                ");
    if (subcommand == &subcommand_help) {
        printf("'1:command:(");
        commands_print();
        printf(")' ;;\n");
    } else if (subcommand->suffix) {
        printf("'*:file:_files -g \"*.%s\"' ;;\n", subcommand->suffix);
    } else {
        printf("'*:file:_files' ;;\n");
    }
}

static void zsh_print(void)
{
    printf("#compdef raddle\n# zsh completion for raddle; made by `raddle completion zsh`\n\n"
           "_raddle() {\n"
           "    local context state state_descr line\n"
           "    typeset -A opt_args\n"
           "    local -a commands=(");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden) {
            printf("\n        '%s:", (*s)->name);
            zsh_text((*s)->summary);
            printf("'");
        }
    printf(
        ")\n\n"
        "    _arguments -C '(- *)--help[list the commands]' '(- *)--version[tell the version]' \\\n"
        "        '1:command:->command' '*::argument:->argument'\n"
        "    case $state in\n"
        "    command) _describe command commands ;;\n"
        "    argument)\n"
        "        case $words[1] in\n");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            zsh_subcommand(*s);
    printf("        esac ;;\n    esac\n}\n\n_raddle \"$@\"\n");
}

/* ---- fish */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish_option(const struct subcommand *subcommand, const struct option_row *row)
{
    printf("complete -c raddle -n '__fish_seen_subcommand_from %s' -l %s", subcommand->name,
           row->name);
    if (option_needs_value(row) && is_choice(row->argument)) {
        printf(" -x -a '");
        words_print(row->argument);
        putchar('\'');
    } else if (option_needs_value(row)) {
        printf(is_file(row->argument) ? " -r -F" : " -x");
    }
    printf(" -d ");
    fish_text(row->help);
    putchar('\n');
}

static void fish_subcommand(const struct subcommand *subcommand)
{
    const char *name = subcommand->name;

    printf("complete -c raddle -n __fish_use_subcommand -f -a %s -d ", name);
    fish_text(subcommand->summary);
    putchar('\n');
    options_each(subcommand, fish_option);
    if (subcommand->suffix)
        printf("complete -c raddle -n '__fish_seen_subcommand_from %s' -f -k "
               "-a '(__fish_complete_suffix .%s)'\n",
               name, subcommand->suffix);
    if (subcommand == &subcommand_help) {
        printf("complete -c raddle -n '__fish_seen_subcommand_from %s' -f -a '", name);
        commands_print();
        printf("'\n");
    }
}

static void fish_print(void)
{
    printf("# fish completion for raddle; made by `raddle completion fish`\n\n"
           "complete -c raddle -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
           "complete -c raddle -n __fish_use_subcommand -f -l version -d 'tell the version'\n");
    for (const struct subcommand *const *s = subcommands; *s; s++)
        if (!(*s)->hidden)
            fish_subcommand(*s);
}

/* ---- the subcommand */

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", bash_print}, {"zsh", zsh_print}, {"fish", fish_print}};

static int completion_main(int argc, char **argv)
{
    struct settings settings;
    int count;

    if (!options_read(argc, argv, &subcommand_completion, &settings, &count))
        return EXIT_STATUS_USAGE;
    if (settings.help) {
        help_subcommand(&subcommand_completion);
        return EXIT_STATUS_SAFE;
    }
    for (size_t i = 0; count == 1 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(argv[1], shells[i].name) == 0) {
            shells[i].print();
            return EXIT_STATUS_SAFE;
        }
    fprintf(stderr, "raddle: completion takes bash, zsh or fish; usage: raddle completion SHELL\n");
    return EXIT_STATUS_USAGE;
}

const struct subcommand subcommand_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "print the completion script for a shell",
    .about = "Prints a script that makes the shell complete commands, options and files of raddle. "
             "For bash: source <(raddle completion bash). An installation has them in place.",
    .run = completion_main,
    .mode = OPTIONS_OWN,
    .hidden = true,
};
