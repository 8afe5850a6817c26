#ifndef RADDLE_TESTS_ENGINE_SHRINK_H
#define RADDLE_TESTS_ENGINE_SHRINK_H

#include <stdbool.h>

#include "script/program.h"

/* Makes `program` smaller and plainer as long as it still fails, by one greedy step after the other
 * until none helps. `still_fails` sees only programs that pass program_check. */
void shrink(struct program *program, bool (*still_fails)(void *ctx, const struct program *),
            void *ctx);

/* A copy that shares nothing. Rows must not be added to it. */
void program_clone(const struct program *program, struct program *copy);

/* Changes the order of the threads: thread i becomes thread to[i]. */
void program_permute(struct program *program, const uint32_t *to);

#endif
