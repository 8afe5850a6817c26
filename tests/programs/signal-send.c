// Signals between threads: each moment at which a handler can run is tried.
// EXPECT(sc -DRAISE): safe
// EXPECT(sc -DSELF): safe
// EXPECT(sc -DOTHER): assertion
// EXPECT(sc -DOTHER -DMASKED): safe
// EXPECT(sc -DCHECK): safe
// EXPECT(sc -DPROCESS): assertion
// EXPECT(sc -DSUSPEND): safe
// EXPECT(sc -DTIMED): assertion
// EXPECT(sc -DQUEUE): safe
// EXPECT(sc -DTERM): crash says=signal 15 \(SIGTERM\) ends the program
// EXPECT(sc -DBLOCKED): safe
// EXPECT(sc -DWAITS): safe
// EXPECT(sc -DPAUSE): deadlock
// EXPECT(sc -DGROUP): incomplete says=not modelled: killpg
// EXPECT(sc -DLOOP): safe
// EXPECT(sc -DALARM): incomplete says=not modelled: alarm
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t seen;
static atomic_int step;
static pthread_t threads[2];
static sigset_t set;
static sem_t sem;
static atomic_int handled_by = -1;
static __thread int self;

static void handler(int number)
{
    seen = number;
    atomic_store(&handled_by, self);
}

static void queued(int number, siginfo_t *info, void *_)
{
    assert(info->si_code == SI_QUEUE && info->si_value.sival_int == 42);
    seen = number;
}

static void *sender(void *_)
{
#ifdef PROCESS
    kill(getpid(), SIGUSR1);
#elif defined QUEUE
    pthread_sigqueue(threads[0], SIGUSR1, (union sigval){.sival_int = 42});
#else
    pthread_kill(threads[0], SIGUSR1);
#endif
#ifdef WAITS
    sem_post(&sem);
#endif
    return NULL;
}

static void *target(void *_)
{
    self = 1;
#if defined SUSPEND
    sigset_t none;

    sigemptyset(&none);
    while (!seen)
        assert(sigsuspend(&none) == -1 && errno == EINTR);
#elif defined TIMED || defined QUEUE
    siginfo_t info;
    int got = sigtimedwait(&set, &info, &(struct timespec){.tv_sec = 1});

    assert(got == SIGUSR1 || errno == EAGAIN);
#ifdef TIMED
    assert(got == SIGUSR1);
#else
    assert(got < 0 || info.si_value.sival_int == 42);
#endif
#elif defined WAITS
    sem_wait(&sem);
#elif defined PAUSE
    if (!seen)
        assert(pause() == -1);
#elif defined LOOP
    while (!seen)
        usleep(1);
#else
    atomic_store(&step, 1);
    atomic_store(&step, 2);
#ifdef MASKED
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#endif
    atomic_store(&step, 3);
#endif
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};

    sem_init(&sem, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
#ifdef RAISE
    sigaction(SIGUSR1, &action, NULL);
    assert(raise(SIGUSR1) == 0 && seen == SIGUSR1);
    assert(raise(200) == -1 && errno == EINVAL);
    assert(raise(SIGCHLD) == 0);
    return 0;
#elif defined SELF
    sigaction(SIGUSR1, &action, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && !seen);
    sigset_t pending;
    assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    assert(seen == SIGUSR1);
    seen = 0;
    assert(kill(getpid(), SIGUSR1) == 0 && seen == SIGUSR1);
    return 0;
#elif defined CHECK
    pthread_create(&threads[0], NULL, target, NULL);
    assert(pthread_kill(threads[0], 0) == 0 && pthread_kill(threads[0], 99) == EINVAL);
    pthread_join(threads[0], NULL);
    assert(kill(getpid(), 0) == 0);
    return 0;
#elif defined TERM
    pthread_create(&threads[0], NULL, target, NULL);
    kill(getpid(), SIGTERM);
    pthread_join(threads[0], NULL);
    return 0;
#elif defined GROUP
    assert(killpg(getpgrp(), SIGUSR1) == -1);
    return 0;
#elif defined ALARM
    alarm(3);
    return 0;
#endif
#if defined MASKED || defined SUSPEND || defined TIMED || defined QUEUE || defined BLOCKED
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
#ifdef QUEUE
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = queued;
#endif
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&threads[0], NULL, target, NULL);
    pthread_create(&threads[1], NULL, sender, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
#if defined OTHER && !defined MASKED
    assert(!seen); /* one of many orders */
#elif defined PROCESS
    assert(handled_by != 1); /* any thread may get it */
#elif defined BLOCKED
    assert(!seen);
#endif
    return 0;
}
