// What a reader did is known to the writer that comes after it.
// EXPECT(all): safe
// EXPECT(all -DTRY): safe
#include "races.h"

static int x;
static atomic_int done;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *_)
{
    x = 1;
    pthread_rwlock_rdlock(&lock);
    store(done, 1, relaxed);
    pthread_rwlock_unlock(&lock);
    return _;
}

static void *second(void *_)
{
    int ready;

#ifdef TRY
    if (pthread_rwlock_trywrlock(&lock) != 0)
        return _;
#else
    pthread_rwlock_wrlock(&lock);
#endif
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
