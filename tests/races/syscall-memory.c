// Memory that the kernel reads and writes for system calls by number, and for calls that only pass on an answer.
// EXPECT(sc -DCALL=0): incomplete says=getcpu
// EXPECT(sc -DCALL=1): data-race
// EXPECT(sc -DCALL=2): data-race
// EXPECT(sc -DCALL=3): data-race
// EXPECT(sc -DCALL=4): data-race
// EXPECT(sc -DCALL=5): data-race
// EXPECT(sc -DCALL=6): data-race
// EXPECT(sc -DCALL=7): data-race
// EXPECT(sc -DCALL=8): data-race
// EXPECT(sc -DCALL=9): data-race
// EXPECT(sc -DCALL=10): data-race
// EXPECT(sc -DCALL=11): data-race
// EXPECT(sc -DCALL=12): data-race
// EXPECT(sc -DCALL=13): data-race
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static union {
    char bytes[512];
    struct utsname name;
    struct timespec time;
    struct rusage usage;
    cpu_set_t processors;
} shared;
static int ends[2], file, set;

static void *clear(void *arg)
{
    memset(shared.bytes, 0, 16);
    return arg;
}

static long call(void)
{
    switch (CALL) {
    case 0: return syscall(SYS_uname, &(struct utsname){0}) + syscall(SYS_getcpu, shared.bytes + 64, NULL, NULL);
    case 1: return syscall(SYS_uname, &shared);
    case 2: return syscall(SYS_gettimeofday, &shared, NULL);
    case 3: return syscall(SYS_sched_getaffinity, 0, sizeof(cpu_set_t), &shared);
    case 4: return syscall(SYS_getcpu, NULL, &shared, NULL);
    case 5: return syscall(SYS_pipe2, &shared, 0);
    case 6: return syscall(SYS_nanosleep, &shared, NULL);
    case 7: return syscall(SYS_epoll_wait, set, &shared, 1, 0);
    case 8: return syscall(SYS_pread64, file, &shared, 4, 0L);
    case 9: return syscall(SYS_pwrite64, file, &shared, 4, 0L);
    case 10: return syscall(SYS_memfd_create, &shared, 0);
    case 11: return uname(&shared.name);
    case 12: return getrusage(RUSAGE_SELF, &shared.usage);
    default: return clock_getres(CLOCK_REALTIME, &shared.time);
    }
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    pthread_t thread;
    long result;

    file = memfd_create("file", 0);
    set = epoll_create1(0);
    if (pipe(ends) != 0 || write(file, "abcd", 4) != 4 || write(ends[1], "x", 1) != 1 ||
        epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) != 0)
        return 1;
    pthread_create(&thread, NULL, clear, NULL);
    result = call();
    pthread_join(thread, NULL);
    return result < 0;
}
