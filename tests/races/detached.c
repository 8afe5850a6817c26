// A detached thread is ordered by nothing but what it does itself.
// EXPECT(all): data-race
// EXPECT(all -DPOSTS): safe
#include "races.h"

static int x;
static sem_t done;

static void *work(void *_)
{
    x = 1;
#ifdef POSTS
    sem_post(&done);
#endif
    return _;
}

int main(void)
{
    pthread_attr_t detached;
    pthread_t t;

    sem_init(&done, 0, 0);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &detached, work, NULL);
#ifdef POSTS
    sem_wait(&done);
#endif
    x = 2;
    return 0;
}
