#ifndef RADDLE_CLI_FAMILY_H
#define RADDLE_CLI_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

#include "explore/session.h"

/* The processes of one program: the one that runs, and its snapshots, which wait (explore/session.h). All are children of this process. */
struct family {
    struct session *session;
    pid_t first;      /* that was started here */
    uint32_t started; /* by others, before that one */
    uint32_t ended;   /* of those that others have started since */
    bool over;        /* the one that ran has ended, with this: */
    int status;
};

/* Before the first process is started, and when it was. */
void family_prepare(struct session *session);
void family_begin(struct family *family, struct session *session, pid_t first);

/* The one that runs now. */
pid_t family_runner(const struct family *family);

/* Takes note of those that have ended. True when it was the one that ran. */
bool family_reap(struct family *family);

/* Ends the others, and waits for that. */
void family_end(struct family *family);

#endif
