// A program that maps memory until there is no more is told so.
// EXPECT: safe executions=2
#include "common.h"
#include <errno.h>
#include <sys/mman.h>

static atomic_int x;

static void *writes(void *argument)
{
    x = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *last = NULL, *next;

    while ((next = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
        last = next;
    assert(errno == ENOMEM && last);
    pthread_create(&thread, NULL, writes, NULL);
    (void)x;
    assert(munmap(last, 4096) == 0);
    assert(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    pthread_join(thread, NULL);
    return 0;
}
