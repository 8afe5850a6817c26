#ifndef RADDLE_TESTS_ENGINE_CYCLES_H
#define RADDLE_TESTS_ENGINE_CYCLES_H

#include <stdint.h>
#include <stdio.h>

#include "judge.h"

/* Random programs that go round for ever in finitely many states: a search that compares states must end, with all final states and all kinds of
 * bugs that plain enumeration of the states finds. */
enum judgement cycles_judge(uint64_t seed, FILE *file);

#endif
