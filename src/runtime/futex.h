#ifndef RADDLE_RUNTIME_FUTEX_H
#define RADDLE_RUNTIME_FUTEX_H

/* futex(2) between threads of the program: locks that people write themselves. As in the kernel, a lock and a queue belong to the
 * word: whether to sleep is decided under the lock, so a wake cannot fall between the look and the sleep. */

/* The six arguments of the system call; what it returns, with errno. What is not modelled is named and gives ENOSYS. */
long futex_call(const long *arguments);

#endif
