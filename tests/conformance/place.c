// EXPECT: incomplete
// What the kernel and libc keep for the process: directory, mask, limits, environment.
#include "conform.h"
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>

static char place[4096], variable[] = "CONFORM_B=2";

static void limits(void)
{
    struct rlimit limit, now;
    struct rlimit64 limit64;

    SYS(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = 77;
    SYS(setrlimit(RLIMIT_NOFILE, &limit));
    SYS(getrlimit(RLIMIT_NOFILE, &now));
    NUM(now.rlim_cur);
    SYS(getrlimit64(RLIMIT_NOFILE, &limit64));
    NUM(limit64.rlim_cur);
    limit64.rlim_cur = 78;
    SYS(setrlimit64(RLIMIT_NOFILE, &limit64));
    SYS(getrlimit(RLIMIT_NOFILE, &now));
    NUM(now.rlim_cur);
    limit.rlim_cur = 100;
    limit.rlim_max = 99;
    SYS(setrlimit(RLIMIT_NOFILE, &limit));
    SYS(getrlimit(99, &limit));
}

static void environment(void)
{
    TEXT(getenv("CONFORM_A"));
    SYS(setenv("CONFORM_A", "1", 0));
    SYS(setenv("CONFORM_A", "2", 0));
    TEXT(getenv("CONFORM_A"));
    SYS(setenv("CONFORM_A", "3", 1));
    TEXT(getenv("CONFORM_A"));
    SYS(setenv("CONFORM=A", "3", 1));
    SYS(putenv(variable));
    variable[10] = '5';
    TEXT(getenv("CONFORM_B"));
    SYS(unsetenv("CONFORM_A"));
    TEXT(getenv("CONFORM_A"));
}

static void machine(void)
{
    struct utsname name;
    struct sysinfo info;
    struct rusage usage;
    struct itimerval timer;
    uid_t uids[3];
    gid_t gids[3], group[1];

    SYS(uname(&name));
    TEXT(name.sysname);
    SYS(sysinfo(&info));
    NUM(info.totalram > 0);
    SYS(getrusage(RUSAGE_SELF, &usage));
    SYS(getrusage(99, &usage));
    SYS(getitimer(ITIMER_REAL, &timer));
    NUM(timer.it_value.tv_sec);
    SYS(getitimer(99, &timer));
    SYS(getresuid(&uids[0], &uids[1], &uids[2]));
    NUM(uids[0] == getuid() && uids[1] == geteuid());
    SYS(getresgid(&gids[0], &gids[1], &gids[2]));
    NUM(gids[0] == getgid());
    NUM(getgroups(0, group) >= 0);
}

static void program(void)
{
    int fd;

    PTR(getcwd(place, sizeof place));
    NUM(strcmp(place, "/") != 0);
    fd = open(".", O_RDONLY | O_DIRECTORY);
    SYS(chdir("/"));
    TEXT(getcwd(place, sizeof place));
    PTR(getcwd(place, 1));
    SYS(chdir("/nowhere at all"));
    SYS(fchdir(fd));
    PTR(getcwd(place, sizeof place));
    NUM(strcmp(place, "/") != 0);
    SYS(fchdir(999));
    close(fd);
    umask(022);
    NUM(umask(077));
    NUM(umask(022));
    limits();
    environment();
    machine();
}
