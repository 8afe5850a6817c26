#ifndef RADDLE_RUNTIME_PROGRAM_DEBUG_H
#define RADDLE_RUNTIME_PROGRAM_DEBUG_H

/* Replays for a debugger: each program thread is on an OS thread. */

#include <stdint.h>

struct native_thread;

void native_debug_open(void);

/* An OS thread for a thread that is about to begin; not while it is the running one, as libc allocates. */
void native_debug_start(struct native_thread *thread);

/* What takes the place of the switch from a thread to the engine, and back. */
void native_debug_ask(struct native_thread *thread);
void native_debug_run(struct native_thread *thread);

/* A thread has just taken part in a data race, and stops for the debugger: here if it runs, else where it asks. */
void native_debug_race(uint32_t thread);

/* The replay is over: tells how, lets the thread with the bug stop for the debugger, and ends the process. */
_Noreturn void native_debug_end(void);

#endif
