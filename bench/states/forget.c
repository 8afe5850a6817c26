/* Two threads that load four cells and forget what they saw, two that store to them. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z, w;

static void see(atomic_int *v)
{
    (void)atomic_load_explicit(v, memory_order_relaxed);
}

static void *eight(void *unused)
{
    for (int i = 0; i < 2; i++) {
        see(&x);
        see(&y);
        see(&z);
        see(&w);
    }
    return unused;
}

static void *six(void *unused)
{
    see(&x);
    see(&y);
    see(&z);
    see(&w);
    see(&x);
    see(&y);
    return unused;
}

static void fill(atomic_int *a, atomic_int *b)
{
    for (int i = 1; i <= 3; i++) {
        atomic_store_explicit(a, i, memory_order_relaxed);
        atomic_store_explicit(b, i, memory_order_relaxed);
    }
}

static void *fill_xy(void *unused)
{
    fill(&x, &y);
    return unused;
}

static void *fill_zw(void *unused)
{
    fill(&z, &w);
    return unused;
}

int main(void)
{
    static void *(*const jobs[])(void *) = {eight, six, fill_xy, fill_zw};
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, jobs[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
