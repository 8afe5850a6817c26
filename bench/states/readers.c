/* One thread that writes and N that read once, and forget what they saw. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 16
#endif

static atomic_int x;

static void *write_it(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

static void *read_it(void *unused)
{
    int seen = atomic_load(&x);

    (void)seen;
    return unused;
}

int main(void)
{
    pthread_t threads[N + 1];

    for (int i = 0; i <= N; i++)
        pthread_create(&threads[i], NULL, i ? read_it : write_it, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
