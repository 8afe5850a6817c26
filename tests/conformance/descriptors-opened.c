// EXPECT: incomplete
// NAMES: signalfd timerfd_create inotify_init inotify_init1
// Descriptors on which a thread would wait for what is not modelled: refused, and named.
#include "conform.h"
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static void program(void)
{
    sigset_t set;

    sigemptyset(&set);
    assert(signalfd(-1, &set, SFD_NONBLOCK) == -1);
    assert(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK) == -1);
    assert(inotify_init() == -1 && inotify_init1(IN_NONBLOCK) == -1);
}
