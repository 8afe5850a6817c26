// EXPECT(sc -DV=0): safe
// EXPECT(sc -DV=1): safe
// EXPECT(sc -DV=2): safe
// EXPECT(sc -DV=3): safe
// EXPECT(sc -DV=4): safe
// EXPECT(sc -DV=5): safe

// A length below 0 that is handed to a system call makes it fail, at once.

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int fd, ends[2];

static void *thread(void *argument)
{
    char *block = malloc(100);
    int n = -40;

    (void)block, (void)n;
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
