// Loops that wait and look at a clock, and do something else after some time: each such time is met, whatever comes later.
// EXPECT(sc): assertion at=late
// EXPECT(sc -DFROM=1 -DTO=3): assertion at=late
// EXPECT(sc -DFROM=50 -DTO=60): assertion at=late
// EXPECT(sc -DFROM=1000 -DTO=1200): assertion at=late
// EXPECT(sc -DFROM=80000 -DTO=86400): assertion at=late
// EXPECT(sc -DFROM=20000000 -DTO=30000000): assertion at=late
// EXPECT(all -DTIMED): assertion at=late
// EXPECT(sc -DTIMED -DFROM=100 -DTO=110 -O2): assertion at=late
// EXPECT(sc -DTIMED -DMILLISECONDS -DFROM=45): assertion at=late
// EXPECT(sc -DSEMAPHORE -DFROM=40): assertion at=late
// EXPECT(sc -DSEMAPHORE -DGETTIMEOFDAY -DFROM=30): assertion at=late
// EXPECT(sc -DTRIES): assertion at=late
// EXPECT(sc -DTWO -DFROM=20 -DTO=30): assertion at=late
// EXPECT(sc -DSTAGES): assertion at=stage
// EXPECT(sc -DFLAGGED): assertion at=flagged
// EXPECT(sc -DHARMLESS): safe
// EXPECT(sc -DHARMLESS -DTIMED -DTWO): safe
// EXPECT(sc -DHARMLESS -DSEMAPHORE): safe
// EXPECT(sc -DFOREVER -DTIMED): safe
// EXPECT(sc -DFOREVER): safe
#include "common.h"
#include <semaphore.h>
#include <stdbool.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef FROM
#define FROM 5
#endif
#ifndef TO
#define TO 60
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static bool done;       /* under the mutex */
static atomic_int flag; /* for those without */

static long seconds(void)
{
#if defined GETTIMEOFDAY
    struct timeval now;

    gettimeofday(&now, NULL);
    return now.tv_sec;
#elif defined MILLISECONDS
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec * 1000 + now.tv_nsec / 1000000) / 1000;
#else
    return time(NULL);
#endif
}

/* A second or so passes; true: it is over. */
static bool wait_a_little(void)
{
    struct timespec until = {.tv_nsec = 0};

    (void)until;
#if defined TIMED
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&cond, &mutex, &until);
    return done;
#elif defined SEMAPHORE
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return sem_timedwait(&sem, &until) == 0;
#elif defined TRIES
    until.tv_sec = time(NULL) + 1;
    if (pthread_mutex_timedlock(&held, &until) == 0)
        pthread_mutex_unlock(&held);
    return load(flag);
#else
    sleep(1);
    return load(flag);
#endif
}

static void *waiter(void *_)
{
    long start = seconds(), passed = 0;
    int stage = 0;
    bool over = false;

    (void)stage;
#ifdef TIMED
    pthread_mutex_lock(&mutex);
    over = done;
#endif
    while (!over) {
        passed = seconds() - start;
#if defined FOREVER
#elif defined HARMLESS
        if (passed > FROM)
            break;
#elif defined STAGES /* each is reached from the one before */
        if (stage == 0 && passed > 3)
            stage = 1;
        else if (stage == 1 && passed > 40)
            stage = 2;
        assert(stage != 2 || passed > 500 || passed < 400); /* stage */
        if (passed > 5000)
            break;
#elif defined FLAGGED
        if (passed > TO)
            break;
#else
        if (passed > TO)
            break;
        else if (passed > FROM)
            assert(0); /* late */
#endif
        over = wait_a_little();
    }
#ifdef TIMED
    pthread_mutex_unlock(&mutex);
#endif
#ifdef FLAGGED
    assert(!over || passed <= FROM); /* flagged */
#endif
    return NULL;
}

static void *setter(void *_)
{
    store(flag, 1);
    pthread_mutex_lock(&mutex);
    done = true;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&sem);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int count = 0;

    sem_init(&sem, 0, 0);
#ifdef TRIES
    pthread_mutex_lock(&held);
#endif
    pthread_create(&threads[count++], NULL, waiter, NULL);
#ifdef TWO
    pthread_create(&threads[count++], NULL, waiter, NULL);
#endif
    pthread_create(&threads[count++], NULL, setter, NULL);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    return 0;
}
