#ifndef RADDLE_RUNTIME_JOB_REPLAY_H
#define RADDLE_RUNTIME_JOB_REPLAY_H

/* Runs whose schedule is known. */

#include "explore/session.h"

/* Opens the session's explorer for one, and brings the program to its start. */
void replay_open(struct session *session);

/* Does what was chosen as step `number`. False, with the divergence noted, if that is not possible. */
bool replay_step(const struct session_choice *choice, uint32_t number);

#endif
