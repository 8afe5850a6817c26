// Loops that look as if they only waited, for a flag that nobody sets, but that give up by themselves: a random number, the
// clock or the heap is different each time, though no register and no variable is. Never `spin`, and they do end.
// EXPECT(all): safe executions=1
// EXPECT(all -O1): safe executions=1
// EXPECT(sc -DCLOCK): safe executions=1
// EXPECT(sc -DCLOCK -O2): safe executions=1
#include "common.h"
#include <stdlib.h>
#include <time.h>

static atomic_int flag;

static int tired(void)
{
#ifdef CLOCK
    static const struct timespec nap = {0, 400000000};

    nanosleep(&nap, NULL);
    return time(NULL) >= 1000000002; /* raddle's clocks start at 1000000000 */
#else
    return rand() % 4 == 0;
#endif
}

static void *thread(void *_)
{
    (void)_;
    while (!atomic_load(&flag))
        if (tired())
            break;
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
