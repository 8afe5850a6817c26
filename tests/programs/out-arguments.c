// EXPECT(sc -DV=0): data-race
// EXPECT(sc -DV=1): data-race
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): data-race
// EXPECT(sc -DV=4): data-race
// EXPECT(sc -DV=5): data-race
// EXPECT(sc -DV=6): data-race
// EXPECT(sc -DV=7): data-race
// EXPECT(sc -DV=8): data-race
// EXPECT(sc -DV=9): data-race
// EXPECT(sc -DV=10): data-race
// EXPECT(sc -DV=11): data-race
// EXPECT(sc -DV=2 -DPOINTER): data-race
// EXPECT(sc -DV=12): safe
// EXPECT(sc -DV=13): safe
// EXPECT(sc -DV=14): safe

// What functions write for their caller, or read, counts as accesses of the caller.

#define _GNU_SOURCE
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static union {
    void *pointer;
    int number;
    pthread_key_t key;
    sigset_t set;
    struct sigaction action;
    struct timespec time;
    struct iovec vector;
    socklen_t size;
    char text[200];
} shared;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *access_it(void *ends)
{
    int fd = *(int *)ends, number = 0;
    socklen_t size = sizeof number;

    (void)fd, (void)size, (void)number;
#if V == 0
    posix_memalign(&shared.pointer, 64, 10);
#elif V == 1
    pthread_key_create(&shared.key, NULL);
#elif V == 2
    int (*volatile f)(int, const sigset_t *, sigset_t *) = pthread_sigmask;
#ifdef POINTER
    f(SIG_BLOCK, NULL, &shared.set);
#else
    pthread_sigmask(SIG_BLOCK, NULL, &shared.set);
#endif
#elif V == 3
    getsockopt(socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, SO_TYPE, &shared.number, &size);
#elif V == 4
    ioctl(fd, FIONREAD, &shared.number);
#elif V == 5
    pthread_getname_np(pthread_self(), shared.text, 16);
#elif V == 6
    sigaction(SIGUSR1, NULL, &shared.action);
#elif V == 7
    pthread_mutex_timedlock(&mutex, &shared.time);
#elif V == 8
    getsockopt(socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, SO_TYPE, &number, &shared.size);
#elif V == 9
    readv(fd, &shared.vector, 0 + 1);
#elif V == 10
    epoll_pwait2(epoll_create1(0), (struct epoll_event[1]){{0}}, 1, &shared.time, NULL);
#elif V == 11
    pthread_setaffinity_np(pthread_self(), sizeof shared, (void *)&shared);
#elif V == 12 /* a call that fails writes nothing */
    posix_memalign(&shared.pointer, 3, 10);
#elif V == 13
    waitpid(-1, &shared.number, WNOHANG);
#else
    getsockopt(fd, SOL_SOCKET, SO_TYPE, &shared.number, &size);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    volatile char seen;
    int ends[2];

    if (pipe(ends) || write(ends[1], "x", 1) != 1)
        return 1;
#if V == 9
    static char byte;
    shared.vector = (struct iovec){&byte, 1};
#endif
    pthread_create(&thread, NULL, access_it, ends);
#if V >= 7 && V <= 11
    shared.text[0] = 0;
#endif
    seen = shared.text[0];
    (void)seen;
    pthread_join(thread, NULL);
    return 0;
}
