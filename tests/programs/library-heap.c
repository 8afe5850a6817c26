// Functions of the C library on blocks of the heap that are gone or too small, while there is one thread only, and while there are two.
// EXPECT(sc -DCASE=1): memory
// EXPECT(sc -DCASE=2): memory
// EXPECT(sc -DCASE=3): memory
// EXPECT(sc -DCASE=4): memory
// EXPECT(sc -DCASE=5): safe
// EXPECT(sc -DCASE=1 -DTHREADS): memory
// EXPECT(sc -DCASE=3 -DTHREADS): memory
// EXPECT(sc -DCASE=5 -DTHREADS): safe
#include "common.h"
#include <string.h>

static volatile size_t sink;

static void *thread(void *argument)
{
    char *block = malloc(8);

    strcpy(block, "abc");
    switch (CASE) {
    case 1: free(block); sink = strlen(block); break;
    case 2: strcpy(block, "too long a text"); break;
    case 3: sprintf(block, "%s", "too long a text"); break;
    case 4: free(block); printf("%s\n", block); break;
    case 5: snprintf(block, 100, "%s", "1234567"); free(block); break;
    }
    return argument;
}

int main(void)
{
#ifdef THREADS
    run(2, thread);
#else
    thread(NULL);
#endif
    return 0;
}
