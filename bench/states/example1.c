/* stateful-dpor, Figure 1: two threads that change one variable in a loop. -DCHECKED keeps the assertion of the figure. */
#include <assert.h>
#include <pthread.h>
#include <raddle.h>

#ifndef N
#define N 64
#endif

static int d;

#ifdef CHECKED
#define CHECK_D() assert(d % 5 != 4)
#else
#define CHECK_D() (void)0
#endif

static void *up(void *unused)
{
    for (int i = 0; i < N; i += 5) {
        raddle_atomic_begin();
        d += i;
        CHECK_D();
        raddle_atomic_end();
    }
    return unused;
}

static void *down(void *unused)
{
    for (int j = 0; j < N; j += 5) {
        raddle_atomic_begin();
        d -= j;
        CHECK_D();
        raddle_atomic_end();
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, down, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
