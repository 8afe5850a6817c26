// A block handed from one thread to another through a queue with a lock.
// EXPECT(all): safe
// EXPECT(all -DKEEPS): data-race says=heap block of 8 bytes, allocated by T1 \([a-z_0-9]+\)
#include "races.h"

static long *queue;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *_)
{
    long *item = malloc(sizeof *item);

    *item = 1;
    pthread_mutex_lock(&m);
    queue = item;
    pthread_mutex_unlock(&m);
#ifdef KEEPS
    *item = 2;
#endif
    return _;
}

static void *second(void *_)
{
    long *item;

    pthread_mutex_lock(&m);
    item = queue;
    queue = NULL;
    pthread_mutex_unlock(&m);
    if (item) {
        (*item)++;
        free(item);
    }
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
