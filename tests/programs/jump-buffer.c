// EXPECT(sc -DV=0): data-race
// EXPECT(sc -DV=1): data-race
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): data-race
// EXPECT(sc -DV=4): data-race
// EXPECT(sc -DV=5): safe
// EXPECT(sc -DV=6): safe
// EXPECT(sc -DV=7): safe

// setjmp and its like write the buffer, and the jumps read it.

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static jmp_buf shared;
static sigjmp_buf with_mask;
static void *builtin[5];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void set(void)
{
#if V == 0
    (void)setjmp(shared);
#elif V == 1
    (void)sigsetjmp(with_mask, 1);
#elif V == 2
    (void)__builtin_setjmp(builtin);
#elif V == 3
    (void)_setjmp(shared);
#elif V == 5
    pthread_mutex_lock(&mutex);
    if (setjmp(shared) == 0)
        longjmp(shared, 1);
    pthread_mutex_unlock(&mutex);
#elif V == 6
    jmp_buf own;
    volatile int rounds = 0;

    if (setjmp(own) < 3)
        longjmp(own, ++rounds);
    assert(rounds == 3);
#elif V == 7
    sigjmp_buf own;

    if (sigsetjmp(own, 1) == 0)
        siglongjmp(own, 1);
#endif
}

static void *thread(void *argument)
{
#if V == 4
    if (setjmp(shared) == 0)
        longjmp(shared, 1);
#else
    set();
#endif
    return argument;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
#if V == 4
    ((char *)shared)[0] = 0;
#else
    set();
#endif
    pthread_join(t, NULL);
    return 0;
}
