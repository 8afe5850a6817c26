/* Two threads fill their own elements of one array and look at a shared counter in between. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 16
#endif

static atomic_int counter, array[2 * N];

static void fill(int first)
{
    for (int i = first; i < 2 * N; i += 2) {
        if (atomic_load(&counter) >= 2 * N)
            return;
        atomic_store(&array[i], i);
        atomic_fetch_add(&counter, 1);
    }
}

static void *even(void *unused)
{
    fill(0);
    return unused;
}

static void *odd(void *unused)
{
    fill(1);
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, even, NULL);
    pthread_create(&b, NULL, odd, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
