// A semaphore as a lock; a value that was only looked at orders nothing.
// EXPECT(all): safe executions=2
// EXPECT(all -DVALUE): data-race
#include "races.h"

static int x;
static sem_t lock;

static void *work(void *_)
{
#ifdef VALUE
    int value;

    sem_getvalue(&lock, &value);
    if (value == 0)
        return _;
    x++;
    sem_post(&lock);
#else
    sem_wait(&lock);
    x++;
    sem_post(&lock);
#endif
    return _;
}

int main(void)
{
    sem_init(&lock, 0, 1);
    run2(work, work);
    return 0;
}
