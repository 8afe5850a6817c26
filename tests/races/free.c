// free is a write to the whole block: a use that nothing orders before it races with it.
// EXPECT(all): data-race says=(  |earlier )free of heap block 0 of T0 from free.c:18 \(16 bytes\) by T0
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
