// A signal for a thread that waits: its handler runs, and then the call goes on waiting or fails with EINTR, as signal(7) has it. The handler posts
// `ran`; in the variants with HANDED the thread that could end the wait does so only after that.
// EXPECT(sc -DMUTEX -DHANDED): safe
// EXPECT(all -DRDLOCK -DHANDED): safe
// EXPECT(sc -DWRLOCK -DHANDED): safe
// EXPECT(sc -DSPINLOCK -DHANDED): safe
// EXPECT(sc -DJOIN -DHANDED): safe
// EXPECT(sc -DCOND -DHANDED): safe
// EXPECT(tso -DCOND -DHANDED): safe
// EXPECT(sc -DCOND -DEARLY): safe
// EXPECT(sc -DBARRIER -DHANDED): safe
// EXPECT(sc -DBARRIER -DEARLY): safe
// EXPECT(sc -DLOOP -DHANDED): safe
// EXPECT(sc -DSEM -DNEVER): deadlock
// EXPECT(sc -DCOND -DNEVER): deadlock
// EXPECT(sc -DMUTEX -DOWN): deadlock
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#ifndef FLAGS
#define FLAGS 0
#endif

static pthread_t waiter, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem, ran, started;
static atomic_int flag;
static bool done; /* under the mutex */
static int pipe_fds[2];
static char filling[65536];

static void handler(int number)
{
#ifdef OWN
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
#endif
    sem_post(&ran);
}

/* What the thread waits in. 0, or -1 with errno set. */
static int waits(void)
{
#if defined MUTEX
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined RDLOCK
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
#elif defined WRLOCK
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
#elif defined SPINLOCK
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
#elif defined JOIN
    pthread_join(other, NULL);
#elif defined COND
    pthread_mutex_lock(&mutex);
#ifdef NEVER
    pthread_cond_wait(&cond, &mutex); /* a signal is no reason to return */
#else
    while (!done)
        pthread_cond_wait(&cond, &mutex);
#endif
    pthread_mutex_unlock(&mutex);
#elif defined BARRIER
    pthread_barrier_wait(&barrier);
#elif defined LOOP
    while (!atomic_load(&flag))
        ;
#elif defined SEM
    return sem_wait(&sem);
#elif defined TIMED_SEM
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (sem_timedwait(&sem, &until) != 0 && errno != ETIMEDOUT)
        return -1;
#elif defined READ
    char byte;

    return read(pipe_fds[0], &byte, 1) == 1 ? 0 : -1;
#elif defined WRITE
    return write(pipe_fds[1], "x", 1) == 1 ? 0 : -1;
#elif defined POLL || defined TIMED_POLL
    struct pollfd fd = {.fd = pipe_fds[0], .events = POLLIN};
#ifdef POLL
    return poll(&fd, 1, -1) == 1 ? 0 : -1;
#else
    return poll(&fd, 1, 10) >= 0 ? 0 : -1;
#endif
#elif defined SELECT
    fd_set set;

    FD_ZERO(&set);
    FD_SET(pipe_fds[0], &set);
    return select(pipe_fds[0] + 1, &set, NULL, NULL, NULL) == 1 ? 0 : -1;
#elif defined EPOLL
    struct epoll_event event = {.events = EPOLLIN};
    int set = epoll_create1(0), got;

    epoll_ctl(set, EPOLL_CTL_ADD, pipe_fds[0], &event);
    got = epoll_wait(set, &event, 1, -1) == 1 ? 0 : -1;
    close(set);
    return got;
#elif defined SLEEP
    unsigned left = sleep(3);

    assert(left <= 3);
    if (left) {
        errno = EINTR;
        return -1;
    }
#elif defined NANOSLEEP
    struct timespec time = {.tv_nsec = 5000}, left = {.tv_nsec = 7};
    int got = nanosleep(&time, &left);

    if (got)
        assert(left.tv_sec == 0 && left.tv_nsec > 0 && left.tv_nsec <= 5000);
    else
        assert(left.tv_nsec == 7);
    return got;
#endif
    return 0;
}

static void wakes(void)
{
#if defined MUTEX
    pthread_mutex_unlock(&mutex);
#elif defined RDLOCK || defined WRLOCK
    pthread_rwlock_unlock(&rwlock);
#elif defined SPINLOCK
    pthread_spin_unlock(&spin);
#elif defined COND && !defined NEVER
    pthread_mutex_lock(&mutex);
    done = true;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
#elif defined BARRIER
    pthread_barrier_wait(&barrier);
#elif defined LOOP
    atomic_store(&flag, 1);
#elif defined SEM && !defined NEVER
    sem_post(&sem);
#elif defined WRITE
    read(pipe_fds[0], filling, sizeof filling);
#elif defined READ || defined POLL || defined SELECT || defined EPOLL
    write(pipe_fds[1], "x", 1);
#endif
}

static void *waiting(void *_)
{
    int got;

#ifdef OWN
    pthread_mutex_lock(&own);
#endif
    got = waits();
#ifdef OWN
    pthread_mutex_unlock(&own);
#endif
#ifdef MAY_FAIL
    assert(got == 0 || errno == EINTR);
#else
    assert(got == 0);
#endif
    return NULL;
}

static void hands_over(void)
{
    while (sem_wait(&ran) != 0)
        ;
}

static void *waking(void *_)
{
#ifdef SPINLOCK
    pthread_spin_lock(&spin);
    sem_post(&started);
#elif defined RDLOCK || defined WRLOCK
    pthread_rwlock_wrlock(&rwlock);
    sem_post(&started);
#elif defined MUTEX
    pthread_mutex_lock(&mutex);
    sem_post(&started);
#endif
#ifdef HANDED
    hands_over();
#endif
    wakes();
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = FLAGS};

    sem_init(&sem, 0, 0);
    sem_init(&ran, 0, 0);
    sem_init(&started, 0, 0);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    assert(pipe(pipe_fds) == 0);
#ifdef WRITE
    write(pipe_fds[1], filling, sizeof filling);
#endif
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&other, NULL, waking, NULL);
#if defined SPINLOCK || defined RDLOCK || defined WRLOCK || defined MUTEX
    sem_wait(&started);
#endif
    pthread_create(&waiter, NULL, waiting, NULL);
    pthread_kill(waiter, SIGUSR1);
    pthread_join(waiter, NULL);
#ifndef JOIN
    pthread_join(other, NULL);
#endif
    return 0;
}
