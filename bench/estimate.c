/* Searches of known sizes for bench/estimate.sh: T threads with K rounds of KIND each. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int cells[4];
static pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int shared;

static int round_of(long id, int i)
{
#if KIND == 0 /* one counter */
    return atomic_fetch_add(&cells[0], 1);
#elif KIND == 1 /* three counters */
    return atomic_fetch_add(&cells[(id + i) % 3], 1);
#elif KIND == 2 /* a lock, and cells that are read and written */
    pthread_mutex_lock(&locks[0]);
    shared++;
    pthread_mutex_unlock(&locks[0]);
    id = atomic_load(&cells[id % 2]);
    atomic_store(&cells[1], i);
    return (int)id;
#elif KIND == 3 /* one lock of their own, and one for all */
    pthread_mutex_lock(&locks[id]);
    pthread_mutex_lock(&locks[3]);
    shared++;
    pthread_mutex_unlock(&locks[3]);
    pthread_mutex_unlock(&locks[id]);
    return i;
#elif KIND == 4 /* compare-exchanges */
    int seen = atomic_load(&cells[0]);

    if (seen < 2)
        atomic_compare_exchange_strong(&cells[0], &seen, seen + 1);
    return seen;
#else           /* one writes, the others read */
    if (id > 0)
        return atomic_load(&cells[i % 4]);
    atomic_store(&cells[i % 4], i + 1);
    return 0;
#endif
}

static void *work(void *arg)
{
    int sum = 0;

    for (int i = 0; i < K; i++)
        sum += round_of((long)arg, i);
    atomic_store(&cells[3], sum & 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[T];

    for (long i = 0; i < T; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < T; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
