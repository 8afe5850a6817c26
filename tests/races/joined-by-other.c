// A join makes known what the joined thread knew, and hands it on.
// EXPECT(all): safe
// EXPECT(all -DUNJOINED): data-race
#include "races.h"

static int x;
static pthread_t worker;

static void *work(void *_)
{
    x = 1;
    return _;
}

static void *parent(void *_)
{
    pthread_create(&worker, NULL, work, NULL);
#ifndef UNJOINED
    pthread_join(worker, NULL);
#endif
    return _;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, parent, NULL);
    pthread_join(t, NULL);
    x = 2;
#ifdef UNJOINED
    pthread_join(worker, NULL);
#endif
    return 0;
}
