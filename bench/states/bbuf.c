/* A bounded buffer: a ring, a mutex and two conditions. P producers put K items each, P consumers take as many. */
#include <assert.h>
#include <pthread.h>

#ifndef P
#define P 2
#endif
#ifndef K
#define K 2
#endif
#define ROOM 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int ring[ROOM], count, first;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == ROOM)
        pthread_cond_wait(&not_full, &lock);
    ring[(first + count++) % ROOM] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    int item;

    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    item = ring[first];
    first = (first + 1) % ROOM;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *unused)
{
    for (int i = 0; i < K; i++)
        put(1);
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < K; i++)
        assert(take() == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2 * P];

    for (int i = 0; i < 2 * P; i++)
        pthread_create(&threads[i], NULL, i < P ? produce : consume, NULL);
    for (int i = 0; i < 2 * P; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
