// EXPECT(sc -DV=0): data-race says=assembly-race.c:[0-9]+ is not understood: if it keeps the two threads apart, the race is raddle's own
// EXPECT(sc -DV=1): data-race says=is not understood
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): honest

/* A lock in inline assembly that is not understood keeps nobody out: a race behind it may be raddle's own, and the report says so. */

#include <pthread.h>

static int lock, n;

static void take(void)
{
#if V == 0
    __asm__ volatile("1: lock btsl $0, %0\n jc 1b\n" : "+m"(lock) : : "memory", "cc");
#elif V == 1
    __asm__ volatile("1: lock btsl $0, %0\n pause\n jc 1b\n" : "+m"(lock) : : "memory", "cc");
#elif V == 3
    __asm__ volatile("lock btsl $0, %0" : "+m"(lock) : : "memory", "cc");
#endif
}

static void give(void)
{
#if V != 2
    __asm__ volatile("lock btrl $0, %0" : "+m"(lock) : : "memory", "cc");
#endif
}

static void *thread(void *argument)
{
    take();
#if V != 3
    n++;
#endif
    give();
    return argument;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, thread, 0);
    thread(0);
    pthread_join(t, 0);
    return 0;
}
