#ifndef RADDLE_BASE_TICKS_H
#define RADDLE_BASE_TICKS_H

#include <stdint.h>
#include <time.h>

/* A clock that costs next to nothing to read. Its unit is the machine's business, but at most a nanosecond. */
static inline uint64_t ticks_now(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

#endif
