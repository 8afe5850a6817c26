// EXPECT(sc -DV=0): data-race
// EXPECT(sc -DV=0 -O2): data-race
// EXPECT(sc -DV=1): data-race
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): data-race
// EXPECT(sc -DV=4): data-race
// EXPECT(sc -DV=5): data-race
// EXPECT(sc -DV=5 -O1): data-race
// EXPECT(sc -DV=6): safe
// EXPECT(sc -DV=6 -O2): safe

// A list of arguments is memory like any other: va_start and va_copy write it, va_copy reads one, and what it is passed to reads on in it.

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static va_list shared, other;
static char text[40];

static void use(va_list *list)
{
#if V == 0
    va_list copy;

    va_copy(copy, *list);
    (void)va_arg(copy, int);
    va_end(copy);
#elif V == 1 || V == 5
    va_copy(*list, other);
#elif V == 2
    vprintf("%d\n", *list);
#elif V == 3
    vsnprintf(text, sizeof text, "%d\n", *list);
#elif V == 4
    vsscanf("7", "%*d", *list);
#endif
}

static void *thread(void *list)
{
    use(list);
    return NULL;
}

static int run(int n, ...)
{
    va_list mine;
    pthread_t t;
    int first;

    va_start(mine, n);
    va_start(shared, n);
    va_start(other, n);
#if V == 6 /* each its own */
    va_list copy;

    va_copy(copy, mine);
    pthread_create(&t, NULL, thread, &copy);
#elif V == 5
    pthread_create(&t, NULL, thread, &shared);
    va_start(shared, n);
#else
    pthread_create(&t, NULL, thread, &mine);
#endif
    first = va_arg(mine, int);
    pthread_join(t, NULL);
    va_end(mine);
    return first;
}

int main(void)
{
    assert(run(3, 1, 2, 3) == 1);
    return 0;
}
