// Threads that constructors start are threads of the search, and constructors run in their order.
// OPTIONS: --no-commute=increments
// EXPECT(all): assertion at=seen
// EXPECT(sc -DRACES): data-race
// EXPECT(sc -DC11): assertion at=seen
// EXPECT(sc -DPIPED): assertion at=seen
// EXPECT(sc -DJOINED): safe executions=2
// EXPECT(sc -DCHOOSES): assertion at=seen
#include <threads.h>
#include <unistd.h>

#include "common.h"
#include "raddle.h"

static pthread_t thread;
static atomic_int x;
static int first, plain;

static void *store_one(void *_)
{
#ifdef RACES
    plain++;
#endif
    x++;
    return _;
}

#ifdef PIPED
static int ends[2];

static void *read_one(void *_)
{
    char c;

    if (read(ends[0], &c, 1) == 1)
        x++;
    return _;
}
#endif

static __attribute__((constructor(201))) void second(void)
{
    assert(first == 1);
#ifdef C11
    thrd_create((thrd_t *)&thread, (int (*)(void *))(void *)store_one, NULL);
#elif defined PIPED
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, read_one, NULL);
#elif defined CHOOSES
    x = (int)raddle_choose(3) - 1;
#else
    pthread_create(&thread, NULL, store_one, NULL);
#endif
#ifdef JOINED
    x++;
    pthread_join(thread, NULL);
#endif
}

static __attribute__((constructor(200))) void before(void)
{
    first++;
}

int main(void)
{
#ifdef RACES
    plain++;
#endif
#ifdef PIPED
    assert(write(ends[1], "1", 1) == 1);
#endif
#ifdef JOINED
    assert(x == 2);
#else
    assert(load(x) == 0); /* seen */
#ifndef CHOOSES
    pthread_join(thread, NULL);
#endif
#endif
    return 0;
}
