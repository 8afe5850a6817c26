// Taking a recursive mutex once more, and giving back one level of it, are changes of state: a loop that does so in each round does
// not just wait. A round that gives back all that it took may.
// EXPECT(all): assertion at=three
// EXPECT(sc -O2): assertion at=three
// EXPECT(sc -DUNLOCK): assertion
// EXPECT(sc -DTWICE): assertion at=three
// EXPECT(sc -DREAD): assertion at=three
// EXPECT(sc -DBALANCED): safe
// EXPECT(sc -DBALANCED -DNEVER): spin
#define _GNU_SOURCE
#include "common.h"

static atomic_int flag;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void round_once(void)
{
#ifdef UNLOCK
    pthread_mutex_unlock(&mutex);
#elif defined TWICE
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined BALANCED
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined READ
    pthread_rwlock_rdlock(&rwlock);
#else
    pthread_mutex_lock(&mutex);
#endif
}

static int levels(void)
{
    int n = 0;

#ifdef READ
    for (; n < 5 && pthread_rwlock_trywrlock(&rwlock) != 0; n++)
        pthread_rwlock_unlock(&rwlock);
#else
    while (pthread_mutex_unlock(&mutex) == 0)
        n++;
#endif
    return n;
}

static void *looker(void *_)
{
    int n;

#ifdef UNLOCK
    for (int i = 0; i < 5; i++)
        pthread_mutex_lock(&mutex);
#endif
    while (!atomic_load(&flag))
        round_once();
    n = levels();
#ifdef UNLOCK
    assert(n > 2);
#else
    assert(n < 3); /* three */
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, looker, NULL);
#ifndef NEVER
    atomic_store(&flag, 1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
