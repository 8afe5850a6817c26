#ifndef RADDLE_CLI_NATIVE_CHECK_H
#define RADDLE_CLI_NATIVE_CHECK_H

#include "cli/checkpoint_file.h"
#include "cli/driver.h"
#include "cli/report.h"

/* One native program being checked. */
struct native_check {
    const char *program;
    char *const *argv; /* argv[0] included */
    const char *subject;
    const struct settings *settings;
    struct arena arena;
    struct report report;
    struct driver driver;
    unsigned deaths; /* of processes, so far */
    unsigned stuck;
    struct checkpoint_file checkpoint;
    uint32_t checkpoint_number; /* of the last one in the file */
    double checkpoint_asked;    /* when the process was asked for one */
    struct session_bug *lock_orders;
    uint32_t lock_order_count;
    bool jobs;  /* others search: they have kept what is left */
    bool alone; /* but they could not */
};

/* ---- native_report.c: what came of it, in words */

/* Why the verdict is incomplete; each reason once. */
void reason_add(struct native_check *check, const char *reason);

/* The program could not be started, or refused to be checked: says why, and returns the exit status. */
int start_failed(struct native_check *check, const struct driver_end *end);

/* What the session knows besides bugs. */
void endless_report(struct native_check *check);
void divergence_report(struct native_check *check);
void unsupported_report(struct native_check *check);
void unseen_report(struct native_check *check);
void memory_report(const struct native_check *check);

/* ---- lock_orders.c */

/* Keeps the warnings of orders of locks, but for those that a run has shown to be deadlocks. Before bugs_report. */
void lock_orders_take(struct native_check *check);
/* Tells them. */
void lock_orders_report(struct native_check *check);

/* ---- native_report.c again */

/* Makes each bug short, confirms it, writes its trace and tells it. The session is gone after that: replays need its place in memory. Returns how many there were. */
uint32_t bugs_report(struct native_check *check);

/* Nothing was found now: a run in a file of that name is from an earlier check, and who looks at it should know. */
void stale_note(struct native_check *check);

#endif
