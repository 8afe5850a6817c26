#ifndef RADDLE_CLUSTER_LOCAL_H
#define RADDLE_CLUSTER_LOCAL_H

#include <poll.h>

#include "cluster/link.h"
#include "cluster/transport.h"

struct local_worker;

/* Workers as processes on this machine. */
struct local {
    struct transport base; /* first; base.workers is to be set */
    /* In a new process, which ends when it returns. `mail_fd` is of the memory with link->mail at its start, for those who go on as another program. */
    void (*work)(void *context, struct link *link, int mail_fd);
    void *context;
    int also; /* a descriptor whose input ends the waiting, too; -1: none */

    struct arena arena;
    struct local_worker *list;
    struct pollfd *polled;
    uint32_t vain; /* deaths in a row that were in vain */
    bool ending;
};

/* No process is left behind when it is closed. */
void local_open(struct local *local, uint32_t workers,
                void (*work)(void *context, struct link *link, int mail_fd), void *context);

#endif
