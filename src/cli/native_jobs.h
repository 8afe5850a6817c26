#ifndef RADDLE_CLI_NATIVE_JOBS_H
#define RADDLE_CLI_NATIVE_JOBS_H

#include "cli/checkpoint_file.h"
#include "cli/driver.h"
#include "cli/jobs.h"

/* A native program searched by several processes (--jobs, --mpi). */
struct native_jobs {
    struct driver
        *driver; /* its session has searched for a while; in the end it has all that was found */
    const struct settings *settings;
    const struct subject *subject;      /* what is searched */
    struct checkpoint_file *checkpoint; /* if the settings want one */
    /* In a worker: runs the program until its part of the search is over. A text if the whole search cannot go on, or NULL; "" if it shall end. *status is not 0 if the process
     * has to end with that status. */
    const char *(*run)(void *context, int *status);
    void *context;
    char *reason; /* in the end: why the search is incomplete, to be freed, or NULL */
};

/* Runs that this process makes before there are others: what a program is like shows early, and most searches are short. */
#define NATIVE_PILOT_RUNS 32

/* The same, or what a test wants (RADDLE_PILOT). */
uint64_t native_pilot_runs(void);

/* Whether the session has only made its first runs, and nothing is wrong. */
bool native_jobs_wanted(const struct native_jobs *jobs);

/* Whether the program changes what is outside of its process, or depends on it: several at once would disturb each other. */
bool native_jobs_refused(const struct native_jobs *jobs);

/* Goes on with the search of the session, or of the checkpoint in it, by several processes. 0, or the exit status after one line on stderr. *anew: something was found out about
 * the program, which the session knows now, and the search has to begin from the start. */
int native_jobs_run(struct native_jobs *jobs, bool *anew);

/* In a new process, which ends: is a worker, in a new session that begins with what is known (session_write). */
_Noreturn void native_work(struct native_jobs *jobs, const struct bytes *known, struct link *link,
                           int mail_fd);

#endif
