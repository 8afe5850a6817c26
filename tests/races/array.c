// Slices of one array, each for its thread; or one element too many.
// EXPECT(all): safe executions=1
// EXPECT(all -DOVER=1): data-race
#include "races.h"

#define THREADS 4
#define SLICE   5
#ifndef OVER
#define OVER 0
#endif

static short numbers[THREADS * SLICE + 1];

static void *work(void *i)
{
    int first = (int)(intptr_t)i * SLICE;

    for (int k = first; k < first + SLICE + OVER; k++)
        numbers[k]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
