// System calls by number are what libc's functions are, threads have numbers of their own, and processes are not made.
// EXPECT(all): safe
// EXPECT(sc -DNUMBERS): incomplete says=getpid: it is another one each time
// EXPECT(sc -DFORKS): incomplete says=the system call fork
// EXPECT(sc -DCLONES): incomplete says=not modelled: .*clone
// EXPECT(sc -DUNKNOWN): incomplete says=does not see into syscall
// EXPECT(sc -DLOCKS): deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static pid_t numbers[2];

static int nothing(void *arg)
{
    return arg != NULL;
}

static void *reader(void *arg)
{
    char byte = 0;

    numbers[1] = (pid_t)syscall(SYS_gettid);
    assert(syscall(SYS_read, ends[0], &byte, 1) == 1 && byte == 'x');
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct timespec time, bad = {0, -1};
    char stack[64];

    numbers[0] = gettid();
#ifdef NUMBERS
    assert(numbers[0] == getpid() && syscall(SYS_getpid) == getpid());
#endif
    assert(syscall(SYS_pipe2, ends, 0) == 0);
    assert(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time) == 0);
    assert(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &bad, NULL) == -1 && errno == EINVAL);
    assert(syscall(SYS_read, -1, &time, 1) == -1 && errno == EBADF);
    pthread_create(&thread, NULL, reader, NULL);
#ifdef FORKS
    assert(syscall(SYS_fork) == -1 && errno == ENOSYS);
#elif defined CLONES
    assert(clone(nothing, stack + sizeof stack, 0, NULL) == -1 && errno == ENOSYS);
#elif defined UNKNOWN
    syscall(SYS_personality, 0xffffffff);
#endif
#ifndef LOCKS
    assert(syscall(SYS_write, ends[1], "x", 1) == 1);
#endif
    pthread_join(thread, NULL);
    assert(numbers[0] != numbers[1]);
    assert(!nothing(NULL) && stack);
    return 0;
}
