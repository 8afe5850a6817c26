// What a thread has written it sees itself, also through the C library, whatever waits in its store buffer.
// EXPECT(all): safe
// EXPECT(all -O2): safe
#include "common.h"
#include <string.h>

static char shared[16];

static void *thread(void *_)
{
    shared[0] = 'a';
    shared[1] = 'b';
    assert(strlen(shared) == 2);
    assert(strcmp(shared, "ab") == 0);
    return NULL;
}

int main(void)
{
    run(1, thread);
    return 0;
}
