/* N threads take an MCS lock once each. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

struct node {
    struct node *_Atomic next;
    atomic_int waits;
};

static struct node nodes[N];
static struct node *_Atomic last;
static int count;

static void lock(struct node *me)
{
    struct node *before;

    atomic_store(&me->next, NULL);
    atomic_store(&me->waits, 1);
    before = atomic_exchange(&last, me);
    if (!before)
        return;
    atomic_store(&before->next, me);
    while (atomic_load(&me->waits))
        ;
}

static void unlock(struct node *me)
{
    struct node *expected = me;

    if (!atomic_load(&me->next)) {
        if (atomic_compare_exchange_strong(&last, &expected, NULL))
            return;
        while (!atomic_load(&me->next))
            ;
    }
    atomic_store(&atomic_load(&me->next)->waits, 0);
}

static void *worker(void *arg)
{
    lock(arg);
    count++;
    unlock(arg);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return count != N;
}
