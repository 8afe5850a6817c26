// A thread that never ends by itself does not keep the others from running: what they do is seen, and what only they can end ends.
// EXPECT(all): assertion at=end
// EXPECT(sc -O2): assertion at=end
// EXPECT(sc -DGLOBAL): assertion at=end
// EXPECT(sc -DHEAP): assertion at=end
// EXPECT(sc -DLOCK): assertion at=end
// EXPECT(sc -DTRY): assertion at=end
// EXPECT(sc -DATOMIC): assertion at=end
// EXPECT(all -DAPART): assertion at=apart
// EXPECT(sc -DQUIET -O1): incomplete says=goes round in main
// EXPECT(sc -DQUIET): incomplete says=T0 \(main\) still goes round in main at .*starved.c:[0-9]+
#include "common.h"
#include <stdlib.h>

static atomic_int flag, x, apart, taken;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *setter(void *_)
{
#ifdef APART
    atomic_store(&apart, 1);
    assert(0); /* apart */
#else
    atomic_store(&flag, 1);
#endif
    return NULL;
}

static void round_once(void)
{
#if defined GLOBAL
    count++;
#elif defined HEAP
    free(malloc(1));
#elif defined LOCK
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#elif defined TRY
    if (pthread_mutex_trylock(&mutex) == 0)
        pthread_mutex_unlock(&mutex);
#elif defined ATOMIC
    while (atomic_exchange(&taken, 1))
        ;
    atomic_store(&taken, 0);
#endif
}

int main(void)
{
    pthread_t thread;
    long n = 0;

    pthread_create(&thread, NULL, setter, NULL);
#ifdef APART
    for (;;) {
        atomic_store(&x, 1);
        atomic_store(&x, 0);
    }
#endif
    while (!atomic_load(&flag)) {
        n++;
        round_once();
    }
#ifndef QUIET
    assert(0); /* end */
#endif
    return n < 0;
}
