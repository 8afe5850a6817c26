#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/files/files.h"
#include "runtime/files/mapping.h"
#include "runtime/gate/chance.h"
#include "runtime/gate/gate.h"
#include "runtime/hooks/plain.h"

#undef fread_unlocked /* a macro when optimizing */

/* Calls that let the kernel write to memory of the program, or move an offset. What libc itself writes after the
 * call (sigaction, statvfs, tcgetattr…) faults as any code does, and needs nothing. */

#define LARGE_READ ((size_t)64 << 10)

#define TOUCH(object) touch(object, sizeof *(object))

static void touch(const void *start, size_t size)
{
    if (start)
        image_touch((void *)start, size);
}

/* May clear pages. */
static void advise(void *start, size_t size, int advice)
{
    if (mapping_is_emptied(advice)) {
        kernel_changes++;
        mapping_taken("madvise", start, size, true);
    }
    touch(start, size);
}

/* All that is opened is restored from then on, so it pays to know that a file is smaller than the buffer. Files in
 * /proc say that they are empty. */
void files_touch_read(int fd, void *buffer, size_t size)
{
    struct stat status;

    if (size > LARGE_READ && syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size > 0 && (size_t)status.st_size < size)
        size = (size_t)status.st_size;
    touch(buffer, size);
}

/* Where descriptors 1 and 2 lead is the driver's business, and what was written there is never read. */
void files_writing(int fd)
{
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
        return;
    state_fd_moving(fd);
    if (state_fd_is_of_start(fd))
        gate_keep_open(fd, UNDO_CONTENT); /* others were kept when they were opened */
}

void files_reading(int fd, void *buffer, size_t size)
{
    streams_moving(fd);
    files_touch_read(fd, buffer, size);
}

static void named(const char *path)
{
    files_named(AT_FDCWD, path, false);
}

static void described(int fd)
{
    channels_or_file(fd);
    files_shared(fd, false, false);
}

/* By its name, or by the descriptor alone. */
static void asked(int at, const char *path, int flags)
{
    if (flags & AT_EMPTY_PATH && path && !*path)
        described(at);
    else
        files_named(at, path, false);
}

/* ---- reading and writing. Names in __..._chk are those that _FORTIFY_SOURCE puts in. */

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__getcwd_chk(char *, size_t, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);

PASS_THROUGH(ssize_t, getdents64, (int fd, void *to, size_t n), (fd, to, n), streams_moving(fd);
             touch(to, n))

/* Streams read into buffers of their own, but large pieces straight to where they are wanted. */

PASS_THROUGH(size_t, fread, (void *restrict to, size_t size, size_t n, FILE *restrict f),
             (to, size, n, f), files_touch_read(fileno(f), to, size *n))
PASS_THROUGH(size_t, fread_unlocked, (void *restrict to, size_t size, size_t n, FILE *restrict f),
             (to, size, n, f), files_touch_read(fileno(f), to, size *n))
PASS_THROUGH(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t n, FILE *f),
             (to, room, size, n, f), files_touch_read(fileno(f), to, size *n))
PASS_THROUGH(size_t, __fread_unlocked_chk, (void *to, size_t room, size_t size, size_t n, FILE *f),
             (to, room, size, n, f), files_touch_read(fileno(f), to, size *n))
PASS_THROUGH(int, setvbuf, (FILE *restrict f, char *restrict buffer, int how, size_t n),
             (f, buffer, how, n), touch(buffer, n))
PASS_THROUGH(void, setbuf, (FILE *restrict f, char *restrict buffer), (f, buffer),
             touch(buffer, BUFSIZ))
PASS_THROUGH(void, setbuffer, (FILE *restrict f, char *restrict buffer, size_t n), (f, buffer, n),
             touch(buffer, n))

/* ---- about files. The names with an x are of programs that were built long ago. */

int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);

PASS_THROUGH(int, stat, (const char *restrict path, struct stat *restrict to), (path, to),
             named(path);
             TOUCH(to))
PASS_THROUGH(int, stat64, (const char *restrict path, struct stat64 *restrict to), (path, to),
             named(path);
             TOUCH(to))
PASS_THROUGH(int, lstat, (const char *restrict path, struct stat *restrict to), (path, to),
             named(path);
             TOUCH(to))
PASS_THROUGH(int, lstat64, (const char *restrict path, struct stat64 *restrict to), (path, to),
             named(path);
             TOUCH(to))
PASS_THROUGH(int, fstat, (int fd, struct stat *to), (fd, to), described(fd); TOUCH(to))
PASS_THROUGH(int, fstat64, (int fd, struct stat64 *to), (fd, to), described(fd); TOUCH(to))
PASS_THROUGH(int, fstatat, (int fd, const char *restrict path, struct stat *restrict to, int flags),
             (fd, path, to, flags), asked(fd, path, flags);
             TOUCH(to))
PASS_THROUGH(int, fstatat64,
             (int fd, const char *restrict path, struct stat64 *restrict to, int flags),
             (fd, path, to, flags), asked(fd, path, flags);
             TOUCH(to))
PASS_THROUGH(int, __xstat, (int v, const char *path, struct stat *to), (v, path, to), named(path);
             TOUCH(to))
PASS_THROUGH(int, __lxstat, (int v, const char *path, struct stat *to), (v, path, to), named(path);
             TOUCH(to))
PASS_THROUGH(int, __fxstat, (int v, int fd, struct stat *to), (v, fd, to), described(fd); TOUCH(to))
PASS_THROUGH(int, statx,
             (int fd, const char *restrict path, int flags, unsigned mask,
              struct statx *restrict to),
             (fd, path, flags, mask, to), asked(fd, path, flags);
             TOUCH(to))
PASS_THROUGH(int, statfs, (const char *path, struct statfs *to), (path, to), TOUCH(to))
PASS_THROUGH(int, statfs64, (const char *path, struct statfs64 *to), (path, to), TOUCH(to))
PASS_THROUGH(int, fstatfs, (int fd, struct statfs *to), (fd, to), TOUCH(to))
PASS_THROUGH(int, fstatfs64, (int fd, struct statfs64 *to), (fd, to), TOUCH(to))
PASS_THROUGH(char *, getcwd, (char *to, size_t n), (to, n), files_place(false); touch(to, n))
PASS_THROUGH(char *, __getcwd_chk, (char *to, size_t n, size_t room), (to, n, room),
             files_place(false);
             touch(to, n))
PASS_THROUGH(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t n),
             (path, to, n), touch(to, n))
PASS_THROUGH(ssize_t, readlinkat, (int fd, const char *restrict path, char *restrict to, size_t n),
             (fd, path, to, n), touch(to, n))
PASS_THROUGH(ssize_t, __readlink_chk, (const char *path, char *to, size_t n, size_t room),
             (path, to, n, room), touch(to, n))
PASS_THROUGH(ssize_t, __readlinkat_chk, (int fd, const char *path, char *to, size_t n, size_t room),
             (fd, path, to, n, room), touch(to, n))
PASS_THROUGH(ssize_t, getxattr, (const char *path, const char *name, void *to, size_t n),
             (path, name, to, n), touch(to, n))
PASS_THROUGH(ssize_t, fgetxattr, (int fd, const char *name, void *to, size_t n), (fd, name, to, n),
             touch(to, n))
PASS_THROUGH(ssize_t, listxattr, (const char *path, char *to, size_t n), (path, to, n),
             touch(to, n))

/* ---- about the process and the machine */

PASS_THROUGH(int, uname, (struct utsname * to), (to), TOUCH(to))
PASS_THROUGH(int, sysinfo, (struct sysinfo * to), (to), chance_named("sysinfo"); TOUCH(to))
PASS_THROUGH(int, getrusage, (__rusage_who_t who, struct rusage *to), (who, to),
             chance_named("getrusage");
             TOUCH(to))
PASS_THROUGH(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to), TOUCH(to))
PASS_THROUGH(int, getrlimit64, (__rlimit_resource_t what, struct rlimit64 *to), (what, to),
             TOUCH(to))
PASS_THROUGH(int, clock_getres, (clockid_t clock, struct timespec *to), (clock, to), TOUCH(to))
PASS_THROUGH(int, getitimer, (__itimer_which_t which, struct itimerval *to), (which, to), TOUCH(to))
PASS_THROUGH(int, getgroups, (int n, gid_t to[]), (n, to),
             touch(to, n > 0 ? (size_t)n * sizeof *to : 0))
PASS_THROUGH(int, getresuid, (uid_t * real, uid_t *effective, uid_t *saved),
             (real, effective, saved), TOUCH(real);
             TOUCH(effective); TOUCH(saved))
PASS_THROUGH(int, getresgid, (gid_t * real, gid_t *effective, gid_t *saved),
             (real, effective, saved), TOUCH(real);
             TOUCH(effective); TOUCH(saved))
PASS_THROUGH(int, sched_getaffinity, (pid_t pid, size_t n, cpu_set_t *to), (pid, n, to),
             touch(to, n))
PASS_THROUGH(int, sched_getparam, (pid_t pid, struct sched_param *to), (pid, to), TOUCH(to))
PASS_THROUGH(int, mincore, (void *start, size_t n, unsigned char *to), (start, n, to),
             native_writes(to, (n + 4095) / 4096);
             touch(to, (n + 4095) / 4096))
PASS_THROUGH(int, madvise, (void *start, size_t n, int advice), (start, n, advice),
             advise(start, n, advice))
PASS_THROUGH(pid_t, wait, (int *status), (status), TOUCH(status))
PASS_THROUGH(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options),
             TOUCH(status))
PASS_THROUGH(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
             (type, id, info, options), TOUCH(info))
