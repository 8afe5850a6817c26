#include "runtime/time/time.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/ending/ending.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/rounds.h"
#include "runtime/program/spin.h"
#include "runtime/signals/signals.h"

/* Each thread has a time of its own: nanoseconds since the start. It goes on when the thread sleeps or times out, and a little when it looks;
 * and when it looks, it is not earlier than anything that happened before. That asks nothing of operations that do not look: each
 * thread keeps a log of when its time went on, by the number of its event, and who looks takes the maximum over what its own latest
 * event has behind it. So time is the same in all interleavings that do not differ. */

#define SECOND          1000000000u
#define REALTIME_START  ((uint64_t)1000000000) /* seconds: any number that never changes */
#define MONOTONIC_START ((uint64_t)1000000)
#define TIME_LOOK       1000u      /* nanoseconds */
#define WAIT_SHARE      16u        /* of the time since a loop began that only waits */
#define ROUND_SHARE     1u         /* the same of another one */
#define ROUND_MOST      (1u << 20) /* seconds, if it does not only wait */
#define LOOKS_DOUBLED                                                                              \
    20u /* who looks at the same place again and again waits for a time: ever larger steps */

/* From its event number `step` on the clock of a thread showed `time`. */
struct clock_entry {
    uint32_t step;
    uint64_t time;
};

/* Of each thread. */
struct clocks_thread {
    uint64_t time;                       /* nanoseconds since the start, on its own clock */
    VEC(struct clock_entry) times;       /* when that went on */
    const struct raddle_site *look_site; /* where it looked last, and how often in a row */
    uint32_t looks;
    struct {
        bool waited; /* for a time, or slept, since it looked */
        bool begun;  /* it has looked since it waited for the first time */
        const struct raddle_site
            *site;      /* where it looked first after that; before, where it looked last */
        uint64_t time;  /* what it saw there */
        uint64_t first; /* the same in the first of the rounds in a row that began there */
    } round;            /* of a loop that waits for a time and looks at clocks */
};

static struct clocks_thread *clocks_of(const struct native_thread *thread)
{
    return thread->own[PART_CLOCKS];
}

/* ---- the clocks */

/* Kinds of clocks that are the same to us: where they begin, in seconds. */
static bool clock_start(clockid_t clock, uint64_t *start)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        *start = REALTIME_START;
        return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *start = MONOTONIC_START;
        return true;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *start = 0;
        return true;
    default: /* of a thread, see time_thread_clock */
        *start = 0;
        return clock < 0 && (clock & 7) == 6;
    }
}

clockid_t time_thread_clock(uint32_t number)
{
    return (clockid_t)(~number << 3 | 6);
}

bool time_can_wait(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

bool time_is_valid(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < (long)SECOND;
}

static struct timespec time_on(uint64_t start, uint64_t now)
{
    return (struct timespec){.tv_sec = (time_t)(start + now / SECOND),
                             .tv_nsec = (long)(now % SECOND)};
}

/* ---- what time it is */

/* The event that the running thread is part of, or comes after; EVENT_NONE before its first. Inside an atomic section that is the one
 * before it: the section's own has no clock yet. */
static event_id event_now(void)
{
    const struct execution *x = &native.session->explorer.execution;
    event_id now = native.world->now;

    if (now != EVENT_NONE && now >= x->events.count)
        now = native.world->threads.at[native.current->agent].last;
    return now;
}

/* The number of the running thread's own latest event: 0 before its first. Creating a thread belongs to the event of its creator. */
static uint32_t step_now(event_id now)
{
    const struct execution *x = &native.session->explorer.execution;

    return now == EVENT_NONE || x->events.at[now].agent != native.current->agent
               ? 0
               : x->events.at[now].step;
}

static void time_log(uint64_t time)
{
    struct clocks_thread *thread = clocks_of(native.current);
    uint32_t step = step_now(event_now());

    thread->time = time;
    if (thread->times.count > 0 && vec_last(&thread->times).step == step)
        vec_last(&thread->times).time = time;
    else
        vec_push(&native.memory, &thread->times, (struct clock_entry){step, time});
}

/* The time of a thread after its event number `step`. */
static uint64_t time_after(const struct clocks_thread *thread, uint32_t step)
{
    uint32_t low = 0, high = thread->times.count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (thread->times.at[middle].step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? thread->times.at[low - 1].time : 0;
}

/* Who knows what time it is for whom is in the clocks of events, which sampled runs do without: from now on they have them. */
static void clock_want(const struct event *event)
{
    native_joins_matter(); /* who joins a thread that has slept knows how late it is */
    if (event->clock_width == 0 && !native.session->reads_clock)
        native.session->reads_clock = native.session->begin_anew = true;
}

static uint64_t time_known(void)
{
    const struct execution *x = &native.session->explorer.execution;
    struct native_thread *self = native.current;
    uint64_t time = clocks_of(self)->time;
    event_id now = event_now();
    struct vclock clock;

    if (now == EVENT_NONE)
        return time;
    clock_want(&x->events.at[now]);
    clock = event_clock(x, now);
    for (uint32_t i = 0; i < native.threads.count; i++) {
        const struct native_thread *thread = native.threads.at[i];
        uint32_t step;
        uint64_t theirs;

        if (thread == self || thread->agent == AGENT_NONE)
            continue;
        step = vclock_get(clock, thread->agent);
        theirs = step > 0 ? time_after(clocks_of(thread), step) : 0;
        if (theirs > time)
            time = theirs;
    }
    return time;
}

uint64_t time_own(void)
{
    return clocks_of(native.current)->time;
}

uint64_t time_draw(void)
{
    return clocks_of(native.current)->time++;
}

void time_reach(uint64_t time)
{
    if (!native.current)
        return;
    clocks_of(native.current)->round.waited = true;
    if (clocks_of(native.current)->time < time)
        time_log(time);
}

int time_out(clockid_t clock, const struct timespec *until)
{
    uint64_t start;

    if (!time_is_valid(until) || !clock_start(clock, &start))
        return EINVAL;
    clocks_of(native.current)->round.waited = true;
    time_reach(time_known());
    if (until->tv_sec >= (time_t)start)
        time_reach(((uint64_t)until->tv_sec - start) * SECOND + (uint64_t)until->tv_nsec);
    return ETIMEDOUT;
}

int time_out_after(const struct timespec *span)
{
    if (!time_is_valid(span) || span->tv_sec < 0)
        return EINVAL;
    time_reach(time_known() + (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec);
    return ETIMEDOUT;
}

/* So many whole seconds are to have passed since this place of the round was here last: what the program makes of them can be told from all
 * else. They grow with the time since the loop began, by half of it each round: whatever it does after some time, it comes to that before what it
 * does after half as long again, be that seconds or years. */
static uint64_t seconds_passed(const struct clocks_thread *thread, uint64_t now)
{
    uint64_t seconds = (now - thread->round.time) / SECOND + 1;
    bool waits = spin_of(native.current)->far;
    uint64_t longer = (now - thread->round.first) / SECOND / (waits ? WAIT_SHARE : ROUND_SHARE);
    uint64_t most = waits ? SPIN_FAR : ROUND_MOST;

    if (longer > most)
        longer = most;
    if (now > INT64_MAX - (uint64_t)SPIN_FAR * SECOND)
        longer = 0;
    return seconds < longer ? longer : seconds;
}

/* The first look after the thread has waited for a time. True: it is where it was in the round before. */
static bool look_begins_round(struct clocks_thread *thread, const struct raddle_site *site)
{
    uint64_t seconds;

    thread->round.waited = false;
    thread->round.begun = true;
    if (site != thread->round.site || !thread->round.time)
        return false;
    seconds = seconds_passed(thread, time_known());
    spin_of(native.current)->far = false;
    thread->looks = 0;
    time_log(thread->round.time + seconds * SECOND);
    thread->round.time = thread->time;
    spin_looks(seconds);
    return true;
}

uint64_t time_look(void)
{
    struct clocks_thread *thread;
    const struct raddle_site *site = native_site();
    bool first;

    if (!native.current)
        return 0;
    thread = clocks_of(native.current);
    first = thread->round.waited || !thread->round.begun;
    if (thread->round.waited && look_begins_round(thread, site))
        return thread->time;
    if (site != thread->look_site)
        thread->looks = 0;
    else if (thread->looks < LOOKS_DOUBLED)
        thread->looks++;
    thread->look_site = site;
    time_log(time_known() + ((uint64_t)TIME_LOOK << thread->looks));
    spin_looks(0);
    if (first) {
        thread->round.site = site;
        thread->round.time = thread->round.first = thread->time;
    }
    return thread->time;
}

INTERPOSE int clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t start;

    if (!native.current) { /* the engine asks */
        constructors_leave();
        return (int)syscall(SYS_clock_gettime, clock, time);
    }
    if (!clock_start(clock, &start)) {
        errno = EINVAL;
        return -1;
    }
    native_writes(time, sizeof *time);
    *time = time_on(start, time_look());
    return 0;
}

INTERPOSE int timespec_get(struct timespec *time, int base)
{
    if (base != TIME_UTC)
        return 0;
    clock_gettime(CLOCK_REALTIME, time);
    return base;
}

INTERPOSE int gettimeofday(struct timeval *time, void *zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

INTERPOSE time_t time(time_t *out)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

INTERPOSE clock_t clock(void)
{
    return (clock_t)(time_look() / (SECOND / CLOCKS_PER_SEC));
}

/* Processor time is as long as the time that has passed. */
INTERPOSE clock_t times(struct tms *buffer)
{
    uint64_t now = time_look() / (SECOND / 100);

    if (buffer)
        *buffer = (struct tms){.tms_utime = (clock_t)now};
    return (clock_t)(MONOTONIC_START * 100 + now);
}

/* ---- sleeping */

/* True: a signal has interrupted it; the time is the one at which that was sent, if it is known, or earlier. */
static bool sleep_until(uint64_t time)
{
    struct op op = native_op(OP_YIELD, NULL);
    bool interrupted;

    rounds_change(); /* its time goes on */
    native_ask(&op);
    interrupted = signals_meanwhile(SIGNALS_ENDS) == SIGNALS_INTERRUPTED;
    time_reach(interrupted ? time_known() : time);
    native_cancel_point();
    return interrupted;
}

/* What is left of it, if a signal has interrupted it. One that was sent later than the end found a thread that had begun to sleep just
 * before it. */
static uint64_t sleep_for(uint64_t nanoseconds)
{
    uint64_t end;

    if (!native.current)
        return 0;
    native_cancel_point();
    end = time_known() + nanoseconds;
    if (!sleep_until(end))
        return 0;
    return clocks_of(native.current)->time < end ? end - clocks_of(native.current)->time
                                                 : nanoseconds;
}

/* EINTR if a signal has come before that time. */
static int sleep_to(uint64_t time)
{
    if (!native.current)
        return 0;
    native_cancel_point();
    return sleep_until(time) && clocks_of(native.current)->time < time ? EINTR : 0;
}

INTERPOSE unsigned sleep(unsigned seconds)
{
    return (unsigned)((sleep_for((uint64_t)seconds * SECOND) + SECOND - 1) / SECOND);
}

INTERPOSE int usleep(useconds_t microseconds)
{
    if (sleep_for((uint64_t)microseconds * 1000) == 0)
        return 0;
    errno = EINTR;
    return -1;
}

INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                              struct timespec *left)
{
    uint64_t start, wanted, rest;

    native_reads(time, sizeof *time);
    if (!clock_start(clock, &start) || clock == CLOCK_THREAD_CPUTIME_ID || !time_is_valid(time) ||
        time->tv_sec < 0)
        return EINVAL;
    wanted = (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
    if (flags & TIMER_ABSTIME)
        return sleep_to(wanted < start * SECOND ? 0 : wanted - start * SECOND);
    rest = sleep_for(wanted);
    if (left && rest) {
        native_writes(left, sizeof *left);
        *left = time_on(0, rest);
    }
    return rest ? EINTR : 0;
}

INTERPOSE int nanosleep(const struct timespec *time, struct timespec *left)
{
    int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);

    if (!error)
        return 0;
    errno = error;
    return -1;
}

INTERPOSE int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);

    return error == EINTR ? -1 : error ? -2 : 0;
}

/* ---- the part */

static void thread_begins(struct native_thread *thread)
{
    struct clocks_thread *new = clocks_of(thread);

    new->time = native.current ? time_own() : 0;
    new->times.count = 0;
    new->look_site = NULL;
    new->looks = 0;
    memset(&new->round, 0, sizeof new->round);
}

/* What time it is for a thread follows from what has happened before; once that is not the start, it is not told. */
static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct clocks_thread *own = clocks_of(thread);

    (void)into;
    return own->time == 0 && own->times.count == 0 && !own->look_site && !own->round.waited &&
           !own->round.begun;
}

const struct part clocks_part = {.name = "clocks",
                                 .thread_size = sizeof(struct clocks_thread),
                                 .thread_begins = thread_begins,
                                 .stateless = true,
                                 .fingerprint_thread = fingerprint_thread};
