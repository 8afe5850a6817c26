#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "tally.h"

static void *add(void *arg)
{
    tally_add(1);
    return arg;
}

static void *add_unlocked(void *arg)
{
    tally_add_unlocked(1);
    return arg;
}

static void *move(void *arg)
{
    int from = (int)(intptr_t)arg % 2;

    tally_move(from, 1 - from);
    return NULL;
}

int main(int argc, char **argv)
{
    int racy = argc > 1 && strcmp(argv[1], "racy") == 0;
    int stuck = argc > 1 && strcmp(argv[1], "stuck") == 0;
    pthread_t threads[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, stuck ? move : racy ? add_unlocked : add, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(stuck || tally_total() == THREADS);
    return 0;
}
