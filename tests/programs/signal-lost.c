// A handler may run just before a call that waits for it: then nobody wakes the thread. With the signal blocked until the call lets it in, that
// cannot be.
// EXPECT(all -DPAUSE): deadlock says=waits for a signal
// EXPECT(sc -DSUSPEND): deadlock
// EXPECT(sc -DSUSPEND -DPROCESS): deadlock
// EXPECT(sc -DSUSPEND -DBLOCKED): safe
// EXPECT(sc -DSUSPEND -DBLOCKED -DPROCESS): safe
// EXPECT(sc -DPAUSE -DTWICE): deadlock
// EXPECT(sc -DSLEEP): safe
// EXPECT(sc -DPOLL): assertion
// EXPECT(sc -DPPOLL -DBLOCKED): safe
// EXPECT(sc -DPPOLL): deadlock
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static atomic_int ran;

static void handler(int number)
{
    (void)number;
    atomic_fetch_add(&ran, 1);
}

static void *waits(void *_)
{
    sigset_t none;

    (void)none;
    sigemptyset(&none);
    if (load(ran))
        return NULL;
#if defined PAUSE
    assert(pause() == -1 && errno == EINTR);
#elif defined SUSPEND
    assert(sigsuspend(&none) == -1 && errno == EINTR);
#elif defined SLEEP
    sleep(1); /* ends in any case */
#elif defined POLL
    assert(poll(NULL, 0, 1000) == -1); /* it came before: nothing interrupts the call */
#else
    assert(ppoll(NULL, 0, NULL, &none) == -1);
#endif
#ifndef SLEEP
    assert(load(ran) >= 1);
#endif
    return _;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    pthread_t waiter;
    sigset_t set;

    sigaction(SIGUSR1, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
#ifdef BLOCKED
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
    pthread_create(&waiter, NULL, waits, NULL);
#ifdef PROCESS
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR1);
#else
    pthread_kill(waiter, SIGUSR1);
#endif
#ifdef TWICE
    pthread_kill(waiter, SIGUSR1);
#endif
    pthread_join(waiter, NULL);
    return 0;
}
