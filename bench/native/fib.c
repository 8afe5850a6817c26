/* Two threads add x and y to each other N times; a third looks whether they have grown too large. */
#include "common.h"

static atomic_int x = 1, y = 1;

static void *thread(void *id)
{
    if (id == NULL) {
        for (int i = 0; i < N; i++) {
            int a = load(x), b = load(y);

            store(x, a + b);
        }
    } else if ((intptr_t)id == 1) {
        for (int i = 0; i < N; i++) {
            int a = load(x), b = load(y);

            store(y, a + b);
        }
    } else {
        assert(load(x) <= 144);
        assert(load(y) <= 144);
    }
    return NULL;
}

int main(void)
{
    run(3, thread);
    return 0;
}
