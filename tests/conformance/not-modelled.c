// EXPECT: incomplete
// NAMES: aio_fsync aio_fsync64 aio_read aio_read64 aio_write aio_write64 getaddrinfo_a lio_listio lio_listio64 mq_notify brk chroot close_range daemon execl execle execlp execv execve execvp execvpe fexecve popen posix_spawn posix_spawnp setgid setsid setuid shmat system timer_create vfork fork _Fork forkpty clone closefrom sbrk alarm setitimer dlopen
// Calls that are not modelled fail, and each is named. On the bare system they would do something.
#include "conform.h"
#include <aio.h>
#include <dlfcn.h>
#include <mqueue.h>
#include <netdb.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/time.h>

static char *const none[] = {NULL};

static void programs(void)
{
    pid_t pid;
    int side;

    assert(fork() == -1 && vfork() == -1 && _Fork() == -1 && daemon(0, 0) == -1);
    assert(forkpty(&side, NULL, NULL, NULL) == -1 && clone(NULL, NULL, 0, NULL) == -1);
    assert(system("true") == -1 && popen("true", "r") == NULL);
    assert(execl("/bin/true", "true", NULL) == -1 && execlp("true", "true", NULL) == -1);
    assert(execle("/bin/true", "true", NULL, none) == -1);
    assert(execv("/bin/true", none) == -1 && execve("/bin/true", none, none) == -1);
    assert(execvp("true", none) == -1 && execvpe("true", none, none) == -1);
    assert(fexecve(0, none, none) == -1);
    assert(posix_spawn(&pid, "/bin/true", NULL, NULL, none, none) != 0);
    assert(posix_spawnp(&pid, "true", NULL, NULL, none, none) != 0);
}

/* What libc would do by threads of its own. */
static void helpers(void)
{
    static struct aiocb block, *list[] = {&block};
    static struct aiocb64 block64, *list64[] = {&block64};
    static struct gaicb request, *requests[] = {&request};

    assert(aio_read(&block) == -1 && aio_write(&block) == -1 && aio_fsync(O_SYNC, &block) == -1);
    assert(aio_read64(&block64) == -1 && aio_write64(&block64) == -1);
    assert(aio_fsync64(O_SYNC, &block64) == -1);
    assert(lio_listio(LIO_NOWAIT, list, 1, NULL) == -1);
    assert(lio_listio64(LIO_NOWAIT, list64, 1, NULL) == -1);
    assert(mq_notify(0, NULL) == -1 && getaddrinfo_a(GAI_NOWAIT, requests, 1, NULL) != 0);
}

static void program(void)
{
    struct itimerval soon = {.it_value = {.tv_sec = 1}};
    timer_t timer;
    char bytes[8];
    void *library;

    programs();
    helpers();
    assert(chroot("/") == -1 && setsid() == -1 && setuid(getuid() + 1) == -1 &&
           setgid(getgid() + 1) == -1);
    assert(brk(NULL) == -1 && sbrk(4096) == (void *)-1 && shmat(0, NULL, 0) == (void *)-1);
    assert(close_range(3, 100, 0) == -1);
    closefrom(3);
    assert(timer_create(CLOCK_REALTIME, NULL, &timer) == -1);
    alarm(5);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert(getrandom(bytes, sizeof bytes, 0) == sizeof bytes && getentropy(bytes, 4) == 0);
    library = dlopen("libm.so.6", RTLD_NOW);
    assert(library && dlclose(library) == 0);
}
