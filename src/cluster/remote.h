#ifndef RADDLE_CLUSTER_REMOTE_H
#define RADDLE_CLUSTER_REMOTE_H

#include "cluster/link.h"
#include "cluster/post.h"
#include "cluster/transport.h"

/* Workers of other ranks of a job (--mpi): the first rank coordinates, each other one serves it, as the parent of one worker process. */

/* What ranks tell each other: the kind of a piece. */
enum remote_kind {
    /* to a rank that serves */
    REMOTE_SUBJECT, /* what is searched: bytes that only those know who use the cluster */
    REMOTE_FILE,    /* the file that it asked for */
    REMOTE_BEGIN,   /* start a worker; what it begins with follows */
    REMOTE_MESSAGE, /* from the worker; to it, too, with a byte before: so many were lost before it */
    REMOTE_ENDS,    /* if the worker ends, no other one is to be started */
    REMOTE_CLOSE,   /* no worker is to be there any more */
    REMOTE_PING,    /* is to be answered by the same */

    /* from one */
    REMOTE_WANTS,   /* the file */
    REMOTE_READY,   /* it can begin */
    REMOTE_REFUSES, /* text: why it cannot */
    REMOTE_LOST,    /* its worker died, and another one was started */
    REMOTE_STATUS,  /* a byte: its worker ended with that status */
    REMOTE_FAILED,  /* text: it cannot go on */
    REMOTE_CLOSED,  /* it has no worker any more */
};

/* ---- in the first rank */

struct remote {
    struct transport base; /* first */
    struct post *post;
    const struct bytes *subject, *session; /* for REMOTE_SUBJECT, REMOTE_BEGIN */
    const char *file;                      /* for REMOTE_FILE */
    bool *begun;     /* by worker, of rank worker + 1: was told to begin, and has not closed */
    double *heard;   /* by worker: when something came from its rank */
    double pinged;   /* when all were asked whether they are there */
    uint8_t *losses; /* by worker: in this search */
    bool closing;    /* nobody is told to begin any more */
    char why[400];   /* what result.why says */
};

/* The ranks are told of the subject when the search begins, each time. */
void remote_open(struct remote *remote, struct post *post, const struct bytes *subject,
                 const char *file, const struct bytes *session);

/* ---- in the others */

struct remote_service {
    struct post *post;
    /* Takes what REMOTE_SUBJECT brings. NULL: wait, a file is wanted; "": ready; else why not. */
    const char *(*subject)(void *context, const uint8_t *at, uint32_t size);
    /* The same with the file. */
    const char *(*file)(void *context, const uint8_t *at, uint32_t size);
    /* In a new process: works, with what REMOTE_BEGIN has brought. */
    void (*work)(void *context, const struct bytes *session, struct link *link, int mail_fd);
    void *context;
};

/* Serves until the first rank is gone. */
void remote_serve(struct remote_service *service);

#endif
