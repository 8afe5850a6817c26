// Each thread has its own; unless it shows it to others.
// EXPECT(all): safe executions=1
// EXPECT(all -DSHOWN): data-race
#include "races.h"

static _Thread_local int mine;
static int *_Atomic shown;

static void *first(void *_)
{
    mine = 1;
#ifdef SHOWN
    store(shown, &mine, release);
#endif
    mine++;
    return _;
}

static void *second(void *_)
{
    mine = 1;
#ifdef SHOWN
    int *other = load(shown, acquire);

    if (other)
        (*other)++;
#endif
    mine++;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
