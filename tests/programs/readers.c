// One thread writes, N read once: each before or after the write.
// EXPECT(all -DN=2): safe executions=4
// EXPECT(all -DN=4): safe executions=16
// EXPECT(all -DN=8 -O2): safe executions=256
// EXPECT(sc -DN=12): safe executions=4096
#include "common.h"

static atomic_int x;

static void *thread(void *id)
{
    if (id == NULL)
        store(x, 1);
    else
        return (void *)(intptr_t)load(x);
    return NULL;
}

int main(void)
{
    run(N + 1, thread);
    return 0;
}
