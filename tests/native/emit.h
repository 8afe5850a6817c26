#ifndef RADDLE_TESTS_NATIVE_EMIT_H
#define RADDLE_TESTS_NATIVE_EMIT_H

/* Scripted programs as C. A file holds many of them: clang takes longer to start than to compile one.
 *
 * Cells are bytes of one array per program, laid out as script/target.c does, accessed by __atomic builtins; registers
 * are locals; every other row is the call that a C programmer would write. Around them, main creates the threads that
 * start at once, waits for all that were created, and adds a hash of the final state to a file. What it adds is
 * ordered by creating, joining and semaphores that cannot be taken before they are posted: no race to reverse. */

#include <stdint.h>
#include <stdio.h>

#include "script/program.h"

/* Replaces what POSIX leaves undefined by `yield`: creating or joining the same thread in two rows. */
void emit_adapt(struct program *program);

void emit_begin(FILE *out);
void emit_program(const struct program *program, unsigned number, FILE *out);

/* main(): the arguments are the number of the program and the file for the states. */
void emit_end(unsigned count, FILE *out);

/* An access to lower addresses is left to fault; other wild ones fail an assertion. */
#define EMIT_FAULTS_BELOW 4096

#endif
