#ifndef RADDLE_RUNTIME_LIBRARY_STATE_H
#define RADDLE_RUNTIME_LIBRARY_STATE_H

/* State of libc's own: what its functions share, and the variables of it that a program may use directly. */

#include <stdio.h>

#include "runtime/library/library.h"

/* A variable of ours stands for each; its name is what it is in reports. */
#define LIBRARY_CELLS                                                                              \
    CELL(RANDOM, rand)                                                                             \
    CELL(DRAND48, drand48)                                                                         \
    CELL(STRTOK, strtok)                                                                           \
    CELL(ENVIRONMENT, getenv)                                                                      \
    CELL(L64A, l64a)                                                                               \
    CELL(GETOPT, getopt)                                                                           \
    CELL(TMPNAM, tmpnam)                                                                           \
    CELL(CTERMID, ctermid)                                                                         \
    CELL(SYSLOG, syslog)                                                                           \
    CELL(TIME, localtime)                                                                          \
    CELL(TIMEZONE, tzset)                                                                          \
    CELL(LOCALE, setlocale)                                                                        \
    CELL(GETTEXT, gettext)                                                                         \
    CELL(TTYNAME, ttyname)                                                                         \
    CELL(LOGIN, getlogin)                                                                          \
    CELL(PASSWD, getpwnam)                                                                         \
    CELL(GROUP, getgrnam)                                                                          \
    CELL(HOST, gethostbyname)                                                                      \
    CELL(SERVICE, getservbyname)                                                                   \
    CELL(GAMMA, lgamma)                                                                            \
    CELL(ERROR, error)                                                                             \
    CELL(NAME, program_invocation_name)                                                            \
    CELL(STANDARD, standard_streams)                                                               \
    CELL(EXCEPTIONS, exception_ptr)

#define CELL(id, name) id,
enum library_cell { LIBRARY_CELLS LIBRARY_CELL_COUNT };
#undef CELL

/* A call is about to use its part of the state. */
void library_state_use(const struct library_call *call);

/* ---- variables.c */

enum library_how {
    LIBRARY_ASKS,        /* reads without a lock */
    LIBRARY_SETS,        /* reads and writes without one */
    LIBRARY_SETS_LOCKED, /* the same under one that only functions of libc take */
};

/* When the program is about to begin: which of them it uses. */
void library_variables_open(void);

/* The running thread uses the variables that go with that cell. */
void library_variables_use(enum library_cell cell, enum library_how how);

/* The elements of the environment that a call with a name in its first argument uses. */
void library_environment_use(const struct library_call *call, bool sets);

/* ---- stream_locks.c */

/* Lets libc's functions use it without locking it. */
void streams_unlock(FILE *stream);

/* The same of a stream or directory, in memory of its own: one that is closed is a block that was freed. `locked`: as functions of libc are that
 * take its lock. */
void library_stream_touch(const void *stream, bool locked, bool writes);

#endif
