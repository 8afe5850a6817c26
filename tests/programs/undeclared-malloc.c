// EXPECT(sc -DV=0): safe
// EXPECT(sc -DV=0 -O2): safe
// EXPECT(sc -DV=1): safe
// EXPECT(sc -DV=2): safe
// EXPECT(sc -DV=3 -O2): memory
// CFLAGS: -std=gnu89 -w

/* C of 1989 need not declare functions: clang knows what these are. Nor does it drop calls of them that it takes to do nothing. */

#include <pthread.h>

static int *shared;

static void *thread(void *argument)
{
#if V == 0
    shared = malloc(4);
    *shared = 1;
#elif V == 1
    shared = calloc(1, 4);
#elif V == 2
    shared = realloc(malloc(4), 8);
#else
    char *block = malloc(4);
    free(block);
    free(block);
#endif
    return argument;
}

int main()
{
    pthread_t t;

    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
#if V < 3
    shared[0]++;
    free(shared);
#endif
    return 0;
}
