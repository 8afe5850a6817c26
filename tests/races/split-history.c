// Halves of a word written by one thread at different times, and read by others, keep their histories apart.
// EXPECT(all): safe
// EXPECT(all -DRACE): data-race
#include "races.h"

static _Alignas(8) int halves[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *_)
{
    halves[0] = 1;
    pthread_mutex_lock(&m);
    halves[1]++;
    pthread_mutex_unlock(&m);
    halves[0] = 2;
    return _;
}

static void *second(void *_)
{
    pthread_mutex_lock(&m);
    halves[1]++;
    pthread_mutex_unlock(&m);
#ifdef RACE
    halves[1]++;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
