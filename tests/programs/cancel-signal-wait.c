// A thread that waits for a signal is cancelled there; if the signal comes, too, either may count.
// EXPECT: safe
// EXPECT(sc -DSUSPEND): safe
// EXPECT(sc -DWAIT): safe
// EXPECT(sc -DWAIT -DSEND): assertion at=taken
// EXPECT(sc -DWAIT -DSEND -DTAKEN): assertion at=left
#include "common.h"
#include <signal.h>
#include <unistd.h>

static int got;

static void *waits(void *argument)
{
    sigset_t set;

    sigemptyset(&set);
#ifdef WAIT
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &got);
    pthread_testcancel();
#elif defined SUSPEND
    sigsuspend(&set);
#else
    for (;;)
        pause();
#endif
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, waits, NULL);
#ifdef SEND
    pthread_kill(thread, SIGUSR1);
#endif
    pthread_cancel(thread);
    pthread_join(thread, &result);
#ifndef SEND
    assert(result == PTHREAD_CANCELED);
#endif
#ifdef TAKEN
    assert(got == SIGUSR1); /* left */
#else
    assert(got == 0); /* taken */
#endif
    return 0;
}
