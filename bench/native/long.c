/* Two threads with N visible operations together, or somewhat more: critical sections, turns that they take by a condition, or two variables
 * in one word of memory. */
#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#if defined turns
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;

static void step(int me)
{
    pthread_mutex_lock(&m);
    while (turn != me)
        pthread_cond_wait(&c, &m);
    turn = 1 - me;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}
#elif defined words
static atomic_int cells[2];

static void step(int me)
{
    store(cells[me], me);
    if (load(cells[1 - me]) < 0)
        pthread_mutex_lock(&m);
}
#else
static void step(int me)
{
    (void)me;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
#endif

static void *thread(void *id)
{
    for (int i = 0; i < N / 4; i++)
        step(id != NULL);
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
