/* N threads take a test-and-set lock of compare-exchanges once each. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int lock;
static int count;

static void *worker(void *unused)
{
    int expected = 0;

    while (!atomic_compare_exchange_strong(&lock, &expected, 1))
        expected = 0;
    count++;
    atomic_store(&lock, 0);
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
