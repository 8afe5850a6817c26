// What many programs do with signals: handlers that are never needed, SIGPIPE ignored, and a thread that waits for the signals which all others
// block. Nobody sends one: nothing of that keeps the verdict from being whole.
// EXPECT(all): safe
// EXPECT(sc -DSENT): safe
// EXPECT(sc -DJOINED): incomplete says=not modelled: a signal from outside, which a thread waits for
#include "common.h"
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int work, got;

static void handler(int number)
{
    stop = number;
}

static void *waits(void *set)
{
    int number;

    assert(sigwait(set, &number) == 0);
    assert(number == SIGTERM);
    got = number;
    return NULL;
}

static void *works(void *_)
{
    pthread_mutex_lock(&m);
    work++;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    static sigset_t set;
    struct sigaction action = {.sa_handler = handler};
    pthread_t waiter;

    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&waiter, NULL, waits, &set);
    run(2, works);
    assert(work == 2 && !stop);
#ifdef SENT
    kill(getpid(), SIGTERM);
    pthread_join(waiter, NULL);
    assert(got == SIGTERM);
#elif defined JOINED
    pthread_join(waiter, NULL);
#endif
    return 0;
}
