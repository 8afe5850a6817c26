// Two semaphores, taken crosswise.
// EXPECT: deadlock
#include "common.h"
#include <semaphore.h>

static sem_t a, b;

static void *t1(void *_)
{
    sem_wait(&a);
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
    return NULL;
}

static void *t2(void *_)
{
    sem_wait(&b);
    sem_wait(&a);
    sem_post(&a);
    sem_post(&b);
    return NULL;
}

int main(void)
{
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    run2(t1, t2);
    return 0;
}
