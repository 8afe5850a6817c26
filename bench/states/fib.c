/* Two threads of N rounds that add x and y, and one that looks at both. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif

static atomic_int x = 1, y = 1;

static int get(atomic_int *v)
{
    return atomic_load_explicit(v, memory_order_relaxed);
}

static void *left(void *unused)
{
    for (int i = 0; i < N; i++) {
        int a = get(&x), b = get(&y);

        atomic_store_explicit(&x, a + b, memory_order_relaxed);
    }
    return unused;
}

static void *right(void *unused)
{
    for (int i = 0; i < N; i++) {
        int a = get(&x), b = get(&y);

        atomic_store_explicit(&y, a + b, memory_order_relaxed);
    }
    return unused;
}

static void *look(void *unused)
{
    if (get(&x) <= 144)
        get(&y);
    return unused;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_create(&c, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
