// A thread has addresses for 24 GiB of large blocks in a run. When they are used up, malloc fails, which need not be so elsewhere: nothing is proved. More than
// any block may have is another matter.
// EXPECT: incomplete says=a thread that takes more memory than its heap has addresses for
// EXPECT(sc -DREALLOC): incomplete says=a thread that takes more memory than its heap has addresses for
// EXPECT(sc -DFREED): safe
// EXPECT(sc -DABSURD): safe
#include "common.h"
#include <errno.h>

#define BLOCK ((size_t)15 << 30)

int main(void)
{
    char *first = malloc(BLOCK), *second;

    assert(first);
    first[BLOCK - 1] = 1;
#if defined FREED
    for (int i = 0; i < 100; i++) {
        second = malloc(BLOCK / 3);
        assert(second && !second[BLOCK / 3 - 1]);
        second[BLOCK / 3 - 1] = 1;
        free(second);
    }
    second = NULL;
#elif defined ABSURD
    second = malloc(2 * BLOCK);
    assert(!second && errno == ENOMEM);
#elif defined REALLOC
    second = realloc(malloc(10), BLOCK);
    assert(!second && errno == ENOMEM);
#else
    second = malloc(BLOCK);
    assert(!second && errno == ENOMEM);
#endif
    free(first);
    return second != NULL;
}
