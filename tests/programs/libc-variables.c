// EXPECT(sc -DV=0): data-race
// EXPECT(sc -DV=0 -no-pie -fno-pie): data-race
// EXPECT(sc -DV=1): data-race
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): data-race
// EXPECT(sc -DV=4): data-race
// EXPECT(sc -DV=5): data-race
// EXPECT(sc -DV=6): data-race
// EXPECT(sc -DV=7): data-race
// EXPECT(sc -DV=8): safe
// EXPECT(sc -DV=9): safe
// EXPECT(sc -DV=10): safe
// EXPECT(sc -DV=11): data-race
// EXPECT(sc -DV=12): data-race
// CFLAGS: -lm

// Variables of libc that its functions write, or read, and the program uses directly.

#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char *words[] = {"p", "-a", NULL};
static volatile double number = -0.5;
static volatile long sink;

static void *call(void *argument)
{
    struct tm broken;
    time_t now = 0;

    (void)broken, (void)now;
#if V == 0
    setenv("NEW", "1", 1);
#elif V == 1
    getopt(2, words, "a");
#elif V == 2
    tzset();
#elif V == 3
    sink = (long)lgamma(number);
#elif V == 4
    localtime_r(&now, &broken);
#elif V == 5
    getenv("HOME");
#elif V == 6
    getopt(2, words, "a");
#elif V == 7
    printf("a");
#elif V == 8 /* they lock */
    localtime_r(&now, &broken);
    tzset();
#elif V == 9 /* nobody looks at signgam */
    sink = (long)lgamma(number) + (long)lgammaf((float)number) + (long)lgammal(number);
    sink += (long)gamma(number) + (long)gammaf((float)number) + (long)gammal(number);
#elif V == 10
    sink = environ != NULL;
#elif V == 11 /* the array that main was given */
    setenv("PATH", "/", 1);
#elif V == 12
    warnx("a");
#endif
    return argument;
}

int main(int count, char **arguments, char **environment)
{
    pthread_t thread;

    (void)count, (void)arguments, (void)environment;

    pthread_create(&thread, NULL, call, NULL);
#if V == 0
    for (char **e = environ; *e; e++)
        sink++;
#elif V == 1
    sink = optind;
#elif V == 2 || V == 4
    sink = (long)tzname[0];
#elif V == 3
    sink = signgam;
#elif V == 5
    environ = words;
#elif V == 6
    opterr = 0;
#elif V == 7
    stdout = stderr;
#elif V == 11
    for (int i = 0; environment[i]; i++)
        sink++;
#elif V == 12
    program_invocation_short_name = "b";
#else
    call(NULL);
#endif
    pthread_join(thread, NULL);
#if V == 8
    sink = (long)tzname[0];
#endif
    return 0;
}
