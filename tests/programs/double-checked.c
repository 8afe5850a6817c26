// Double-checked locking. Without an order on the second store, pso lets the pointer become visible before what it
// points to (the unlock waits for both, but the other thread does not look at the mutex).
// EXPECT(sc,tso): safe
// EXPECT(pso): assertion at=half
// EXPECT(all -DPUBLISH=memory_order_release): safe
#include "common.h"

#ifndef PUBLISH
#define PUBLISH memory_order_relaxed
#endif

struct thing {
    atomic_int value;
};

static struct thing the_thing;
static _Atomic(struct thing *) instance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct thing *get(void)
{
    struct thing *thing = atomic_load_explicit(&instance, memory_order_acquire);

    if (!thing) {
        pthread_mutex_lock(&m);
        thing = load(instance);
        if (!thing) {
            thing = &the_thing;
            store(thing->value, 42);
            atomic_store_explicit(&instance, thing, PUBLISH);
        }
        pthread_mutex_unlock(&m);
    }
    return thing;
}

static void *thread(void *_)
{
    assert(load(get()->value) == 42); /* half */
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
