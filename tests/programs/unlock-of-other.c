// A mutex is unlocked while another thread holds it; that needs the right moment.
// EXPECT: misuse at=wrong
#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;

static void *owner(void *_)
{
    pthread_mutex_lock(&m);
    store(held, 1);
    store(held, 0);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *other(void *_)
{
    if (load(held))
        pthread_mutex_unlock(&m); /* wrong */
    return NULL;
}

int main(void)
{
    run2(owner, other);
    return 0;
}
