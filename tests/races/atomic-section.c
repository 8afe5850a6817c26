// Accesses inside atomic sections are ordered with those of other sections, not with those outside.
// EXPECT(all): safe
// EXPECT(all -DOUTSIDE): data-race
#include "races.h"

#include <raddle.h>

static int x;

static void *first(void *_)
{
    raddle_atomic_begin();
    x++;
    raddle_atomic_end();
    return _;
}

static void *second(void *_)
{
#ifdef OUTSIDE
    x++;
#else
    raddle_atomic_begin();
    x++;
    raddle_atomic_end();
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
