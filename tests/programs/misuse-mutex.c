// The life of a mutex: each way to use one that POSIX leaves undefined is a misuse, and says which rule it breaks.
// OPTIONS: --races=ignore
// EXPECT(sc -DUSED_DESTROYED): misuse says=used after it was destroyed
// EXPECT(sc -DDESTROYED_TWICE): misuse says=used after it was destroyed
// EXPECT(sc -DDESTROYED_HELD): misuse says=destroyed while a thread holds it
// EXPECT(sc -DMADE_HELD): misuse says=initialised while another thread holds it
// EXPECT(sc -DRAW): misuse says=never initialised
// EXPECT(sc -DFREED): misuse says=destroyed
// EXPECT(sc -DAGAIN): safe
// EXPECT(sc -DON_STACK): safe
// EXPECT(sc -DASSIGNED): safe
#include "common.h"
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;

static void *holder(void *_)
{
    pthread_mutex_lock(&m);
    store(ready, 1);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *other(void *_)
{
#ifdef USED_DESTROYED
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m); /* wrong */
#elif defined DESTROYED_TWICE
    pthread_mutex_destroy(&m);
    pthread_mutex_destroy(&m); /* wrong */
#elif defined RAW
    memset(&m, 0x5a, sizeof m);
    pthread_mutex_lock(&m); /* wrong */
#elif defined AGAIN
    pthread_mutex_destroy(&m);
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#elif defined ASSIGNED
    pthread_mutex_destroy(&m);
    m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#elif defined FREED
    pthread_mutex_destroy(&m);
    store(ready, 1);
#endif
    return NULL;
}

#ifdef ON_STACK
static __attribute__((noinline)) void once_around(void)
{
    pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&local);
    pthread_mutex_unlock(&local);
    pthread_mutex_destroy(&local);
}
#endif

int main(void)
{
    pthread_t a, b;

#if defined DESTROYED_HELD || defined MADE_HELD
    pthread_create(&a, NULL, holder, NULL);
    if (load(ready))
#ifdef DESTROYED_HELD
        pthread_mutex_destroy(&m); /* wrong */
#else
        pthread_mutex_init(&m, NULL); /* wrong */
#endif
    pthread_join(a, NULL);
    (void)b;
    (void)other;
#elif defined FREED
    pthread_create(&a, NULL, holder, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#else
    pthread_create(&b, NULL, other, NULL);
    pthread_join(b, NULL);
    (void)a;
    (void)holder;
#endif
#ifdef ON_STACK
    for (int i = 0; i < 3; i++)
        once_around();
#endif
    return 0;
}
