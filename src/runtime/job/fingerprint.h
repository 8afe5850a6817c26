#ifndef RADDLE_RUNTIME_JOB_FINGERPRINT_H
#define RADDLE_RUNTIME_JOB_FINGERPRINT_H

/* Fingerprints of states of the program (model/target.h): what the world does not know. */

#include "model/target.h"

bool fingerprint_local(struct target *target, struct world *world, agent_id agent,
                       struct fingerprint *into);
bool fingerprint_shared(struct target *target, struct world *world, struct fingerprint *into);
void fingerprint_note(struct target *target, struct world *world, agent_id agent);
bool fingerprint_change(struct target *target, struct world *world, agent_id agent,
                        struct fingerprint *into);
bool fingerprint_is_open(struct target *target, struct world *world, agent_id agent);

#endif
