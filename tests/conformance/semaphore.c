// Semaphores: values, what waits and what does not.
#include "conform.h"
#include <limits.h>
#include <semaphore.h>

static sem_t sem, back;

static void *posts(void *argument)
{
    SYS(sem_wait(&sem));
    SYS(sem_post(&back));
    return argument;
}

static void program(void)
{
    pthread_t thread;
    int value = -1;

    SYS(sem_init(&sem, 0, 2));
    SYS(sem_getvalue(&sem, &value));
    NUM(value);
    SYS(sem_wait(&sem));
    SYS(sem_trywait(&sem));
    SYS(sem_trywait(&sem));
    SYS(sem_getvalue(&sem, &value));
    NUM(value);
    SYS(sem_init(&back, 0, 0));
    pthread_create(&thread, NULL, posts, NULL);
    sem_post(&sem);
    sem_wait(&back);
    pthread_join(thread, NULL);
    SYS(sem_getvalue(&sem, &value));
    NUM(value);
    SYS(sem_destroy(&sem));
    SYS(sem_destroy(&back));
    SYS(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1));
    SYS(sem_init(&sem, 0, SEM_VALUE_MAX));
    SYS(sem_post(&sem));
    SYS(sem_getvalue(&sem, &value));
    NUM(value == SEM_VALUE_MAX);
    SYS(sem_destroy(&sem));
}
