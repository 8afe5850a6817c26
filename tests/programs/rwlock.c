// Two readers and a writer. Readers never see half a change; tries return EBUSY; both may read at the same time.
// EXPECT(all): safe
// EXPECT(sc -DTOGETHER): assertion
// EXPECT(sc -DNO_LOCK): assertion at=half
#include "common.h"
#include <errno.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int a, b, readers;

static void *writer(void *_)
{
#ifndef NO_LOCK
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
#endif
    store(a, 1);
    store(b, 1);
#ifndef NO_LOCK
    assert(pthread_rwlock_unlock(&lock) == 0);
#endif
    return NULL;
}

static void *reader(void *_)
{
    int x, y;

    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(atomic_fetch_add(&readers, 1) < 2);
    x = load(a);
    y = load(b);
#ifdef TOGETHER
    assert(load(readers) == 1);
#endif
    assert(x == y); /* half */
    atomic_fetch_sub(&readers, 1);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void *thread(void *id)
{
    return id ? reader(id) : writer(id);
}

int main(void)
{
    run(3, thread);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
