// A thread-local variable of the main thread whose address others have is shared like any other; after its end it is gone.
// EXPECT: data-race
// EXPECT(sc -DATOMIC): assertion at=seen
// EXPECT(sc -DENDS): memory at=used
#include "common.h"

static _Thread_local int plain;
static _Thread_local atomic_int atomic;
static int *address;
static atomic_int *atomic_address;
static atomic_int ended;

static void *other(void *_)
{
#ifdef ATOMIC
    store(*atomic_address, 1);
#elif defined ENDS
    while (!load(ended))
        ;
    pthread_join(*(pthread_t *)_, NULL);
    *address = 1; /* used */
#else
    *address = 1;
#endif
    return _;
}

int main(void)
{
    static pthread_t self;
    pthread_t thread;

    self = pthread_self();
    address = &plain;
    atomic_address = &atomic;
    pthread_create(&thread, NULL, other, &self);
#ifdef ENDS
    plain = 2;
    store(ended, 1);
    pthread_exit(NULL);
#endif
    plain = 2;
    assert(load(atomic) == 0); /* seen */
    pthread_join(thread, NULL);
    return 0;
}
