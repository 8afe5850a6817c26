#ifndef RADDLE_TESTS_NATIVE_ROUNDS_LOOPS_H
#define RADDLE_TESTS_NATIVE_ROUNDS_LOOPS_H

/* Random C programs of loops: those that wait, those that try again with what they have just read, and those that only look like them, since they count, remember,
 * write, or give up. Each is made from one number, always the same from the same number; many of them are in one file. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The same programs are C and C++, there by std::atomic. */
void loops_begin(bool cxx, FILE *out);
void loops_program(uint64_t seed, unsigned number, FILE *out);

/* main(): the arguments are the number of the program and the file for the states. */
void loops_end(unsigned count, FILE *out);

#endif
