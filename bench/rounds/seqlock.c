/* One writer and N - 1 readers of two variables under a sequence lock. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_uint sequence;
static atomic_int a, b;

static void *writer(void *unused)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *reader(void *unused)
{
    unsigned before;
    int x, y;

    do {
        before = atomic_load(&sequence);
        x = atomic_load(&a);
        y = atomic_load(&b);
    } while (before % 2 || atomic_load(&sequence) != before);
    return x == y ? NULL : &sequence;
}

int main(void)
{
    pthread_t threads[N];
    void *failed = NULL, *result;

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i ? reader : writer, NULL);
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], &result);
        failed = result ? result : failed;
    }
    return failed != NULL;
}
