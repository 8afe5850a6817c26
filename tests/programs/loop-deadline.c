// Loops around timed waits that reckon each deadline from the clock: a round that does nothing but time out is the round before, some time later, and
// the thread waits until something changes. Loops that count their rounds or have a limit in time come to their end.
// EXPECT(all -DGETTIME): safe
// EXPECT(sc -DGETTIME -O2): safe
// EXPECT(sc -DMONOTONIC): safe
// EXPECT(sc -DTIMESPEC_GET -O1): safe
// EXPECT(sc -DTIME): safe
// EXPECT(sc -DGETTIMEOFDAY): safe
// EXPECT(sc -DGETTIMEOFDAY -O2): safe
// EXPECT(sc -DFUNCTION): safe
// EXPECT(sc -DFUNCTION -O2): safe
// EXPECT(sc -DTWICE): safe
// EXPECT(sc -DSEM): safe
// EXPECT(sc -DSEM -O2): safe
// EXPECT(sc -DMUTEX): safe
// EXPECT(sc -DSLEEP): safe
// EXPECT(sc -DPOLLERS): safe
// EXPECT(sc -DGETTIME -DNOBODY): spin
// EXPECT(sc -DFUNCTION -DNOBODY -O2): spin
// EXPECT(sc -DGETTIME -DTRIES=2): assertion at=out
// EXPECT(sc -DGETTIME -DTRIES=6): assertion at=out
// EXPECT(sc -DFUNCTION -DTRIES=6 -O2): assertion at=out
// EXPECT(sc -DGETTIME -DLIMIT=1): assertion at=out
// EXPECT(sc -DGETTIME -DLIMIT=500): assertion at=out
// EXPECT(sc -DTWICE -DLIMIT=30): assertion at=out
// EXPECT(sc -DSEM -DTRIES=4): assertion at=out
// EXPECT(sc -DGETTIME -DSTRIKES): assertion at=out
// EXPECT(sc -DGETTIME -DSTRIKES -O2): assertion at=out
// EXPECT(sc -DSTEPS): assertion at=out
// EXPECT(sc -DGETTIME -DTOTAL): assertion at=out
#include "common.h"
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/time.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static sem_t sem;
static bool done;       /* under the mutex */
static atomic_int flag; /* for those without */

#ifdef MONOTONIC
#define CLOCK CLOCK_MONOTONIC
#else
#define CLOCK CLOCK_REALTIME
#endif

static void add(struct timespec *time, long milliseconds)
{
    time->tv_sec += milliseconds / 1000;
    time->tv_nsec += milliseconds % 1000 * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec++;
    }
}

static void deadline(struct timespec *until)
{
#if defined TIMESPEC_GET
    timespec_get(until, TIME_UTC);
#elif defined TIME
    until->tv_sec = time(NULL) + 1;
    until->tv_nsec = 0;
#elif defined GETTIMEOFDAY
    struct timeval now;

    gettimeofday(&now, NULL);
    until->tv_sec = now.tv_sec;
    until->tv_nsec = now.tv_usec * 1000;
#else
    clock_gettime(CLOCK, until);
#endif
    add(until, 300);
}

#ifdef FUNCTION
/* The wait in a function of its own, with a time that it has from its caller. */
static int wait_for(pthread_cond_t *what, const struct timespec *until)
{
    int error;

    do
        error = pthread_cond_timedwait(what, &mutex, until);
    while (error == EINTR);
    return error;
}
#endif

/* One round: whether it is to be the last. */
static bool waits(void)
{
    struct timespec until;

#if defined SLEEP
    struct timespec now;

    clock_gettime(CLOCK, &now);
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return atomic_load(&flag);
#elif defined SEM
    deadline(&until);
    return sem_timedwait(&sem, &until) == 0;
#elif defined MUTEX
    bool seen;

    deadline(&until);
    pthread_mutex_lock(&mutex);
    if (!done)
        pthread_cond_timedwait(&cond, &mutex, &until);
    seen = done;
    pthread_mutex_unlock(&mutex);
    return seen;
#elif defined FUNCTION
    deadline(&until);
    wait_for(&cond, &until);
    return done;
#elif defined TWICE
    struct timespec after;

    deadline(&until);
    pthread_cond_timedwait(&cond, &mutex, &until);
    clock_gettime(CLOCK, &after);
    return done;
#else
    deadline(&until);
    pthread_cond_timedwait(&cond, &mutex, &until);
    return done;
#endif
}

static void *waiter(void *_)
{
    bool seen = false;
#if defined TRIES
    int tries = 0;
#elif defined LIMIT
    time_t end = time(NULL) + LIMIT;
#elif defined STRIKES
    time_t last = time(NULL);
    int strikes = 0;
#elif defined STEPS
    struct timespec until, end;

    deadline(&until);
    end = until;
    add(&end, 1400);
#elif defined TOTAL
    int waited = 0;
#endif

#if !defined SEM && !defined SLEEP && !defined MUTEX
    pthread_mutex_lock(&mutex);
    seen = done;
#endif
    while (!seen) {
#if defined STEPS
        add(&until, 300);
        if (until.tv_sec > end.tv_sec || (until.tv_sec == end.tv_sec && until.tv_nsec > end.tv_nsec))
            break;
        pthread_cond_timedwait(&cond, &mutex, &until);
        seen = done;
#else
        seen = waits();
#endif
#if defined TRIES
        if (++tries == TRIES)
            break;
#elif defined LIMIT
        if (time(NULL) >= end)
            break;
#elif defined STRIKES
        time_t now = time(NULL);

        if (now > last) {
            last = now;
            if (++strikes == 3)
                break;
        }
#elif defined TOTAL
        waited += 300;
        if (waited >= 1500)
            break;
#endif
    }
#if !defined SEM && !defined SLEEP && !defined MUTEX
    pthread_mutex_unlock(&mutex);
#endif
    assert(seen); /* out */
    return NULL;
}

static void *setter(void *_)
{
#ifndef NOBODY
    atomic_store(&flag, 1);
    pthread_mutex_lock(&mutex);
    done = true;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&sem);
#endif
    return NULL;
}

int main(void)
{
    pthread_condattr_t attributes;
    pthread_t threads[3];
    int count = 0;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK);
    pthread_cond_init(&cond, &attributes);
    sem_init(&sem, 0, 0);
    pthread_create(&threads[count++], NULL, waiter, NULL);
#ifdef POLLERS
    pthread_create(&threads[count++], NULL, waiter, NULL);
#endif
    pthread_create(&threads[count++], NULL, setter, NULL);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    return 0;
}
