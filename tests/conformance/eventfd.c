// Counters as descriptors; others that only need to be opened and closed.
#include "conform.h"
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static void program(void)
{
    uint64_t count = 3;
    int fd, byte;

    SYS(fd = eventfd(2, EFD_NONBLOCK));
    SYS(write(fd, &count, sizeof count));
    SYS(read(fd, &count, sizeof count));
    NUM(count);
    SYS(read(fd, &count, sizeof count));
    count = UINT64_MAX;
    SYS(write(fd, &count, sizeof count));
    SYS(write(fd, &byte, 1));
    close(fd);
    SYS(fd = eventfd(2, EFD_SEMAPHORE));
    SYS(read(fd, &count, sizeof count));
    NUM(count);
    close(fd);
    SYS(eventfd(0, 12345));
}
