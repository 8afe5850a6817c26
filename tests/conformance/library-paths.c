// EXPECT: incomplete
// Functions that take paths, and those about the process and the machine.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <termios.h>
#include <utime.h>

static void names(void)
{
    SYS(mkdir("conform.dir", 0700));
    SYS(mkdirat(AT_FDCWD, "conform.dir/sub", 0700));
    SYS(mkdir("conform.dir", 0700));
    close(creat("conform.dir/a", 0600));
    SYS(access("conform.dir/a", R_OK));
    SYS(access("conform.dir/none", F_OK));
    SYS(faccessat(AT_FDCWD, "conform.dir/a", W_OK, 0));
    SYS(euidaccess("conform.dir/a", R_OK));
    SYS(link("conform.dir/a", "conform.dir/b"));
    SYS(renameat(AT_FDCWD, "conform.dir/b", AT_FDCWD, "conform.dir/c"));
    SYS(renameat2(AT_FDCWD, "conform.dir/c", AT_FDCWD, "conform.dir/a", RENAME_NOREPLACE));
    SYS(chmod("conform.dir/c", 0640));
    SYS(fchmodat(AT_FDCWD, "conform.dir/c", 0600, 0));
    SYS(chown("conform.dir/c", (uid_t)-1, (gid_t)-1));
    SYS(lchown("conform.dir/c", (uid_t)-1, (gid_t)-1));
    SYS(fchownat(AT_FDCWD, "conform.dir/c", (uid_t)-1, (gid_t)-1, 0));
    SYS(truncate("conform.dir/c", 100));
    SYS(truncate64("conform.dir/c", 50));
    SYS(mkfifo("conform.dir/fifo", 0600));
    SYS(unlinkat(AT_FDCWD, "conform.dir/fifo", 0));
    SYS(unlinkat(AT_FDCWD, "conform.dir/sub", AT_REMOVEDIR));
    SYS(rmdir("conform.dir"));
}

static void change_times(void)
{
    struct utimbuf both = {5, 6};
    struct timeval values[2] = {{7, 0}, {8, 0}};
    struct timespec specs[2] = {{9, 0}, {10, 0}};
    struct stat status;
    int fd = open("conform.dir/a", O_RDWR);

    SYS(utime("conform.dir/a", &both));
    SYS(utimes("conform.dir/a", values));
    SYS(futimes(fd, values));
    SYS(futimens(fd, specs));
    SYS(utimensat(AT_FDCWD, "conform.dir/a", specs, 0));
    stat("conform.dir/a", &status);
    NUM(status.st_mtime);
    SYS(fchmod(fd, 0600));
    SYS(fchown(fd, (uid_t)-1, (gid_t)-1));
    SYS(ftruncate64(fd, 10));
    CODE(posix_fallocate(fd, 0, 20));
    CODE(posix_fallocate64(fd, 0, 20));
    CODE(posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL));
    CODE(posix_fadvise64(fd, 0, 0, POSIX_FADV_NORMAL));
    SYS(fsync(fd));
    SYS(fdatasync(fd));
    SYS(lockf(fd, F_TLOCK, 0));
    close(fd);
}

static void directories(void)
{
    struct statvfs status;
    glob_t found;
    DIR *d = opendir("conform.dir");
    long at;

    NUM(readdir(d) != NULL);
    at = telldir(d);
    NUM(readdir64(d) != NULL);
    seekdir(d, at);
    rewinddir(d);
    closedir(d);
    d = fdopendir(open("conform.dir", O_RDONLY));
    NUM(d != NULL);
    closedir(d);
    SYS(statvfs(".", &status));
    SYS(fstatvfs(0, &status));
    NUM(glob("conform.dir/*", 0, NULL, &found));
    NUM(found.gl_pathc);
    TEXT(found.gl_pathv[0]);
    globfree(&found);
    NUM(fnmatch("a*c", "abc", 0));
    NUM(fnmatch("a*d", "abc", 0));
}

static void machine(void)
{
    char name[256] = "";
    struct termios terminal;

    NUM(isatty(0));
    TEXT(ttyname(0));
    SYS(tcgetattr(0, &terminal));
    SYS(tcsetattr(0, TCSANOW, &terminal));
    SYS(gethostname(name, sizeof name));
    NUM(strlen(name) > 0);
    NUM(getpid() > 0 && getppid() > 0);
    NUM(getuid() == geteuid() && getgid() == getegid());
    NUM(getpgrp() > 0 && getpgid(0) > 0 && getsid(0) >= 0);
    NUM(getpriority(PRIO_PROCESS, 0));
    NUM(sysconf(_SC_PAGESIZE) == getpagesize());
    NUM(pathconf("/", _PC_NAME_MAX));
    NUM(fpathconf(0, _PC_PIPE_BUF) != 0);
    NUM(confstr(_CS_PATH, name, sizeof name) > 0);
    TEXT(getpwuid(0)->pw_name);
    NUM(getpwnam("root")->pw_uid);
    TEXT(getgrgid(0)->gr_name);
    NUM(getgrnam("root")->gr_gid);
    NUM(getpwnam("no such user") == NULL);
    TEXT(getlogin());
}

static void program(void)
{
    mkdir("conform.dir", 0700);
    close(creat("conform.dir/a", 0600));
    directories();
    change_times();
    machine();
    unlink("conform.dir/a");
    rmdir("conform.dir");
    names();
    unlink("conform.dir/a");
    unlink("conform.dir/c");
    SYS(rmdir("conform.dir"));
}
