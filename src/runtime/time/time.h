#ifndef RADDLE_RUNTIME_TIME_TIME_H
#define RADDLE_RUNTIME_TIME_TIME_H

/* Virtual time: each thread has its own, which goes on when it sleeps or times out, and a little when it looks. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Whether one can wait until a time on that clock. */
bool time_can_wait(clockid_t clock);

/* Whether a time is well formed. */
bool time_is_valid(const struct timespec *time);

/* The running thread has waited until `until` in vain: ETIMEDOUT, and it is not earlier than that now. EINVAL if there is no such
 * time. */
int time_out(clockid_t clock, const struct timespec *until);

/* The same for a span of time from now on. */
int time_out_after(const struct timespec *span);

/* The clock that pthread_getcpuclockid names for a thread. */
clockid_t time_thread_clock(uint32_t number);

/* What time it is for the running thread, as far as it knows: nanoseconds since the start. Not a look. */
uint64_t time_own(void);

/* The same, and a nanosecond passes: no other call of the thread gets that number. */
uint64_t time_draw(void);

/* The running thread looks at a clock: nanoseconds since the start. */
uint64_t time_look(void);

/* The running thread has waited or slept: its time is not earlier than so many nanoseconds after the start. */
void time_reach(uint64_t time);

#endif
