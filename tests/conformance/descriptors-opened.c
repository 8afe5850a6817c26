// Descriptors that are only opened and closed.
#include "conform.h"
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static void program(void)
{
    sigset_t set;
    int fd;

    sigemptyset(&set);
    SYS(fd = signalfd(-1, &set, SFD_NONBLOCK));
    SYS(close(fd));
    SYS(fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
    SYS(close(fd));
    SYS(timerfd_create(99, 0));
    SYS(fd = inotify_init());
    SYS(close(fd));
    SYS(fd = inotify_init1(IN_NONBLOCK));
    SYS(close(fd));
    SYS(inotify_init1(99));
}
