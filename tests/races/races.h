/* What the programs of this directory share. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define load(x, order)     atomic_load_explicit(&(x), memory_order_##order)
#define store(x, v, order) atomic_store_explicit(&(x), (v), memory_order_##order)

/* Runs both, and waits for both. */
static inline void run2(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a, b;

    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
