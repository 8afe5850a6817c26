// What a thread does before it creates another one comes before all that one does.
// EXPECT(all): safe
// EXPECT(all -DAFTER): data-race
#include "races.h"

static int x;

static void *reader(void *_)
{
    assert(x == 1 || x == 2);
    return _;
}

int main(void)
{
    pthread_t t;

    x = 1;
    pthread_create(&t, NULL, reader, NULL);
#ifdef AFTER
    x = 2;
#endif
    pthread_join(t, NULL);
    x = 2;
    return 0;
}
