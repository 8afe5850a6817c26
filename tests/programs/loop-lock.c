// Loops that take a mutex, look, and give it back: they wait until somebody else has written something while holding it.
// EXPECT(sc): safe
// EXPECT(sc -DTWO): safe
// EXPECT(sc -O2): safe
// EXPECT(tso): safe
// EXPECT(sc -DNEVER): spin
#include "common.h"
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done, other;

static int is_done(void)
{
    int value;

    pthread_mutex_lock(&m);
    value = done;
    pthread_mutex_unlock(&m);
    return value;
}

static void *polls(void *_)
{
    while (!is_done())
        sched_yield();
    return NULL;
}

static void *ends(void *_)
{
    pthread_mutex_lock(&m);
    other = 1;
    pthread_mutex_unlock(&m);
#ifdef TRIES
    while (pthread_mutex_trylock(&m))
        other++;
#else
    pthread_mutex_lock(&m);
#endif
#ifndef NEVER
    done = 1;
#endif
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b, e;

    pthread_create(&a, NULL, polls, NULL);
#ifdef TWO
    pthread_create(&b, NULL, polls, NULL);
#endif
    pthread_create(&e, NULL, ends, NULL);
    pthread_join(a, NULL);
#ifdef TWO
    pthread_join(b, NULL);
#endif
    pthread_join(e, NULL);
    (void)b;
    return 0;
}
