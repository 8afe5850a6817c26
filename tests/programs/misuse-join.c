// A handle of a thread is good for one join or one detach.
// EXPECT(sc -DTWICE): misuse says=joined twice
// EXPECT(sc -DTWO_JOIN): misuse says=joined twice
// EXPECT(sc -DMAIN_JOINS): misuse says=joined twice
// EXPECT(sc -DDETACHED): misuse says=detached thread is joined
// EXPECT(sc -DBORN_DETACHED): misuse says=detached thread is joined
// EXPECT(sc -DDETACHED_TWICE): misuse says=detached twice
// EXPECT(sc -DDETACH_JOINED): misuse says=detached after it was joined
// EXPECT(sc -DERRORS): safe
#include "common.h"
#include <errno.h>

static pthread_t t;
static atomic_int x;

static void *nothing(void *_)
{
#ifdef MAIN_JOINS
    store(x, 1); /* both wait for it before it ends */
#endif
    return NULL;
}

static void *joiner(void *_)
{
    pthread_join(t, NULL);
    return NULL;
}

static void *of_itself(void *_)
{
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
#ifdef BORN_DETACHED
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#endif
    pthread_create(&t, &attributes, nothing, NULL);
#ifdef TWICE
    pthread_join(t, NULL);
    pthread_join(t, NULL); /* wrong */
#elif defined TWO_JOIN
    run(2, joiner);
#elif defined MAIN_JOINS
    pthread_t other;

    pthread_create(&other, NULL, joiner, NULL);
    pthread_join(t, NULL);
    pthread_join(other, NULL);
#elif defined DETACHED
    pthread_detach(t);
    pthread_join(t, NULL); /* wrong */
#elif defined BORN_DETACHED
    pthread_join(t, NULL); /* wrong */
#elif defined DETACHED_TWICE
    pthread_detach(t);
    pthread_detach(t); /* wrong */
#elif defined DETACH_JOINED
    pthread_join(t, NULL);
    pthread_detach(t); /* wrong */
#else
    pthread_t nobody = (pthread_t)12345;

    assert(pthread_join(nobody, NULL) == ESRCH);
    assert(pthread_detach(nobody) == ESRCH);
    pthread_join(t, NULL);
    run(1, of_itself);
#endif
    (void)joiner, (void)of_itself, (void)x;
    return 0;
}
