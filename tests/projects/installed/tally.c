#include "tally.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t drawers[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int held[2] = {5, 5};
static int total;

void tally_add(int votes)
{
    pthread_mutex_lock(&lock);
    total += votes;
    pthread_mutex_unlock(&lock);
}

void tally_add_unlocked(int votes)
{
    total += votes;
}

int tally_total(void)
{
    return total;
}

void tally_move(int from, int to)
{
    pthread_mutex_lock(&drawers[from]);
    pthread_mutex_lock(&drawers[to]);
    held[from]--;
    held[to]++;
    pthread_mutex_unlock(&drawers[to]);
    pthread_mutex_unlock(&drawers[from]);
}
