// A buffer of one slot, two producers and two consumers; the operations of examples/scripts/bbuf.script.
// EXPECT(all): safe executions=64
// EXPECT(sc -O1): safe executions=64
// EXPECT(sc -O2): safe executions=64
#include "common.h"

static atomic_int slot, taken;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void put(int item)
{
    pthread_mutex_lock(&m);
    while (load(slot) != 0)
        pthread_cond_wait(&not_full, &m);
    store(slot, item);
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
}

static void take(void)
{
    int v, sum;

    pthread_mutex_lock(&m);
    while ((v = load(slot)) == 0)
        pthread_cond_wait(&not_empty, &m);
    store(slot, 0);
    sum = load(taken) + v;
    store(taken, sum);
    assert(sum <= 3);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
}

static void *thread(void *id)
{
    if ((intptr_t)id < 2)
        put((int)(intptr_t)id + 1);
    else
        take();
    return NULL;
}

int main(void)
{
    run(4, thread);
    assert(taken == 3);
    return 0;
}
