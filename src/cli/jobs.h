#ifndef RADDLE_CLI_JOBS_H
#define RADDLE_CLI_JOBS_H

#include "cli/cli.h"
#include "cluster/link.h"
#include "cluster/search.h"

/* Branches that a worker keeps before it gives any away, if somebody has nothing to do. */
#define JOBS_LIMIT 2

/* A search with several processes (--jobs, --mpi). */
struct jobs {
    const struct settings *settings;
    const struct subject *subject; /* for workers that are elsewhere */
    struct work_identity identity;
    /* As in struct local; nobody asks for it if the workers are elsewhere. */
    void (*work)(void *context, struct link *link, int mail_fd);
    const struct bytes *session; /* for workers that are elsewhere; NULL: they need none */
    /* As in coordinator_options. */
    void (*bug)(void *context, uint32_t worker, const void *at, size_t size);
    /* What is left of the search is in the coordinator, to be kept in a file; false: that is due now and then only. NULL: nobody wants that. */
    void (*keep)(void *context, const struct coordinator *coordinator);
    bool (*keep_is_due)(void *context);
    void *context;
    struct work *begin;               /* what is left of a search that has begun; NULL: all of it */
    struct bytes_reader *tree;        /* the same of one with workers, or NULL */
    bool resumed;                     /* what was done before does not count for --max-executions */
    struct numbers *numbers;          /* of threads of a native program, or NULL */
    struct coordinator **coordinator; /* set while it runs, for `bug` to stop the search */

    /* what came of it */
    struct explorer_stats stats;
    uint32_t lost;
    const char *failed; /* why the search could not go on, or NULL */
    bool explored;      /* all of it */
};

/* Searches to the end, or a limit in the settings. 0, or the exit status after a line on stderr. */
int jobs_run(struct jobs *jobs, struct arena *arena);

#endif
