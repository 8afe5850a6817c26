// A spinlock.
#include "conform.h"

static pthread_spinlock_t lock;

static void *tries(void *argument)
{
    if (CODE(pthread_spin_trylock(&lock)) == 0)
        CODE(pthread_spin_unlock(&lock));
    return argument;
}

static void *counts(void *counter)
{
    pthread_spin_lock(&lock);
    ++*(int *)counter;
    pthread_spin_unlock(&lock);
    return NULL;
}

static void program(void)
{
    pthread_t a, b;
    int counter = 0;

    CODE(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
    in_thread(tries, NULL);
    CODE(pthread_spin_lock(&lock));
    in_thread(tries, NULL);
    CODE(pthread_spin_trylock(&lock));
    CODE(pthread_spin_unlock(&lock));
    pthread_create(&a, NULL, counts, &counter);
    pthread_create(&b, NULL, counts, &counter);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    NUM(counter);
    CODE(pthread_spin_destroy(&lock));
}
