// A thread that is still there when the process ends races as any other.
// EXPECT(all): data-race
#include "races.h"

static int x;

static void *work(void *_)
{
    x = 1;
    return _;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, work, NULL);
    x = 2;
    return 0;
}
