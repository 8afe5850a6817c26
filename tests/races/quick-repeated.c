// The same bytes again and again: the first access asks for the others only as long as nothing was released between.
// EXPECT(all): safe
// EXPECT(all -O1): safe
// EXPECT(all -DBEHIND): data-race at=later says=races with the write by T1 \([a-z_0-9]+\) in first at
// EXPECT(all -O1 -DBEHIND): data-race at=later says=races with the write by T1 \([a-z_0-9]+\) in first at
// EXPECT(all -O2 -DBEHIND): data-race at=later says=races with the write by T1 \([a-z_0-9]+\) in first at
// EXPECT(all -O1 -DINSIDE): data-race at=one says=races with the write by T2 \([a-z_0-9]+\) in second
// EXPECT(all -O1 -DWRITTEN): data-race at=three says=read of shared\+4 by T[12] \([a-z]+\) races with the write by T2 \([a-z_0-9]+\) in second
// EXPECT(all -O1 -DBYTE): data-race at=one says=earlier write of shared \(1 byte\) by T2 \(second\), holding no lock
#include "races.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int x, y;
} shared;
static int seen;

static __attribute__((noinline)) void leave(void)
{
    pthread_mutex_unlock(&m);
}

static void *first(void *_)
{
    pthread_mutex_lock(&m);
    shared.x = 1; /* one */
    shared.x += 2;
    shared.x = shared.x + shared.y; /* three */
    leave();
#ifdef BEHIND
    shared.x = shared.x + 1;
#endif
    return _;
}

static void *second(void *_)
{
#ifdef INSIDE
    seen = shared.y; /* read by both: fine */
    shared.x = 5;
#endif
#ifdef WRITTEN
    int old = shared.y + shared.y;

    shared.y = old;
#endif
#ifdef BYTE
    ((char *)&shared.x)[3]++;
#endif
    pthread_mutex_lock(&m);
    seen = shared.x + shared.x; /* later */
    shared.x++;
    pthread_mutex_unlock(&m);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
