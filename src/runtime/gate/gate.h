#ifndef RADDLE_RUNTIME_GATE_GATE_H
#define RADDLE_RUNTIME_GATE_GATE_H

/* System calls that may leave something behind. The next execution must not find it, or it would be another program's; nor must the
 * user, when all is over. So a filter in the kernel (seccomp) stops each call that is not known to leave nothing behind, whoever makes it: the program,
 * libc inside one of its functions, a library that was not compiled by raddle. gate.def says for each what takes it back; what
 * is to be taken back is written down (base/undo.h) in the session, so that the driver can do it if this process dies. Calls of the runtime itself
 * pass. */

#include <stdbool.h>

#include "base/undo.h"

/* A system call of the program. */
struct gate_call {
    long number;
    long a[UNDO_ARGUMENTS];
};

/* Closes the gate for the program. Where the kernel has no filters, that is named, and the verdict incomplete. */
void gate_open(void);

/* The process may gain no rights by exec any more, as filters want it; the program does not see that. */
extern bool gate_gave_up_rights;

/* Does a call that the program made by its number: notes what takes it back. As the kernel returns it: -errno for a failure. */
long gate_pass(struct gate_call *call);

/* Whether calls of that number leave nothing behind. */
bool gate_is_free(long number);

/* A name is about to be made or changed by a call of the runtime, for the program. */
void gate_keep(int at, const char *path, unsigned how);
void gate_keep_open(int fd, unsigned how);

/* Takes everything back. */
void gate_restart(void);

/* ---- attributes.c, objects.c: functions of gate.def. Each notes what takes the call back, and may do it, too: then true, with the result. */
typedef bool gate_function(struct gate_call *call, long *result);

/* `call` takes back what is about to be done: a call of that number, whose argument `pointer` (or -1) is the address of the data. */
void gate_undo(const struct undo_call *call, int pointer);

/* Does the call, as the kernel returns it. */
long gate_do(const struct gate_call *call);

/* Something stays behind: "text" (at file:line) in the report. */
void gate_stays(const char *text);

#define GATE_FUNCTIONS(F)                                                                          \
    F(directory)                                                                                   \
    F(umask)                                                                                       \
    F(priority)                                                                                    \
    F(io_priority)                                                                                 \
    F(limit)                                                                                       \
    F(old_limit)                                                                                   \
    F(affinity)                                                                                    \
    F(scheduler)                                                                                   \
    F(personality)                                                                                 \
    F(prctl)                                                                                       \
    F(user)                                                                                        \
    F(group)                                                                                       \
    F(groups)                                                                                      \
    F(process_group)                                                                               \
    F(timer)                                                                                       \
    F(alarm)                                                                                       \
    F(lock_memory)                                                                                 \
    F(lock_all)                                                                                    \
    F(shared_memory)                                                                               \
    F(semaphores)                                                                                  \
    F(messages)                                                                                    \
    F(shared_memory_control)                                                                       \
    F(semaphores_control)                                                                          \
    F(messages_control)                                                                            \
    F(semaphores_used)                                                                             \
    F(messages_used)                                                                               \
    F(queue_open)                                                                                  \
    F(queue_gone)

#define GATE_DECLARE(name) gate_function gate_##name;
GATE_FUNCTIONS(GATE_DECLARE)

#endif
