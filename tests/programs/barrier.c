// A barrier between two phases: what was written before it is seen after it; one thread is told to be the serial one.
// EXPECT(all): safe
// EXPECT(all -O2): safe
// EXPECT(sc -DCOUNT=3): deadlock
// EXPECT(sc -DCOUNT=1): assertion at=phase
#include "common.h"

#ifndef COUNT
#define COUNT 2
#endif

static pthread_barrier_t barrier;
static atomic_int written[2], serial;

static void *thread(void *id)
{
    int me = (int)(intptr_t)id, result;

    store(written[me], 1);
    result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(load(written[1 - me])); /* phase */
    if (result == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    return NULL;
}

int main(void)
{
    assert(pthread_barrier_init(&barrier, NULL, COUNT) == 0);
    run(2, thread);
    assert(serial == 1);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
