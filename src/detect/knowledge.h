#ifndef RADDLE_DETECT_KNOWLEDGE_H
#define RADDLE_DETECT_KNOWLEDGE_H

#include "base/fingerprint.h"
#include "detect/future.h"

/* Who knows of whose accesses in the present state, in a form that does not depend on how often things have happened: for programs that go round, where
 * what may follow a state is not known before it comes again. Adds, for each byte accessed in those transitions, each way to access it and each thread,
 * who knows all accesses of that thread that such a one would have to come behind. `path`: all transitions since the first thread was joined by
 * another. False: there is too much of it. */
bool knowledge_of_path(const passage_id *path, uint32_t count, struct fingerprint *into);

#endif
