// Accesses beside a block of the heap, by one thread, before there are others.
// EXPECT: safe
// EXPECT(sc -DAT=10): memory at=use says=a heap overflow: a write of 4 bytes, 0 bytes behind the end of a block; the block of 40 bytes was allocated by T0 \(main\) at
// EXPECT(sc -DAT=-1): memory at=use says=4 bytes before the start of a block
// EXPECT(sc -DAT=9 -DTYPE=long): memory at=use says=where there never was a block
// EXPECT(sc -DAT=4 -DSIZE=35 -DTYPE=long): memory at=use says=5 bytes beyond the end of a block
// EXPECT(sc -DSET=41): memory at=set says=a write of 41 bytes, 1 bytes beyond
// EXPECT(sc -DSET=40): safe
// EXPECT(sc -DSIZE=1000000 -DAT=250000): memory at=use says=0 bytes behind the end
// EXPECT(sc -DSIZE=1000000 -DAT=249999): safe
// EXPECT(sc -DSIZE=0): memory at=use
// EXPECT(sc -DFREED): memory at=use says=into a block that was freed
// EXPECT(sc -DREALLOC): memory at=use says=into a block that was freed
#include "common.h"
#include <stdlib.h>
#include <string.h>
#ifndef SIZE
#define SIZE 40
#endif
#ifndef AT
#define AT 0
#endif
#ifndef TYPE
#define TYPE int
#endif

int main(void)
{
    TYPE *block = malloc(SIZE);

#ifdef FREED
    free(block);
#endif
#ifdef REALLOC
    TYPE *other = realloc(block, 400);
    assert(other != NULL);
#endif
#ifdef SET
    memset(block, 1, SET); /* set */
#else
    block[AT] = 1; /* use */
#endif
    return 0;
}
