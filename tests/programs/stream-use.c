// EXPECT(sc -DV=0): data-race
// EXPECT(sc -DV=0 -O2): data-race
// EXPECT(sc -DV=1): data-race
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): data-race
// EXPECT(sc -DV=4): data-race
// EXPECT(sc -DV=5): data-race
// EXPECT(sc -DV=6): data-race
// EXPECT(sc -DV=6 -O2): data-race
// EXPECT(sc -DV=7): data-race
// EXPECT(sc -DV=8): safe
// EXPECT(sc -DV=9): safe
// EXPECT(sc -DV=9 -O2): safe
// EXPECT(sc -DV=10): safe
// EXPECT(sc -DV=10 -O2): safe
// EXPECT(sc -DV=11): safe

// Functions of stdio whose names end in _unlocked take no lock: two threads there, or one there and one in a function that does, are a data race.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void use(int who)
{
    char text[4];

    (void)text, (void)who;
#if V == 0
    fputc_unlocked('a', stream);
#elif V == 1
    getc_unlocked(stream);
#elif V == 2
    fwrite_unlocked("a", 1, 1, stream);
#elif V == 3
    fgets_unlocked(text, sizeof text, stream);
#elif V == 4
    clearerr_unlocked(stream);
#elif V == 5
    fflush_unlocked(stream);
#elif V == 6
    putc_unlocked('a', stdout);
#elif V == 7 /* one of them locks */
    who ? fputc_unlocked('a', stream) : fputc('a', stream);
#elif V == 8
    fputc('a', stream);
    printf("a");
    (void)feof(stream);
#elif V == 9
    flockfile(stream);
    fputc_unlocked('a', stream);
    putc_unlocked('a', stream);
    funlockfile(stream);
    fputc('a', stream);
#elif V == 10
    pthread_mutex_lock(&mutex);
    putc_unlocked('a', stream);
    putchar_unlocked('a');
    pthread_mutex_unlock(&mutex);
#elif V == 11 /* both only ask */
    (void)feof_unlocked(stream);
    (void)fileno_unlocked(stream);
#endif
}

static void *thread(void *argument)
{
    use(1);
    return argument;
}

int main(void)
{
    pthread_t t;

    stream = fopen("stream-use.tmp", "w+");
    pthread_create(&t, NULL, thread, NULL);
    use(0);
    pthread_join(t, NULL);
    fclose(stream);
    return 0;
}
