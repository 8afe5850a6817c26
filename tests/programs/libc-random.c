// rand, strtok, time and the environment start anew in each execution: the numbers do not depend on earlier ones.
// OPTIONS: --no-commute=increments
// EXPECT: safe executions=6
// EXPECT(sc -O2): safe executions=6
#include "common.h"
#include <string.h>
#include <time.h>

static atomic_int x;

static void *thread(void *_)
{
    atomic_fetch_add(&x, 1);
    return NULL;
}

int main(void)
{
    char words[] = "one two";
    int first;

    assert(!getenv("RADDLE_SET"));
    setenv("RADDLE_SET", "1", 1);
    srand(7);
    first = rand();
    srand(7);
    assert(first == rand());
    assert(strcmp(strtok(words, " "), "one") == 0);
    assert(time(NULL) >= 1000000000 && clock() >= 0);
    if (rand() % 2) /* the same in every execution, else raddle finds the program nondeterministic */
        x++;
    else
        x--;
    x = 0;
    run(3, thread);
    assert(strcmp(strtok(NULL, " "), "two") == 0);
    assert(x == 3);
    return 0;
}
