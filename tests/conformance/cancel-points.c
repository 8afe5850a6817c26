// A cancellation that waits acts at these calls, even if they would not wait.
#include "cancel-points.h"

static struct timespec past = {.tv_sec = 1}, none;

static void at_testcancel(void) { pthread_testcancel(); }

static void at_sem_wait(void) { sem_wait(&one); }

static void at_sem_timedwait(void) { sem_timedwait(&one, &past); }

static void at_cond_timedwait(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &past);
}

static void at_nanosleep(void) { nanosleep(&none, NULL); }

static void at_clock_nanosleep(void) { clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL); }

static void at_usleep(void) { usleep(0); }

static void at_sleep(void) { sleep(0); }

static void program(void)
{
    points_open();
    TRY(at_testcancel);
    TRY(at_sem_wait);
    TRY(at_sem_timedwait);
    TRY(at_cond_timedwait);
    TRY(at_nanosleep);
    TRY(at_clock_nanosleep);
    TRY(at_usleep);
    TRY(at_sleep);
}
