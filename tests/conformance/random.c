// Random numbers of libc: the same as without raddle, as they come from a seed.
#include "conform.h"

static void *draws(void *argument)
{
    NUM(rand());
    return argument;
}

static void program(void)
{
    NUM(rand());
    srand(7);
    NUM(rand());
    in_thread(draws, NULL);
    srandom(3);
    NUM(random());
    NUM(random());
    srand48(5);
    NUM(lrand48());
    NUM(mrand48());
    NUM((long)(drand48() * 1000000));
}
