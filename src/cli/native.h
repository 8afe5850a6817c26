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
    bool rounds,
        informal; /* session.rounds: left out; and threads are known to learn of each other */
    VEC(uint64_t) exposed;
    VEC(struct session_fact) facts;
    VEC(struct session_step) steps; /* of a replay; so are those up to the output */
    VEC(struct session_frame) frames;
    VEC(struct session_cell) cells;
    VEC(struct session_change) changes;
    VEC(struct session_wait) waits;
    VEC(const char *) differences; /* as session.differences */
    bool told_apart;
    VEC(char) output;  /* what the program wrote in a replay */
    const char *notes; /* lines that explain it, of a trace that was written; or NULL */
};

/* Copies bug number `i` of a session with its schedule, and the steps if there are any. */
void native_case_take(struct native_case *native_case, const struct session *session, uint32_t i);

/* Steps, waits and the bug are where the user's own code is: what is in a header of the system goes to who called it. Part of native_case_take. */
void native_case_places(struct native_case *run);
void native_case_free(struct native_case *native_case);

/* "T1 (worker)": one of `count` threads. Returns `buffer`. */
const char *thread_words(const struct session_thread *threads, uint32_t count, uint32_t thread,
                         char *buffer, size_t size);

/* Behind the message of a bug: ", in T1 (worker)"; nothing for a data race, whose message names both threads. `run` knows the
 * names, or is NULL. Returns `buffer`. */
const char *native_case_whose(const struct native_case *run, const struct session_bug *bug,
                              char *buffer, size_t size);

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

/* Writes the trace file, and sets run->notes. False, after one line on stderr, if that failed. */
bool native_trace_write(const char *path, const char *program, char *const *argv,
                        const struct settings *settings, struct native_case *run);

/* Does the run of a trace again and tells of it, or (settings.compares) of what tells two threads apart in it. `program`: where it is now, or NULL. The exit status. */
int replay_trace(const struct trace *trace, const char *file, const char *program,
                 struct settings *settings);

/* argv for a program: its name and its arguments; to be freed. */
char *const *native_argv(const char *program, char *const *arguments);

#endif
