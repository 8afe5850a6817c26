#ifndef RADDLE_RUNTIME_CORE_STATE_H
#define RADDLE_RUNTIME_CORE_STATE_H

/* State that the kernel keeps for the process, and the environment: back to the start at each
 * restart. Interceptors say what the program is about to change; what was not announced is not
 * looked at, so that an execution that changes nothing costs no system call.
 *
 * Not undone: what the program did to files, to other processes, and to descriptors that cannot
 * seek. */

#include <stdbool.h>
#include <stdint.h>

enum state_part {
    STATE_CWD = 1,
    STATE_UMASK = 2,
    STATE_SIGNALS = 4, /* dispositions, and the mask */
    STATE_TIMERS = 8,  /* alarm, setitimer: stopped at a restart */
    STATE_LIMITS = 16, /* setrlimit; a hard limit that was lowered cannot be raised again */
    STATE_MASK = 32,   /* of signals, without the dispositions */
};

/* Remembers the present state; hands the environment to the image, so call it before image_save.
 * The signal handlers of the runtime itself must be in place. Returns 0, or -1 with errno set. */
int state_save(void);

/* The program is about to change, or has changed, these parts (an or of enum state_part) in this
 * execution. */
void state_note(unsigned changed);

/* The program is about to change what this one signal does: cheaper than STATE_SIGNALS. */
void state_signal_changing(int number);

/* ---- within a run */

/* The kernel's own struct sigaction, restorer included: given back as it was got. */
struct kernel_sigaction {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

#define STATE_SIGNALS_MAX 64

/* What signals do at some moment of a run, and what else of the process it has changed so far. */
struct state_signals {
    unsigned noted;
    uint64_t noted_signals;
    uint64_t mask;                                          /* if the program has set it */
    struct kernel_sigaction actions[STATE_SIGNALS_MAX + 1]; /* of those that it has set */
};

/* Keeps that. False: there is more than can be brought back. */
bool state_signals_keep(struct state_signals *into);

/* Whether all that has changed since can be brought back. */
bool state_signals_can_go_back(void);

/* Brings it back. False if that failed. */
bool state_signals_back(const struct state_signals *then);

/* ---- descriptors. Until state_save these do nothing. */

/* The program has got a new descriptor, from open, socket, pipe… A restart closes it. */
void state_fd_opened(int fd);

/* The program has made `to` a duplicate of `from` (dup, dup2, fcntl). Call state_fd_closing(to)
 * before a dup2. */
void state_fd_duplicated(int from, int to);

/* The program is about to close `fd`, or to replace it by dup2. One that was there at the start is
 * kept in a duplicate. Returns 0, or -1 with errno set if it is not open, or if it is ours: then
 * the program must get EBADF. */
int state_fd_closing(int fd);

/* The program is about to read, write or seek on `fd`. Returns false if it was there at the start
 * and cannot seek: what is read from it is gone in the next execution. One system call for each
 * descriptor in the whole search. */
bool state_fd_moving(int fd);

/* The program is about to change the flags of `fd` (F_SETFL, F_SETFD, FIONBIO). */
void state_fd_flagging(int fd);

/* Whether `fd` is one that we keep; the program should get EBADF for it. */
bool state_fd_is_ours(int fd);

/* Whether `fd` was open at the start, and is still the same. */
bool state_fd_is_of_start(int fd);

/* Keeps `fd` from the program: state_fd_is_ours is true for it from now on. */
void state_fd_reserve(int fd);

/* Undoes everything that was noted since the last restart. Returns false if something could not be
 * undone; the next execution then starts from another state than the first. */
bool state_restart(void);

/* Whether that has ever been so. */
bool state_is_lost(void);

#endif
