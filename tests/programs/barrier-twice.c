// One barrier, used again and again.
// EXPECT: safe
#include "common.h"

static pthread_barrier_t barrier;
static atomic_int phase[2];

static void *thread(void *id)
{
    int me = (int)(intptr_t)id;

    for (int i = 1; i <= 3; i++) {
        store(phase[me], i);
        pthread_barrier_wait(&barrier);
        assert(load(phase[1 - me]) == i);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run(2, thread);
    return 0;
}
