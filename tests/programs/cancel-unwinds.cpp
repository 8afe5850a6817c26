// Cancellation and pthread_exit unwind C++ functions: destructors run, and catch (...) sees it pass.
// EXPECT(sc): safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DEXIT): safe
// EXPECT(sc -DSWALLOWS): crash
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;
static int destroyed, caught;

struct guard {
    ~guard()
    {
        destroyed++;
    }
};

static __attribute__((noinline)) void inner(void)
{
    guard g;

#ifdef EXIT
    pthread_exit(PTHREAD_CANCELED);
#else
    sem_wait(&sem);
#endif
}

static void *victim(void *)
{
    guard g;

    try {
        inner();
    } catch (...) {
        caught++;
#ifndef SWALLOWS
        throw;
#endif
    }
    return nullptr;
}

int main()
{
    pthread_t t;
    void *returned;

    sem_init(&sem, 0, 0);
    pthread_create(&t, nullptr, victim, nullptr);
#ifndef EXIT
    pthread_cancel(t);
#endif
    pthread_join(t, &returned);
    assert(returned == PTHREAD_CANCELED);
    assert(destroyed == 2 && caught == 1);
    return 0;
}
