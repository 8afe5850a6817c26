// 64 MiB of globals: every restart must find all of it as it was.
// EXPECT(all): safe executions=24
// EXPECT(sc -O2): safe executions=24
#include "common.h"

#define SIZE (64 << 20)
#define N    4

static unsigned char array[SIZE];
static atomic_int next;

static void *thread(void *_)
{
    int me = atomic_fetch_add(&next, 1);

    for (size_t i = 0; i < 4; i++) {
        unsigned char *p = &array[(size_t)me * (SIZE / N) + i * 1000003];

        assert(*p == 0);
        *p = 1;
    }
    return NULL;
}

int main(void)
{
    assert(array[0] == 0 && array[SIZE - 1] == 0);
    array[SIZE - 1] = 1;
    run(N, thread);
    return 0;
}
