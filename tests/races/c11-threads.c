// The same with the threads of C11.
// EXPECT(all): safe
// EXPECT(all -DUNLOCKED): data-race
#include "races.h"

#include <threads.h>

static int x;
static mtx_t m;
static once_flag once = ONCE_FLAG_INIT;

static void make(void)
{
    x = 1;
}

static int work(void *_)
{
    (void)_;
    call_once(&once, make);
#ifndef UNLOCKED
    mtx_lock(&m);
#endif
    x++;
#ifndef UNLOCKED
    mtx_unlock(&m);
#endif
    return 0;
}

int main(void)
{
    thrd_t a, b;

    mtx_init(&m, mtx_plain);
    thrd_create(&a, work, NULL);
    thrd_create(&b, work, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(x == 3);
    return 0;
}
