#ifndef RADDLE_CLI_NATIVE_H
#define RADDLE_CLI_NATIVE_H

#include "cli/driver.h"
#include "trace/trace.h"

/* One run of a native program, out of a session's memory: what a replay needs, and what it found. */
struct native_case {
    struct arena arena;
    struct session_bug bug; /* its texts are in the arena */
    VEC(struct session_choice) schedule;
    VEC(struct session_thread) threads;
    VEC(bool) shared_stacks;
    bool cancels, tries_to_join, tries_to_lock;
    VEC(uint64_t) exposed;
    VEC(struct session_fact) facts;
    VEC(struct session_step) steps; /* of a replay; so are those up to the output */
    VEC(struct session_frame) frames;
    VEC(struct session_cell) cells;
    VEC(struct session_change) changes;
    VEC(struct session_wait) waits;
    VEC(char) output; /* what the program wrote in a replay */
};

/* Copies bug number `i` of a session with its schedule, and the steps if there are any. */
void native_case_take(struct native_case *native_case, const struct session *session, uint32_t i);
void native_case_free(struct native_case *native_case);

/* The next replay of `found` follows what `again`, a replay of it, met, from the start. */
void native_case_follow(struct native_case *found, const struct native_case *again);

/* Does the run again in a fresh process. False, after one line on stderr, if that was impossible. *problem is NULL if
 * it ended in the same bug, else what happened instead; then *again holds nothing. */
bool native_replay_case(const char *program, char *const *argv, const struct settings *settings,
                        const struct native_case *found, struct native_case *again,
                        const char **problem);

/* Makes the schedule shorter, as long as it ends in the same bug. False, and nothing has changed, if that did not work. */
bool native_minimise_case(const char *program, char *const *argv, const struct settings *settings,
                          struct native_case *found);

/* Asks a session to do `job` with that run. */
void native_schedule_give(struct session *session, const struct native_case *found,
                          enum session_job job);

/* Becomes gdb with these arguments of its own (ending with NULL), on the program that does the run again with an OS thread
 * for each of its threads. Returns the exit status, after one line on stderr, only if that was impossible. */
int native_debug(const char *program, char *const *argv, const struct settings *settings,
                 const struct native_case *found, char *const *arguments);

/* Writes the trace file. False, after one line on stderr, if that failed. */
bool native_trace_write(const char *path, const char *program, char *const *argv,
                        const struct settings *settings, const struct native_case *run);

/* argv for a program: its name and its arguments; to be freed. */
char *const *native_argv(const char *program, char *const *arguments);

#endif
