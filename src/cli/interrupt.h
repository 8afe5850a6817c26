#ifndef RADDLE_CLI_INTERRUPT_H
#define RADDLE_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Being asked to end: by Ctrl-C, SIGTERM, a terminal that goes away (SIGHUP), or because the time is up. The first time the search
 * stops, and what it found is reported; the second time everything stops at once. Signals that were ignored when raddle started stay so. */

/* From now on; before that, each of those signals ends the process. A broken pipe at the output does not end it any more, either. */
void interrupt_open(void);

/* What explorer_options.brake takes: 0, CUT_INTERRUPTED or CUT_TIMEOUT. */
const uint32_t *interrupt_brake(void);

/* Puts the brake on after that many seconds, in which we were not stopped; 0: never. */
void interrupt_after(double seconds);

/* Whether a signal has asked for the end. */
bool interrupt_asked(void);

/* The signals that do; for whoever blocks them and waits for them. */
void interrupt_signals(sigset_t *set);

/* One of them came. False: everything is to stop at once, by interrupt_die. */
bool interrupt_take(int number);

/* In a process that another raddle started to search with it: that one is meant, and says when to stop. */
void interrupt_leave_to_parent(void);

/* Ends the process by that signal. */
_Noreturn void interrupt_die(int number);

/* A child process (its group, if negative) that is stopped and goes on with us, and gets SIGTERM when we are asked to end if `ends`. 0:
 * there is none any more. */
void interrupt_child(pid_t pid, bool ends);

/* In a child, before exec: signals as they were before interrupt_open. */
void interrupt_leave(void);

/* In a child that we look after: the signals that ask us to end are not for it, though the terminal sends them to it, too. Ignores them, and
 * returns which ones were not ignored before: a bit each, from number 1 on. */
uint64_t interrupt_shield(void);

/* Seconds that we were stopped (SIGTSTP), so far. */
double interrupt_stopped(void);

/* Ends the process as a broken pipe would have, if there is one at the output and nobody wanted that to be ignored. */
void interrupt_broken_pipe(void);

#endif
