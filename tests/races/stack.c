// A local variable that another thread is given.
// EXPECT(all): safe
// EXPECT(all -DEARLY): data-race
#include "races.h"

static void *set(void *x)
{
    *(int *)x = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int x = 0;

    pthread_create(&t, NULL, set, &x);
#ifdef EARLY
    x = 2;
#endif
    pthread_join(t, NULL);
    return x == 0;
}
