#ifndef RADDLE_CLI_CHECK_H
#define RADDLE_CLI_CHECK_H

#include "cli/cli.h"

/* The kinds of programs that `raddle check` takes; each returns the exit status. */

/* A scripted program. */
int check_script(const char *file, const struct settings *settings);

/* A native program that raddle cc built. `arguments` are the program's own, ending with NULL; `subject` is what
 * the user calls it. */
int check_program(const char *program, char *const *arguments, const char *subject,
                  const struct settings *settings);

/* Sources, with options for the compiler among them: `words`, ending with NULL. */
int check_sources(char *const *words, char *const *arguments, const struct settings *settings);

#endif
