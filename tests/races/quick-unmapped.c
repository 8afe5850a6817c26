// Memory that was accessed is taken away: the fault is told where it is.
// EXPECT(all): crash at=gone
// EXPECT(all -O1): crash at=gone
// EXPECT(all -O2 -DPROTECTED): crash at=gone
#include "races.h"

#include <sys/mman.h>

static void *first(void *_)
{
    int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 64; i++)
            page[i] += i;
#ifdef PROTECTED
    mprotect(page, 4096, PROT_READ);
#else
    munmap(page, 4096);
#endif
    page[3] = 1; /* gone */
    return _;
}

static void *second(void *_)
{
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
