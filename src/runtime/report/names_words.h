#ifndef RADDLE_RUNTIME_REPORT_NAMES_WORDS_H
#define RADDLE_RUNTIME_REPORT_NAMES_WORDS_H

/* Words that the files of the names share (names.h). Those that add write at the end of `t`. */

#include "base/text.h"
#include "runtime/program/native.h"

/* " at q.c:12", with `before` for "at"; nothing if the site is not known. */
void names_add_site(struct text *t, const char *before, const struct raddle_site *site);
/* "T1 (worker)", where no lane has its name above it. */
void names_add_thread(struct text *t, agent_id agent);
/* What the source calls the object of an operation, else what the address is. */
void names_add_object(struct text *t, const struct op *op);
void names_add_channel(struct text *t, uint64_t name);
/* "store counter = 1". */
void names_add_op(struct text *t, const struct op *op);

/* Of the program's thread behind an agent. */
uint32_t names_thread_number(agent_id agent);
const struct raddle_site *names_op_site(const struct op *op);
/* Whether the site is known, and nobody's own (base/place.h). */
bool names_is_of_system(const struct raddle_site *site);
/* The word that threads wait at by that semaphore, or NULL if it is an ordinary one. */
const void *names_futex_word(uint64_t semaphore);

#endif
