// EXPECT: incomplete
// NAMES: brk chroot close_range daemon execl execle execlp execv execve execvp execvpe fexecve popen posix_spawn posix_spawnp setgid setsid setuid shmat system timer_create vfork fork closefrom sbrk alarm setitimer dlopen
// Calls that are not modelled fail, and each is named. On the bare system they would do something.
#include "conform.h"
#include <dlfcn.h>
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

    assert(fork() == -1 && vfork() == -1 && daemon(0, 0) == -1);
    assert(system("true") == -1 && popen("true", "r") == NULL);
    assert(execl("/bin/true", "true", NULL) == -1 && execlp("true", "true", NULL) == -1);
    assert(execle("/bin/true", "true", NULL, none) == -1);
    assert(execv("/bin/true", none) == -1 && execve("/bin/true", none, none) == -1);
    assert(execvp("true", none) == -1 && execvpe("true", none, none) == -1);
    assert(fexecve(0, none, none) == -1);
    assert(posix_spawn(&pid, "/bin/true", NULL, NULL, none, none) != 0);
    assert(posix_spawnp(&pid, "true", NULL, NULL, none, none) != 0);
}

static void program(void)
{
    struct itimerval soon = {.it_value = {.tv_sec = 1}};
    timer_t timer;
    char bytes[8];
    void *library;

    programs();
    assert(chroot("/") == -1 && setsid() == -1 && setuid(0) == -1 && setgid(0) == -1);
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
