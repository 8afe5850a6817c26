#ifndef RADDLE_CLUSTER_FINDINGS_H
#define RADDLE_CLUSTER_FINDINGS_H

#include "explore/session.h"

/* What a worker of a native program has found and found out, as a message (MESSAGE_BUG). It is sent before anything that lets the runs count that showed it, so that nothing is
 * lost with the worker. */

/* Appends such a message, with its length, if there is something that was not told. */
void findings_tell(struct session *session, struct bytes *out);

/* Reads what such a message brings into a session that is otherwise empty, but for its memory. False if it is damaged. */
bool findings_read(struct session *session, const void *at, size_t size);

#endif
