// EXPECT: safe
// A handler for SIGSEGV of the program does not take the place of ours, which the large array needs: it is for faults of the program only.
#include <signal.h>
#include <stdlib.h>

#include "many.h"

static char large[1 << 20];

static void handler(int number)
{
    (void)number;
    exit(1);
}

int main(void)
{
    signal(SIGSEGV, handler);
    for (size_t i = 0; i < sizeof large; i += 1000)
        assert(large[i]++ == 0);
    many(3);
    return 0;
}
