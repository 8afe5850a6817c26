#ifndef RADDLE_TESTS_ENGINE_TWINS_MAKE_H
#define RADDLE_TESTS_ENGINE_TWINS_MAKE_H

#include "script/program.h"

/* A random program with groups of threads that have the same code, and others that nearly have. */
void twins_make(uint64_t seed, struct program *program);

/* The same of threads that may go round for ever, in few states. False if it came out wrong. */
bool twins_make_round(uint64_t seed, struct program *program);

/* Whether the two have the same code from the beginning, or (`later`) may come to have the same code ahead of them. */
bool twins_same_code(const struct thread_code *a, const struct thread_code *b, bool later);

#endif
