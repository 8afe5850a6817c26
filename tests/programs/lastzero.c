// Thread 0 looks for the last zero from the end of an array; thread j does array[j] = array[j - 1] + 1.
// EXPECT(all -DN=5): safe executions=64
// EXPECT(sc -DN=5 -O2): safe executions=64
// EXPECT(all -DN=8 -O1): safe executions=704
// EXPECT(sc -DN=10): safe executions=3328
#include "common.h"

static atomic_int array[N + 1];

static void *thread(void *id)
{
    int j = (int)(intptr_t)id;

    if (j > 0) {
        store(array[j], load(array[j - 1]) + 1);
    } else {
        int i = N;

        while (load(array[i]) != 0)
            i--;
        return (void *)(intptr_t)i;
    }
    return NULL;
}

int main(void)
{
    run(N + 1, thread);
    return 0;
}
