#ifndef RADDLE_RUNTIME_JOB_FINGERPRINT_H
#define RADDLE_RUNTIME_JOB_FINGERPRINT_H

/* Fingerprints of states of the program (model/target.h): what the world does not know. */

#include "model/target.h"
#include "runtime/program/native.h"

bool fingerprint_local(struct target *target, struct world *world, agent_id agent,
                       struct fingerprint *into);
bool fingerprint_shared(struct target *target, struct world *world, struct fingerprint *into);
void fingerprint_note(struct target *target, struct world *world, agent_id agent);
bool fingerprint_change(struct target *target, struct world *world, agent_id agent,
                        struct fingerprint *into);
bool fingerprint_is_open(struct target *target, struct world *world, agent_id agent);

/* Up to where the bytes on the stack of a thread that waits for `op` must be taken as they are, from fiber.sp on: what lies beyond is told by its frames. NULL: it cannot be
 * told. */
const char *fingerprint_bytes_end(const struct native_thread *thread, const struct op *op);

/* Looks up what later needs the dynamic linker, which leaves something in the thread-local memory of whoever ran last. Before any thread of the program runs. */
void fingerprint_prepare(void);

/* Whether it has thrown exceptions that it has not done with. */
bool fingerprint_throws(const struct native_thread *thread);

/* Where errno is in thread-local memory, from the thread pointer on. */
ptrdiff_t fingerprint_errno(void);

#endif
