#ifndef RADDLE_RUNTIME_HOOKS_RACES_H
#define RADDLE_RUNTIME_HOOKS_RACES_H

#include "runtime/program/native.h"

/* Data races as bugs. The detector knows when, who and which bytes; not where. So the races of a run are noted while it goes on, and when
 * it has ended it is done once more, and this time the stacks of the accesses are kept.
 *
 * A race that does not end the search (--keep-going, a suppression) leaves accesses whose order matters and is
 * not explored. So those bytes are exposed: from then on plain accesses to them are visible, and the search begins anew. */

/* A run has ended. False: the search is to stop, or to begin anew: its other findings do not count. */
bool races_of_run(void);

/* What was found so far counts as new again. */
void races_forget(void);

/* While a run is done again: keeps where a block is allocated, if a race is about it. */
void races_note_block(const void *block, size_t size);

/* The accesses that follow are those of a call that takes memory away (free…); NULL: no longer. */
void races_note_call(const char *call);

/* The call that the access under way is one of, or NULL. */
const char *races_call(void);

#endif
