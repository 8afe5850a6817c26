// Peterson's algorithm on plain variables is nothing but races; on seq_cst atomics it protects what is inside.
// EXPECT(sc): data-race
// EXPECT(all -DATOMIC): safe
#include "races.h"

#ifdef ATOMIC
static atomic_int flag[2], turn;
#else
static int flag[2], turn;
#endif
static int inside;

static void enter(int me)
{
    flag[me] = 1;
    turn = 1 - me;
    while (flag[1 - me] && turn == 1 - me)
        ;
    inside++;
    flag[me] = 0;
}

static void *first(void *_)
{
    enter(0);
    return _;
}

static void *second(void *_)
{
    enter(1);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
