#ifndef RADDLE_CLUSTER_NUMBERS_H
#define RADDLE_CLUSTER_NUMBERS_H

#include "base/bytes.h"
#include "base/map.h"

/* Numbers for the threads of a native program, which all workers have to agree on: addresses of stacks and heap blocks follow from them. Whoever sees a thread first asks
 * for its number (MESSAGE_NAME), and waits for the answer (MESSAGE_NUMBERS). A name is the number of the parent and the rank among its children. */
struct numbers {
    struct arena *arena;
    VEC(uint64_t) names; /* by number: parent << 32 | rank */
    struct map by_name;
};

void numbers_table_open(struct numbers *numbers, struct arena *arena);

/* Of that thread; a new one if it has none yet. */
uint32_t numbers_table_take(struct numbers *numbers, uint32_t parent, uint32_t rank);

/* The answer to a message that asks for one. False if it is none that asks; *failed if it is damaged. */
bool numbers_answer(struct numbers *numbers, const uint8_t *at, uint32_t size, struct bytes *out,
                    bool *failed);

/* The two messages. Who asks knows the first `known` numbers already. */
void numbers_ask_write(uint32_t known, uint32_t parent, uint32_t rank, struct bytes *out);

/* Whether the message is an answer; then `in` is at its names: the number of the first, and how many, of each parent and rank. */
bool numbers_is_answer(const uint8_t *at, uint32_t size, struct bytes_reader *in);

#endif
