#ifndef RADDLE_CLI_WATCH_H
#define RADDLE_CLI_WATCH_H

#include <sys/types.h>

#include "explore/session.h"

/* Notices that a process of the program under test makes no step any more: it sleeps in a system call that nobody
 * models, or a thread computes without end. */

#define WATCH_ASLEEP_SECONDS                                                                       \
    5.0 /* that a process may sleep between two steps, unless told otherwise */
#define WATCH_BUSY_SECONDS 30.0 /* of processor time for one step */

enum watch_verdict {
    WATCH_FINE,
    WATCH_ASLEEP, /* sleeps in a system call */
    WATCH_BUSY,   /* computes */
};

struct watch {
    pid_t pid;
    const struct session *session;
    double asleep_limit, busy_limit; /* seconds */
    uint64_t progress;               /* when it last changed: */
    double busy_before;              /* the processor time at that moment */
    double busy;                     /* and when last looked */
    double asleep_since;             /* by the clock; 0: was not asleep */
};

/* Begins to watch a process. `limit` is what the user gave for both limits, or 0. One step gets no more than half of the time for `all` of the search, if that is not 0. */
void watch_open(struct watch *watch, pid_t pid, const struct session *session, double limit,
                double all);

/* Another process does the work now. */
void watch_process(struct watch *watch, pid_t pid);

/* To be called a few times a second; cheap while there is progress. */
enum watch_verdict watch_look(struct watch *watch);

/* What it does, in words, while it still exists: "thread 2 is stuck in the system call read (descriptor 3) at a.c:12". */
void watch_tell(const struct watch *watch, enum watch_verdict verdict, char *text, size_t size);

#endif
