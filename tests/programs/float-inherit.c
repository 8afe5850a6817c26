// A new thread reckons with floating-point numbers as its creator did; what either changes then is its own.
// CFLAGS: -lm -frounding-math
// EXPECT(all): safe
// EXPECT(sc -DEARLY): safe
// EXPECT(sc -DNESTED): safe
#include <fenv.h>

#include "common.h"

static atomic_int x;
static volatile double one = 1, three = 3;

static void *inner(void *_)
{
    assert(fegetround() == FE_DOWNWARD);
    return _;
}

static void *other(void *_)
{
    assert(fegetround() == FE_UPWARD && one / three > 0.33333333333333331);
#ifdef NESTED
    pthread_t thread;

    fesetround(FE_DOWNWARD);
    pthread_create(&thread, NULL, inner, NULL);
    fesetround(FE_TOWARDZERO);
    pthread_join(thread, NULL);
#endif
    x++;
    fesetround(FE_TOWARDZERO);
    x++;
    (void)inner;
    return _;
}

#ifdef EARLY
static __attribute__((constructor)) void early(void)
{
    fesetround(FE_UPWARD);
}
#endif

int main(void)
{
    pthread_t thread;

#ifndef EARLY
    fesetround(FE_UPWARD);
#endif
    pthread_create(&thread, NULL, other, NULL);
    x++;
    assert(fegetround() == FE_UPWARD);
    fesetround(FE_TONEAREST);
    x++;
    pthread_join(thread, NULL);
    assert(fegetround() == FE_TONEAREST);
    return 0;
}
