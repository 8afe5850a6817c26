// Semaphores: a post hands over what was written before; trywait says EAGAIN.
// EXPECT(all): safe
// EXPECT(sc -DNO_WAIT): assertion at=early
#include "common.h"
#include <errno.h>
#include <semaphore.h>

static sem_t sem;
static atomic_int data;

static void *sender(void *_)
{
    store(data, 1);
    assert(sem_post(&sem) == 0);
    return NULL;
}

static void *receiver(void *_)
{
#ifndef NO_WAIT
    assert(sem_wait(&sem) == 0);
#endif
    assert(load(data)); /* early */
    return NULL;
}

int main(void)
{
    assert(sem_init(&sem, 0, 0) == 0);
    run2(sender, receiver);
#ifdef NO_WAIT
    assert(sem_wait(&sem) == 0);
#endif
    assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
    assert(sem_post(&sem) == 0);
    assert(sem_trywait(&sem) == 0);
    assert(sem_destroy(&sem) == 0);
    return 0;
}
