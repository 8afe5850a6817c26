// EXPECT(sc -DV=0): safe
// EXPECT(sc -DV=1): safe
// EXPECT(sc -DV=2): safe
// EXPECT(sc -DV=3): safe
// EXPECT(sc -DV=4): safe
// EXPECT(sc -DV=5): safe
// EXPECT(sc -DV=6): memory
// EXPECT(sc -DV=7): memory
// EXPECT(sc -DV=8): memory says=as a signed number that is -40
// EXPECT(sc -DV=9): safe
// EXPECT(sc -DV=10): memory says=no object is so large
// EXPECT(sc -DV=10 -O2): memory

// A length below 0 that is handed to a system call makes it fail, and one that is handed to memset or memmove is an error of memory, at once.

#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int fd, ends[2];
static char here[100];

static void *thread(void *argument)
{
    char *block = malloc(100);
    volatile long n = -40;

    (void)block, (void)n, (void)here;
#if V == 0
    assert(pwrite(fd, block, n, 0) < 0);
#elif V == 1
    assert(read(fd, block, n) < 0);
#elif V == 2
    assert(write(ends[1], block, n) < 0);
#elif V == 3
    assert(readv(ends[0], &(struct iovec){block, n}, 1) < 0);
#elif V == 4
    assert(recvfrom(ends[0], block, n, 0, NULL, NULL) < 0);
#elif V == 6
    memset(block, 0, n);
#elif V == 7
    memcpy(here, block, n);
#elif V == 8
    memset(here, 0, n);
#elif V == 10
    memmove(here + 10, here, n); /* libc comes back from that */
#elif V == 9
    assert(getentropy(here, n) < 0);
#else
    assert(writev(fd, &(struct iovec){block, 1}, -1) < 0);
#endif
    return argument;
}

int main(void)
{
    pthread_t threads[2];

    fd = open("/dev/null", O_RDWR);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
