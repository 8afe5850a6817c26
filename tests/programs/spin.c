// Spinlocks: three threads, 3! orders; a try of a held one is EBUSY.
// Giving one back is a plain store: with store buffers the last one reaches memory before or after the end of the lock.
// EXPECT(sc): safe executions=6
// EXPECT(tso): safe executions=12
// EXPECT(pso): safe executions=12
#include "common.h"
#include <errno.h>

static pthread_spinlock_t lock;
static int count;

static void *thread(void *_)
{
    assert(pthread_spin_lock(&lock) == 0);
    count++;
    assert(pthread_spin_unlock(&lock) == 0);
    return NULL;
}

int main(void)
{
    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    run(3, thread);
    assert(count == 3);
    assert(pthread_spin_trylock(&lock) == 0);
    assert(pthread_spin_trylock(&lock) == EBUSY);
    assert(pthread_spin_unlock(&lock) == 0);
    assert(pthread_spin_destroy(&lock) == 0);
    return 0;
}
