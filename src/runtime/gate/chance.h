#ifndef RADDLE_RUNTIME_GATE_CHANCE_H
#define RADDLE_RUNTIME_GATE_CHANCE_H

/* What is different each time that a program runs, though the program and its input are the same: random numbers, the number of the process, names of
 * temporary files. Each execution must find the same, so the runtime gives it where it can; but it is only one answer of many, so it is
 * named, and the verdict is incomplete. */

#include <stddef.h>
#include <sys/stat.h>

/* The program has asked for something of that kind. */
void chance_named(const char *what);

/* The program has opened a device: if it gives random numbers, `fd` is a file of them from now on, and `status` what is known of that. */
void chance_device(int fd, struct stat *status);

#endif
