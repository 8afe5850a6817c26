#ifndef RADDLE_CLI_DRIVER_H
#define RADDLE_CLI_DRIVER_H

#include <sys/types.h>

#include "cli/cli.h"
#include "cli/watch.h"
#include "explore/session.h"

/* Starts and supervises processes of the program under test. */
struct driver {
    struct session *session; /* in shared memory, at the same address in every process */
    int fd;                  /* of that memory */
    double step_timeout;     /* for watch_open */
    double timeout;          /* the same: for all of the search, or 0 */
    bool constructors_run;   /* functions that run before main are the beginning of every run */
    double deadline;         /* of all its processes together, by seconds_now; 0: none */
    double braked;           /* when one was asked to stop */
    void *context;           /* for `tick` */
};

/* How a process ended, besides what the session says. */
struct driver_end {
    bool exited;
    int status; /* exit status, or the number of the signal */
    uint32_t
        stopped; /* enum cut_reason: it was asked to stop for that, went on, and was killed; 0: not so */
    bool stuck;    /* it made no step any more, and was killed */
    int signal;    /* by which we are to end at once, or 0 */
    char why[800]; /* stuck: what it did, in words */
};

/* Makes the shared memory with an empty session in it; one at a time. False, after one line on stderr, if that
 * fails. */
bool driver_open(struct driver *driver, const struct settings *settings);
void driver_close(struct driver *driver);

/* Reads a suppressions file into the session, or only looks for mistakes in it if that is NULL. False, after one line on
 * stderr, if it cannot be read or a line is malformed. */
bool suppressions_read(const char *file, struct session *session);

/* Runs the program with those arguments (argv[0] included, ending with NULL) until it ends; its output goes to the
 * descriptor `output`, or nowhere if it is -1. `tick` is called a few times a second; NULL is fine. When the time is up or we are asked to
 * end (interrupt.h) it is asked to stop, by session.brake, and killed if it does not; a replay only when its time is up. False, after one
 * line on stderr, if it cannot be started. */
bool driver_run(struct driver *driver, const char *program, char *const *argv, int output,
                void (*tick)(struct driver *driver), struct driver_end *end);

/* Makes the memory and the settings that a process needs last across exec, for a debugger that starts it instead. */
void driver_pass_on(const struct driver *driver);

/* Whether the file is a program that raddle cc linked. If not, says on stderr what it is instead. */
bool driver_accepts(const char *program);

/* A fingerprint of the file, so that a trace is not replayed with another build unnoticed. 0 if unreadable. */
uint64_t driver_fingerprint(const char *program);

#endif
