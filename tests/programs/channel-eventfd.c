// An event counter as a semaphore, and as a sum that is taken at once.
// EXPECT(all): safe
// EXPECT(sc -DTWICE): deadlock at=read
#include "common.h"
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter, semaphore;

static void *giver(void *_)
{
    uint64_t n = 2;

    assert(write(counter, &n, 8) == 8);
    assert(eventfd_write(semaphore, 2) == 0);
    return NULL;
}

static void *taker(void *_)
{
    uint64_t n;

    assert(read(semaphore, &n, 8) == 8 && n == 1);
    assert(read(semaphore, &n, 8) == 8 && n == 1);
    assert(read(counter, &n, 8) == 8 && n == 5);
#ifdef TWICE
    read(counter, &n, 8); /* read */
#endif
    return NULL;
}

int main(void)
{
    uint64_t n = UINT64_MAX - 1;
    int fd = eventfd(0, EFD_NONBLOCK);

    counter = eventfd(3, EFD_CLOEXEC);
    semaphore = eventfd(0, EFD_SEMAPHORE);
    assert(fd >= 0 && counter >= 0 && semaphore >= 0);
    assert(read(fd, &n, 8) == -1 && errno == EAGAIN);
    assert(write(fd, &n, 8) == 8);
    n = 1;
    assert(write(fd, &n, 8) == -1 && errno == EAGAIN);
    assert(read(fd, &n, 8) == 8 && n == UINT64_MAX - 1);
    assert(read(fd, &n, 4) == -1 && errno == EINVAL);
    run2(giver, taker);
    return 0;
}
