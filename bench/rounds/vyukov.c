/* Vyukov's bounded queue: P producers push once each. With CONSUMER a consumer takes all of them, and everybody tries until it works. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef P
#define P 3
#endif
#ifndef SIZE
#define SIZE 4u
#endif

static struct cell {
    atomic_uint seq;
    int data;
} cells[SIZE];
static atomic_uint head, tail;

static bool push(int data)
{
    unsigned pos = atomic_load_explicit(&head, memory_order_relaxed);
    struct cell *cell;

    for (;;) {
        int dif;

        cell = &cells[pos % SIZE];
        dif = (int)(atomic_load_explicit(&cell->seq, memory_order_acquire) - pos);
        if (dif == 0) {
            if (atomic_compare_exchange_weak_explicit(&head, &pos, pos + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (dif < 0) {
            return false;
        } else {
            pos = atomic_load_explicit(&head, memory_order_relaxed);
        }
    }
    cell->data = data;
    atomic_store_explicit(&cell->seq, pos + 1, memory_order_release);
    return true;
}

#ifdef CONSUMER
static bool pop(int *data)
{
    unsigned pos = atomic_load_explicit(&tail, memory_order_relaxed);
    struct cell *cell;

    for (;;) {
        int dif;

        cell = &cells[pos % SIZE];
        dif = (int)(atomic_load_explicit(&cell->seq, memory_order_acquire) - (pos + 1));
        if (dif == 0) {
            if (atomic_compare_exchange_weak_explicit(&tail, &pos, pos + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (dif < 0) {
            return false;
        } else {
            pos = atomic_load_explicit(&tail, memory_order_relaxed);
        }
    }
    *data = cell->data;
    atomic_store_explicit(&cell->seq, pos + SIZE, memory_order_release);
    return true;
}

static void *consumer(void *unused)
{
    int sum = 0;

    for (int i = 0; i < P; i++) {
        int data;

        while (!pop(&data))
            ;
        sum += data;
    }
    assert(sum == P * (P + 1) / 2);
    return unused;
}
#endif

static void *producer(void *arg)
{
    while (!push((int)(long)arg))
        ;
    return NULL;
}

int main(void)
{
    pthread_t threads[P + 1];

    for (unsigned i = 0; i < SIZE; i++)
        atomic_init(&cells[i].seq, i);
    for (long i = 0; i < P; i++)
        pthread_create(&threads[i], NULL, producer, (void *)(i + 1));
#ifdef CONSUMER
    pthread_create(&threads[P], NULL, consumer, NULL);
    pthread_join(threads[P], NULL);
#endif
    for (int i = 0; i < P; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
