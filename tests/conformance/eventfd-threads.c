// Reading a counter waits until it is not 0.
#include "conform.h"
#include <sys/eventfd.h>

static int counter, semaphore;

static void *adds(void *argument)
{
    uint64_t five = 5;

    write(counter, &five, sizeof five);
    return argument;
}

static void *takes(void *argument)
{
    uint64_t count = 0;

    read(semaphore, &count, sizeof count);
    return (void *)count;
}

static void program(void)
{
    uint64_t count = 0;
    pthread_t a, b;
    void *result;

    SYS(counter = eventfd(0, 0));
    SYS(semaphore = eventfd(0, EFD_SEMAPHORE));
    pthread_create(&a, NULL, adds, NULL);
    SYS(read(counter, &count, sizeof count));
    NUM(count);
    pthread_join(a, NULL);
    pthread_create(&a, NULL, takes, NULL);
    pthread_create(&b, NULL, takes, NULL);
    count = 2;
    write(semaphore, &count, sizeof count);
    pthread_join(a, &result);
    NUM((long)result);
    pthread_join(b, &result);
    NUM((long)result);
    SYS(eventfd_write(counter, 3));
    SYS(eventfd_read(counter, &count));
    NUM(count);
}
