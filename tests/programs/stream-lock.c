// A stream is a recursive lock, which other functions of stdio take, too.
// EXPECT: safe executions=2
// EXPECT(sc -DORDER): deadlock
// EXPECT(sc -DORDER -DPRINTS): deadlock
// EXPECT(sc -DORDER -DUNLOCKED): safe
// EXPECT(sc -DTRIES): safe executions=5
// EXPECT(sc -DFORGETS): deadlock
// EXPECT(sc -DFOREIGN): misuse says=unlocks a lock that it does not hold
// EXPECT(sc -DNOT_LOCKED): data-race
#include "common.h"
#include <errno.h>

static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *counts(void *argument)
{
    flockfile(stdout);
    flockfile(stdout);
    printf("count ");
    count++;
    funlockfile(stdout);
    printf("%d\n", count);
#ifndef FORGETS
    funlockfile(stdout);
#endif
    return argument;
}

#if defined ORDER
static void *stream_first(void *argument)
{
    flockfile(stdout);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    funlockfile(stdout);
    return argument;
}

static void *mutex_first(void *argument)
{
    pthread_mutex_lock(&mutex);
#if defined UNLOCKED
    putchar_unlocked('x');
#elif defined PRINTS
    puts("x");
#else
    flockfile(stdout);
    funlockfile(stdout);
#endif
    pthread_mutex_unlock(&mutex);
    return argument;
}
#endif

#ifdef TRIES
static void *tries(void *argument)
{
    int busy = ftrylockfile(stdout);

    if (busy)
        return argument;
    count++;
    funlockfile(stdout);
    return argument;
}
#endif

int main(void)
{
#if defined ORDER
    run2(stream_first, mutex_first);
#elif defined TRIES
    run2(counts, tries);
#elif defined FOREIGN
    (void)counts;
    funlockfile(stdout);
#elif defined NOT_LOCKED
    pthread_t thread;

    pthread_create(&thread, NULL, counts, NULL);
    printf("%d", count);
    pthread_join(thread, NULL);
#else
    run(2, counts);
    assert(count == 2);
#endif
    (void)mutex;
    return 0;
}
