// What the routine of pthread_once wrote, all may read; a flag of one's own is not the same.
// EXPECT(all): safe
// EXPECT(all -DOWN_FLAG): data-race
#include "races.h"

static int x;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    x = 1;
}

static void *work(void *_)
{
#ifdef OWN_FLAG
    static int made;

    if (!made) {
        make();
        made = 1;
    }
#else
    pthread_once(&once, make);
#endif
    assert(x == 1);
    return _;
}

int main(void)
{
    run2(work, work);
    return 0;
}
