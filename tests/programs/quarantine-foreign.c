// Where a thread's blocks are must not depend on when others free some of them, unless it comes after that. Two threads do the same; a third one frees blocks of the first, while that
// goes on, and tells nobody; of the second, nobody does.
// EXPECT: safe
// EXPECT(tso): safe
#include "common.h"
#include <string.h>

enum { SIZE = 100000, ROUNDS = 100, GIVEN = 20 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *given[2][GIVEN];
static uint64_t hash[2];
static int again[2];

static void *worker(void *argument)
{
    int me = (int)(intptr_t)argument;

    pthread_mutex_lock(&m);
    for (int i = 0; i < 60; i++) { /* so that the others are where memory is used again */
        char *block = malloc(SIZE);

        free(block);
    }
    for (int i = 0; i < GIVEN; i++)
        given[me][i] = malloc(SIZE);
    pthread_mutex_unlock(&m);
    for (int part = 0; part < 3; part++) {
        char *first = NULL;

        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        for (int i = 0; i < ROUNDS; i++) {
            char *block = malloc(SIZE);

            hash[me] = (hash[me] + ((uintptr_t)block & 0x7ffffffff)) * 0x9e3779b97f4a7c15u;
            again[me] += block == first;
            first = first ? first : block;
            free(block);
        }
    }
    return NULL;
}

static void *other(void *_)
{
    char *taken[GIVEN];

    pthread_mutex_lock(&m);
    for (int i = 0; i < GIVEN; i++) {
        taken[i] = given[0][i];
        given[0][i] = NULL; /* or it was not there yet */
    }
    pthread_mutex_unlock(&m);
    for (int i = 0; i < GIVEN; i++)
        free(taken[i]);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(b, NULL);
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&c, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(c, NULL);
    assert(hash[0] == hash[1] && again[0] == again[1] && again[0] > 0);
    return 0;
}
