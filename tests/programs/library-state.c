// State that the C library keeps for all threads: where it has a lock, both orders are tried; where it has none, it is a race.
// EXPECT(sc -DRANDOM): assertion
// EXPECT(sc -DSTRTOK): data-race says=strtok
// EXPECT(sc -DLOCALTIME): data-race
// EXPECT(sc -DSETENV): data-race
// EXPECT(sc -DGETENV): safe executions=1
// EXPECT(sc -DSTREAM): assertion
// EXPECT(sc -DOUTPUT): safe executions=1
// EXPECT(sc -DWAYOUT): safe
// EXPECT(sc -DPOINTER): data-race
// EXPECT(sc -DCOMPARE): data-race
// EXPECT(sc -DOWN): safe
#include "common.h"
#include <string.h>
#include <time.h>

static int results[2];
static FILE *stream;
static atomic_int flag;
static char text[8] = "abc", *texts[2] = {text, text};

#ifdef OWN
/* A function of the program's own with the name of one of libc's: instrumented, and no state at all. */
char *strtok(char *restrict a, const char *restrict b)
{
    (void)b;
    return a;
}
#endif

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void *thread(void *argument)
{
    int i = (int)(intptr_t)argument;
#ifdef RANDOM
    results[i] = rand();
#elif defined STRTOK || defined OWN
    char own[] = "a b";

    results[i] = *strtok(own, " ");
#elif defined LOCALTIME
    time_t now = 0;

    results[i] = localtime(&now)->tm_hour;
#elif defined SETENV
    if (i)
        setenv("A", "b", 1);
    else
        results[0] = getenv("A") != NULL;
#elif defined GETENV
    results[i] = getenv("HOME") != NULL;
#elif defined STREAM
    results[i] = fgetc(stream);
#elif defined OUTPUT
    printf("%d\n", i);
    fprintf(stderr, "%d\n", i);
#elif defined WAYOUT
    if (i) {
        while (!atomic_load(&flag))
            if (fgetc(stream) == EOF)
                break;
    }
#elif defined POINTER
    size_t (*volatile length)(const char *) = strlen;

    if (i)
        results[1] = (int)length(text);
    else
        text[0] = 'x';
#elif defined COMPARE
    if (i)
        qsort(texts, 2, sizeof *texts, by_text);
    else
        text[0] = 'x';
#endif
    return NULL;
}

int main(void)
{
#if defined STREAM || defined WAYOUT
    stream = tmpfile();
    fputs("ab", stream);
    rewind(stream);
#endif
    run(2, thread);
#ifdef RANDOM
    srand(1);
    assert(results[0] == rand()); /* not if the other one was first */
#endif
#ifdef STREAM
    assert(results[0] == 'a');
#endif
    return 0;
}
