// What free and realloc must not get.
// EXPECT(sc -DTWICE): memory at=twice says=free gets a block that was freed before; the block of 8 bytes was allocated by T0 \(main\) at .*, and freed by T0 \(main\) at
// EXPECT(sc -DMIDDLE): memory at=middle says=free gets a pointer that is not the start of a block; the block of 8 bytes
// EXPECT(sc -DSTACK): memory at=local says=free gets a pointer that malloc did not give
// EXPECT(sc -DGLOBAL): memory at=global says=free gets a pointer that malloc did not give
// EXPECT(sc -DENLARGE): memory at=enlarge says=realloc gets a block that was freed before
// EXPECT: safe
#include "common.h"
#include <stdlib.h>

static int global;

int main(void)
{
    int local, *volatile p = malloc(8);

    free(NULL);
#if defined TWICE
    free(p);
    free(p); /* twice */
#elif defined MIDDLE
    free(p + 1); /* middle */
#elif defined STACK
    p = &local;
    free(p); /* local */
#elif defined GLOBAL
    p = &global;
    free(p); /* global */
#elif defined ENLARGE
    free(p);
    p = realloc(p, 16); /* enlarge */
#else
    free(p);
    p = &local, p = &global;
#endif
    return 0;
}
