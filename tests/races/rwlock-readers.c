// Two sections of readers order nothing, although one came first.
// EXPECT(all): data-race
// EXPECT(all -DWRITER): safe
#include "races.h"

static int x;
static atomic_int done;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

#ifdef WRITER
#define LOCK pthread_rwlock_wrlock
#else
#define LOCK pthread_rwlock_rdlock
#endif

static void *first(void *_)
{
    x = 1;
    LOCK(&lock);
    store(done, 1, relaxed);
    pthread_rwlock_unlock(&lock);
    return _;
}

static void *second(void *_)
{
    int ready;

    LOCK(&lock);
    ready = load(done, relaxed);
    pthread_rwlock_unlock(&lock);
    if (ready)
        x = 2;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
