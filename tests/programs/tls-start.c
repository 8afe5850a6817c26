// Thread-local variables: constructors write those of the main thread, a new thread finds what the program says, in each run.
// EXPECT(all): safe
// EXPECT(sc -DLARGE): safe
// EXPECT(sc -DSTARTS): safe
#include <string.h>

#include "common.h"

struct __attribute__((aligned(64))) line {
    char bytes[64];
};

static _Thread_local int counted = 7, written;
static _Thread_local int *own = NULL;
static _Thread_local struct line line;
static _Thread_local const char *name = "initial";
_Thread_local long elsewhere = 5;
static int *of_main;
static atomic_int x;
#ifdef LARGE
static _Thread_local char large[300 << 10];
#endif

static void *nothing(void *_)
{
    return _;
}

static __attribute__((constructor)) void early(void)
{
    pthread_t thread;

    counted++;
    written = 1;
    own = of_main = &written;
#ifdef STARTS
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
#endif
    (void)thread;
    (void)nothing;
}

static void check(int value)
{
    assert(counted == 7 + value && written == value && elsewhere == 5);
    assert(strcmp(name, "initial") == 0 && (uintptr_t)&line % 64 == 0 && line.bytes[63] == 0);
    counted = 20;
    written = 30;
    elsewhere = 6;
    name = "changed";
    line.bytes[63] = 1;
#ifdef LARGE
    for (int i = 0; i < 3; i++)
        assert(large[i * (100 << 10)]++ == 0);
#endif
}

static void *other(void *_)
{
    assert(own == NULL && &written != of_main);
    check(0);
    x++;
    assert(counted == 20 && name[0] == 'c');
    return _;
}

int main(void)
{
    pthread_t thread;

    assert(own == &written && of_main == &written);
    check(1);
    pthread_create(&thread, NULL, other, NULL);
    x++;
    assert(written == 30);
    pthread_join(thread, NULL);
    return 0;
}
