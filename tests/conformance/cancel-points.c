// PENDING
// A cancellation that waits acts at these calls, even if they would not wait; and not at those.
#include "conform.h"
#include <poll.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/socket.h>

static sem_t ready, go, one;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ends[2];
static char byte;
static struct timespec past = {.tv_sec = 1}, none;
static struct timeval no_time;
static struct pollfd poll_one;

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
static void at_read(void) { read(ends[0], &byte, 1); }
static void at_write(void) { write(ends[1], &byte, 1); }
static void at_recv(void) { recv(ends[0], &byte, 1, MSG_DONTWAIT); }
static void at_send(void) { send(ends[0], &byte, 1, MSG_DONTWAIT); }
static void at_poll(void) { poll(&poll_one, 1, 0); }
static void at_select(void) { select(0, NULL, NULL, NULL, &no_time); }
static void at_open(void) { close(open("/dev/null", O_RDONLY)); }

static void not_mutex(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void not_sem(void)
{
    sem_post(&one);
    sem_trywait(&one);
}
static void not_signal(void)
{
    pthread_cond_signal(&cond);
    pthread_cond_broadcast(&cond);
}
static void not_self(void)
{
    pthread_self();
    pthread_setspecific(0, NULL);
    sched_yield();
}

static void give_back(void *argument)
{
    if (pthread_mutex_trylock(&mutex) != 0)
        say("the mutex is held");
    pthread_mutex_unlock(&mutex);
}

static void *thread(void *call)
{
    int old;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&ready);
    sem_wait(&go);
    pthread_cleanup_push(give_back, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    (*(void (**)(void))call)();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void try(const char *name, void (*call)(void))
{
    pthread_t t;
    void *result;

    pthread_create(&t, NULL, thread, &call);
    sem_wait(&ready);
    pthread_cancel(t);
    sem_post(&go);
    pthread_join(t, &result);
    say("%s: %s", name, result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

#define TRY(call) try(#call, call)

static void program(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    sem_init(&one, 0, 9);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    write(ends[1], "some bytes", 10);
    poll_one = (struct pollfd){ends[0], POLLIN, 0};
    TRY(at_testcancel);
    TRY(at_sem_wait);
    TRY(at_sem_timedwait);
    TRY(at_cond_timedwait);
    TRY(at_nanosleep);
    TRY(at_clock_nanosleep);
    TRY(at_usleep);
    TRY(at_sleep);
    TRY(at_read);
    TRY(at_write);
    TRY(at_recv);
    TRY(at_send);
    TRY(at_poll);
    TRY(at_select);
    TRY(at_open);
    TRY(not_mutex);
    TRY(not_sem);
    TRY(not_signal);
    TRY(not_self);
}
