// free is a write to the whole block: a use that nothing orders before it races with it.
// EXPECT(all): data-race says=free of size 16|previous free
// EXPECT(all -DJOINED): safe
#include "races.h"

static char *block;

static void *use(void *_)
{
    block[9] = 1;
    return _;
}

int main(void)
{
    pthread_t t;

    block = malloc(16);
    pthread_create(&t, NULL, use, NULL);
#ifdef JOINED
    pthread_join(t, NULL);
    free(block);
#else
    free(block);
    pthread_join(t, NULL);
#endif
    return 0;
}
