// A lock in a block that was freed, held or not, destroyed or not: the memory is not used again, so no other block gets it.
// EXPECT: safe
// EXPECT(sc -DHELD): safe
// EXPECT(tso): safe
// EXPECT(sc -DCOUNT): safe
#include "common.h"
#include <semaphore.h>

enum { SIZE = 100000, ROUNDS = 500 };

struct box {
    pthread_mutex_t lock; /* zeros are one that is initialised */
    sem_t count;
    char rest[SIZE];
};

static atomic_int turn;

static void *worker(void *_)
{
    int again = 0;
    char *first = NULL;

    for (int i = 0; i < ROUNDS; i++) {
        struct box *box = malloc(sizeof *box);

#ifdef COUNT
        if (i % 2) {
            sem_init(&box->count, 0, 1);
            assert(sem_trywait(&box->count) == 0 && sem_trywait(&box->count) != 0);
        }
#else
        if (i % 2 && i > ROUNDS / 3) {
            assert(pthread_mutex_trylock(&box->lock) == 0);
#ifndef HELD
            pthread_mutex_unlock(&box->lock);
#endif
        }
#endif
        again += first == (char *)box;
        if (i == 2 * ROUNDS / 3 - (2 * ROUNDS / 3 % 2 == 0)) /* one of those with a lock */
            first = (char *)box;
        free(box);
    }
    assert(again == 0);
    store(turn, 1);
    return NULL;
}

static void *watcher(void *_)
{
    load(turn);
    return NULL;
}

int main(void)
{
    run2(worker, watcher);
    return 0;
}
