#ifndef RADDLE_TESTS_ENGINE_AGREE_H
#define RADDLE_TESTS_ENGINE_AGREE_H

#include "judge.h"

/* Programs that are too big for the oracle: `source` and `optimal` must explore the same traces, each once, and `optimal` in any
 * order, with no run given up. The oracle still replays each execution and says which trace it is. Gives up, as
 * JUDGED_TOO_BIG, beyond `limit` executions. Tells `file` what is wrong. */
enum judgement judge_agree(const struct program *program, enum oracle_model model, uint64_t limit,
                           FILE *file);

#endif
