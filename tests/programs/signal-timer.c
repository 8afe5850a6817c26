// No timer expires. Who waits for what its handler would do does not hang for that; without a handler it does.
// EXPECT: incomplete says=not modelled: alarm
// EXPECT(sc -DINTERVAL): incomplete says=not modelled: setitimer
// EXPECT(sc -DWATCHDOG): deadlock
#include "common.h"
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static sem_t rung;

static void rings(int number)
{
    (void)number;
    sem_post(&rung);
}

int main(void)
{
#ifndef WATCHDOG
    signal(SIGALRM, rings);
#endif
    sem_init(&rung, 0, 0);
#ifdef INTERVAL
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = 1}}, NULL);
#else
    alarm(1);
#endif
    while (sem_wait(&rung) != 0)
        continue;
    return 0;
}
