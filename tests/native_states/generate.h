#ifndef RADDLE_TESTS_NATIVE_STATES_GENERATE_H
#define RADDLE_TESTS_NATIVE_STATES_GENERATE_H

/* Random C programs for searches that compare states: what they share is plain and guarded by something, well or badly, and what their threads read
 * is kept or forgotten. Each is made from one number, always the same from the same number. A file holds many of them: clang takes
 * longer to start than to compile one. Every statement has a line of its own, which is how bugs are told apart.
 *
 * Around the threads, main starts them, waits for all, and adds a hash of the final state to a file (tests/native/prelude.h). */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a program is mostly made of. */
enum style {
    STYLE_LOCKS,   /* plain variables and arrays under mutexes */
    STYLE_ATOMICS, /* atomics as flags for plain data */
    STYLE_WAITS,   /* conditions, semaphores, barriers, reader-writer locks, once */
    STYLE_THREADS, /* threads of threads, thread-local variables, blocks, locals, calls */
    STYLE_MIXED,
    STYLE_ENDLESS, /* threads that go round for ever, in finitely many states */
    STYLE_COUNT
};

extern const char *const style_names[STYLE_COUNT];

/* What must be found in an endless program, which no other search can tell. */
enum planted { PLANTED_NOTHING, PLANTED_ASSERTION, PLANTED_RACE };

enum style generate_style(uint64_t seed);
enum planted generate_planted(uint64_t seed);

/* `size` is about how many statements all threads have together. With `twins` threads have the code of others: the same function, or one of another name, in the same lines as far as messages
 * tell. What they leave behind does not say who they are. */
void generate_begin(FILE *out);
void generate_program(uint64_t seed, unsigned number, unsigned size, bool twins, FILE *out);

/* main(): the arguments are the number of the program and the file for the states. */
void generate_end(unsigned count, FILE *out);

#endif
