// EXPECT(sc -DBYTE=3): safe
// EXPECT(sc -DBYTE=2): data-race
// EXPECT(sc -DBYTE=3 -DPOINTER): safe

// memccpy writes nothing behind the byte that it looks for.

#include <pthread.h>
#include <string.h>

static char to[10];
static volatile char sink;

static void *thread(void *argument)
{
#ifdef POINTER
    void *(*volatile f)(void *, const void *, int, size_t) = memccpy;

    f(to, "abcd", 'c', 4);
#else
    memccpy(to, "abcd", 'c', 4);
#endif
    return argument;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
    sink = to[BYTE];
    pthread_join(t, NULL);
    return 0;
}
