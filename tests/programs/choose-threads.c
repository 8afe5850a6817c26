// Choices of two threads multiply, and commute: 2 times 3 executions, not twice as many.
// EXPECT(all): safe executions=6
// EXPECT(sc -DFAILS): assertion at=both
#include "common.h"

static void *chooses(void *id)
{
    return (void *)(intptr_t)raddle_choose(2 + (unsigned)(intptr_t)id);
}

int main(void)
{
    pthread_t threads[2];
    void *result[2];

    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, chooses, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &result[i]);
#ifdef FAILS
    assert(!(result[0] == (void *)1 && result[1] == (void *)2)); /* both */
#endif
    return 0;
}
