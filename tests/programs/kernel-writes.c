// EXPECT(sc -DV=0): safe
// EXPECT(sc -DV=1): safe
// EXPECT(sc -DV=2): safe
// EXPECT(sc -DV=3): safe
// EXPECT(sc -DV=4): honest
// EXPECT(sc -DV=5): honest
// EXPECT(sc -DV=6): honest
// EXPECT(sc -DV=7): data-race
// EXPECT(sc -DV=8): incomplete says=ioctl: what request 0x[0-9a-f]+ reads and writes is not known

// The kernel can write to all memory of the program, though raddle watches what is written there.

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <fcntl.h>
#include <unistd.h>

static char memory[3 * 8192] __attribute__((aligned(4096)));

static void *thread(void *argument)
{
#if V == 7
    prctl(PR_GET_NAME, memory);
#endif
    return argument;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, thread, NULL);
#if V == 0
    assert(prctl(PR_GET_NAME, memory) == 0);
#elif V == 1 /* each thread has its own */
    prctl(PR_SET_NAME, "first");
    assert(prctl(PR_GET_NAME, memory) == 0 && strcmp(memory, "first") == 0);
#elif V == 2
    assert(prctl(PR_GET_PDEATHSIG, memory) == 0);
#elif V == 3
    assert(ioctl(open("/dev/ptmx", O_RDWR), TIOCGWINSZ, memory) == 0 || errno != EFAULT);
#elif V == 4
    assert(sched_rr_get_interval(0, (void *)memory) == 0);
#elif V == 5
    memset(memory + 8192, 0, sizeof(struct timex));
    assert(adjtimex((void *)memory) >= 0);
#elif V == 6
    assert(timerfd_gettime(timerfd_create(CLOCK_MONOTONIC, 0), (void *)(memory + 8192)) == 0);
#elif V == 7
    memory[0] = 1;
#elif V == 8
    ioctl(1, 0x5480, memory);
#endif
    pthread_join(other, NULL);
    return 0;
}
