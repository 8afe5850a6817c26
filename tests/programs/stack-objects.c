// Mutexes, conditions and semaphores on the stack, in the same place again and again: each starts afresh, even if the last one
// was left locked.
// EXPECT: safe
// EXPECT(sc -O2): safe
#include "common.h"
#include <semaphore.h>

static __attribute__((noinline)) void once_around(int leave_locked)
{
    pthread_mutex_t m;
    pthread_rwlock_t rw;
    sem_t s;

    assert(pthread_mutex_init(&m, NULL) == 0);
    assert(pthread_rwlock_init(&rw, NULL) == 0);
    assert(sem_init(&s, 0, 1) == 0);
    assert(pthread_mutex_trylock(&m) == 0);
    assert(pthread_rwlock_trywrlock(&rw) == 0);
    assert(sem_trywait(&s) == 0);
    if (!leave_locked) {
        pthread_mutex_unlock(&m);
        pthread_rwlock_unlock(&rw);
    }
}

static void *thread(void *_)
{
    for (int i = 0; i < 3; i++)
        once_around(i % 2);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
