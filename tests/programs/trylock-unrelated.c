// Nested locks in one thread and a try of another lock in another one: a deterministic program.
// EXPECT(all): safe
// EXPECT(sc -O2): safe
#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER,
                       p = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;

static void *nests(void *_)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    atomic_store(&y, 1);
    return NULL;
}

static void *tries(void *_)
{
    atomic_store(&x, 1);
    pthread_mutex_trylock(&p);
    return (void *)(long)atomic_load(&y);
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, nests, NULL);
    pthread_create(&b, NULL, tries, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
