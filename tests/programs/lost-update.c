// Two increments that are no atomic ones. With a mutex, or in one step, both count.
// EXPECT(all): assertion at=lost
// EXPECT(all -O2): assertion at=lost
// EXPECT(all -DVOLATILE): assertion at=lost
// EXPECT(all -DLOCKED): safe executions=2
// EXPECT(all -DATOMIC): safe executions=1
#include "common.h"

#ifdef VOLATILE
static volatile int count;
#else
static atomic_int count;
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *_)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
#ifdef VOLATILE
    count = count + 1;
#elif defined ATOMIC
    count++;
#else
    store(count, load(count) + 1);
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

int main(void)
{
    run(2, add);
    assert(count == 2); /* lost */
    return 0;
}
