// Initialised data, a constructor and static locals come back to their first values in each execution.
// OPTIONS: --no-commute=increments
// EXPECT(all): safe executions=6
#include "common.h"

static int numbers[1000] = {1, 2, 3};
static char text[] = "text";
static int constructed;
static int *heap;
static atomic_int x;

__attribute__((constructor)) static void construct(void)
{
    constructed = 7;
    heap = malloc(sizeof *heap);
    *heap = 5;
}

static int calls(void)
{
    static int count;

    return ++count;
}

static void *thread(void *_)
{
    atomic_fetch_add(&x, 1);
    return NULL;
}

int main(void)
{
    assert(numbers[1] == 2 && numbers[999] == 0 && text[0] == 't' && constructed == 7 && *heap == 5);
    assert(calls() == 1);
    numbers[1] = numbers[999] = 9;
    text[0] = 'x';
    constructed = 0;
    *heap = 6;
    run(3, thread);
    assert(calls() == 2);
    return 0;
}
