// EXPECT: safe executions=1 threads=1401
// EXPECT(sc -DJOIN): safe executions=1 threads=1401
// EXPECT(tso -DJOIN): safe executions=1 threads=1401
// EXPECT(sc -DEND=100000): incomplete says=that many threads
/* Each thread creates the next, all in one step: that costs little of the engine's own stack. */
#include <pthread.h>
#include <stdint.h>

#ifndef END
#define END 1400
#endif

static void *link(void *argument)
{
    intptr_t number = (intptr_t)argument;
    pthread_t next;

    if (number == END || pthread_create(&next, NULL, link, (void *)(number + 1)) != 0)
        return NULL;
#ifdef JOIN
    pthread_join(next, NULL);
#else
    pthread_detach(next);
#endif
    return NULL;
}

int main(void)
{
    link(NULL);
    return 0;
}
