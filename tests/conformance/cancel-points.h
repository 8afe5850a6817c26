/* A thread that is asked to end while it cannot, then lets itself be asked, and makes one call. Each such thread doubles the
 * executions, so a program tries a few calls only. */
#include "conform.h"
#include <poll.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/socket.h>

static sem_t ready, go, one;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

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

static void points_open(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    sem_init(&one, 0, 9);
}
