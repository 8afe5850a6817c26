// Creation orders along the whole line of threads; the two lines are not ordered.
// EXPECT(all): safe
// EXPECT(all -DBESIDE): data-race
#include "races.h"

static int x;

static void *inner(void *_)
{
    x++;
    return _;
}

static void *outer(void *_)
{
    pthread_t t;

    x++;
    pthread_create(&t, NULL, inner, NULL);
#ifdef BESIDE
    x++;
#endif
    pthread_join(t, NULL);
    x++;
    return _;
}

int main(void)
{
    pthread_t t;

    x = 1;
    pthread_create(&t, NULL, outer, NULL);
    pthread_join(t, NULL);
    assert(x >= 4);
    return 0;
}
