#ifndef RADDLE_RUNTIME_SYNC_FUTEX_H
#define RADDLE_RUNTIME_SYNC_FUTEX_H

#include <stdint.h>

/* futex(2) between threads of the program: locks that people write themselves. Whether to sleep is decided, and the thread queued, in one
 * step, so a wake cannot fall between the look and the sleep. Who is woken comes after the wake; else the calls order nothing but
 * the look at the word does, and a wake does not touch the word. */

/* The six arguments of the system call; what it returns, with errno. What is not modelled is named and gives ENOSYS. */
long futex_call(const long *arguments);

#endif
