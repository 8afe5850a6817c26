// Reading after the join, or before it; and after the join of the wrong thread.
// EXPECT(all): safe
// EXPECT(all -DEARLY): data-race at=early
// EXPECT(all -DWRONG): data-race at=wrong
#include "races.h"

static int x, y;

static void *write_x(void *_)
{
    x = 1;
    return _;
}

static void *write_y(void *_)
{
    y = 1;
    return _;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, write_x, NULL);
    pthread_create(&b, NULL, write_y, NULL);
#ifdef EARLY
    x = 2; /* early */
#endif
    pthread_join(b, NULL);
#ifdef WRONG
    x = 2; /* wrong */
#endif
    pthread_join(a, NULL);
    return x == 0;
}
