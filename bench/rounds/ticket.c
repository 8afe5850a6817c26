/* N threads take a ticket lock once each. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_uint next, serving;
static int count;

static void *worker(void *unused)
{
    unsigned mine = atomic_fetch_add(&next, 1);

    while (atomic_load(&serving) != mine)
        ;
    count++;
    atomic_store(&serving, mine + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return count != N;
}
