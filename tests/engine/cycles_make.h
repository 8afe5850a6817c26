#ifndef RADDLE_TESTS_ENGINE_CYCLES_MAKE_H
#define RADDLE_TESTS_ENGINE_CYCLES_MAKE_H

#include "script/program.h"

/* A random program of which threads may go round for ever, in few states. False if it came out wrong. */
bool cycles_make(uint64_t seed, struct program *program);

#endif
