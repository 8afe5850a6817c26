// SV-COMP: functions whose names begin with __VERIFIER_atomic_ are atomic sections, however they return.
// EXPECT: safe
// EXPECT(tso): safe
// EXPECT(pso): safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DTORN): data-race
#include "common.h"

static int first, second;

#ifdef TORN
#define SECTION(name) name
#else
#define SECTION(name) __VERIFIER_atomic_##name
#endif

int SECTION(raise)(int most)
{
    if (first >= most)
        return 0;
    first++;
    second++;
    return 1;
}

void SECTION(compare)(void)
{
    assert(first == second);
}

static void *thread(void *_)
{
    while (SECTION(raise)(3))
        ;
    SECTION(compare)();
    return NULL;
}

int main(void)
{
    run(2, thread);
    assert(first == 3 && second == 3);
    return 0;
}
