#ifndef RADDLE_TESTS_ENGINE_TWINS_H
#define RADDLE_TESTS_ENGINE_TWINS_H

#include <stdint.h>
#include <stdio.h>

#include "judge.h"

/* Random programs with groups of threads that have the same code, and others that nearly have: a search that looks for interchangeable threads must find all final states, up to an exchange
 * of threads with the same code, and all kinds of bugs. Adds to *saved how many transitions it did not have to try. */
enum judgement twins_judge(uint64_t seed, enum oracle_model model, uint64_t *saved, FILE *file);

/* The same for a program that may go round for ever, held against a search that compares states, and tries all threads; `order`: seed of the engine's free choices, or 0. */
enum judgement twins_judge_program(const struct program *program, uint64_t order, uint64_t *saved,
                                   FILE *file);

/* … for random ones. */
enum judgement twins_judge_round(uint64_t seed, uint64_t *saved, FILE *file);

#endif
