/* How much memory this process really holds: for tests that it does not grow. */
#ifndef RADDLE_TESTS_RESIDENT_H
#define RADDLE_TESTS_RESIDENT_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Resident KiB, counted by a walk over the page tables. /proc/self/statm would not do: since
 * Linux 6.2 it adds up counters of each processor that lag behind by dozens of pages. No stdio:
 * its buffers would be part of what is measured. 0 where the kernel does not tell.
 */
static inline size_t resident_kib(void)
{
    char text[400];
    int fd = open("/proc/self/smaps_rollup", O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    const char *line;

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    line = strstr(text, "\nRss:");
    return line ? strtoul(line + strlen("\nRss:"), NULL, 10) : 0;
}

#endif
