// EXPECT(sc -DV=0): assertion
// EXPECT(sc -DV=1): assertion
// EXPECT(sc -DV=2): assertion
// EXPECT(sc -DV=3): safe
// OPTIONS: --races=ignore

// Where plain accesses are steps, what functions write for their caller is written in steps of its own.

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int number = -1;
static void *pointer;

static void *access_it(void *argument)
{
#if V == 0
    posix_memalign(&pointer, 64, 10);
#elif V == 1
    socklen_t size = sizeof number;
    getsockopt(socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, SO_TYPE, &number, &size);
#elif V == 2
    pthread_getschedparam(pthread_self(), &number, &(struct sched_param){0});
#else
    posix_memalign(&pointer, 3, 10); /* fails */
#endif
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, access_it, NULL);
    assert(!pointer && number == -1); /* in one of both orders */
    pthread_join(thread, NULL);
#if V == 0
    assert(pointer && (unsigned long)pointer % 64 == 0);
#elif V < 3
    assert(number != -1);
#endif
    return 0;
}
