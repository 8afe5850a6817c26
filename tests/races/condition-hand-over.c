// While one waits, the other has the mutex; after the wait it is the first one's again.
// EXPECT(all): safe
// EXPECT(all -DAFTER): data-race
#include "races.h"

static int turn, x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void player(int me)
{
    pthread_mutex_lock(&m);
    while (turn != me)
        pthread_cond_wait(&c, &m);
    x++;
    turn = 1 - me;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
#ifdef AFTER
    x++;
#endif
}

static void *first(void *_)
{
    player(0);
    return _;
}

static void *second(void *_)
{
    player(1);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
