// What one thread does to a file or a descriptor, and what another one sees of it: both orders of each pair, and so two lines of the report for each.
// OPTIONS: --keep-going
// EXPECT: assertion bugs=76
// EXPECT(sc -DNAMED=0): incomplete says=not modelled: chdir while other threads use names relative to the directory
// EXPECT(sc -DNAMED=1): incomplete says=not modelled: umask while there are other threads
// EXPECT(sc -DNAMED=2): incomplete says=not modelled: a file that is mapped, and changed, and used otherwise, too
// EXPECT(sc -DNAMED=3): incomplete says=not modelled: a file that is mapped twice, and changed
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <raddle.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#define PLACE "raddle-file-orders"

static int fd, other, source, ends[2], ends2[2], one = 1, got;
static char text[64];
static struct iovec x = {"x", 1}, to = {text, 1};
static struct stat status;

static int first(int file) // its first byte
{
    char byte = '-';

    return pread(file, &byte, 1, 0) == 1 ? byte : '-';
}

static long size(int file)
{
    struct stat now;

    fstat(file, &now);
    return now.st_size;
}

static void files(void) // one file that is open twice, and one with an x in it
{
    mkdir(PLACE, 0700);
    fd = open(PLACE "/file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    other = open(PLACE "/file", O_RDWR);
    source = open(PLACE "/source", O_RDWR | O_CREAT | O_TRUNC, 0600);
    pwrite(source, "x", 1, 0);
}

// name, before, one thread, the other thread, whether the first came first
#define CASES                                                                                      \
    CASE(pwritev, files(), pwritev(fd, &x, 1, 0), got = first(other), got == 'x')                  \
    CASE(pwritev2, files(), pwritev2(fd, &x, 1, 0, 0), got = first(other), got == 'x')             \
    CASE(preadv, files(), pwrite(fd, "x", 1, 0), preadv(other, &to, 1, 0), *text == 'x')           \
    CASE(preadv2, files(), pwrite(fd, "x", 1, 0), preadv2(other, &to, 1, -1, 0), *text == 'x')     \
    CASE(copied_to, files(), copy_file_range(source, 0, fd, 0, 1, 0), got = first(other), got == 'x') \
    CASE(copied_from, files(), pwrite(source, "y", 1, 0), copy_file_range(source, 0, fd, 0, 1, 0), first(fd) == 'y') \
    CASE(sent_to, files(), sendfile(fd, source, 0, 1), got = first(other), got == 'x')             \
    CASE(sent_from, files(), pwrite(source, "y", 1, 0), sendfile(fd, source, 0, 1), first(fd) == 'y') \
    CASE(ftruncate, files(), ftruncate(fd, 7), got = size(other), got == 7)                        \
    CASE(fallocate, files(), fallocate(fd, 0, 0, 7), got = size(other), got == 7)                  \
    CASE(posix_fallocate, files(), posix_fallocate(fd, 0, 7), got = size(other), got == 7)         \
    CASE(fchmod, files(), fchmod(fd, 0400), fstat(other, &status), (status.st_mode & 0777) == 0400) \
    CASE(chmod, files(), chmod(PLACE "/file", 0400), fstat(other, &status), (status.st_mode & 0777) == 0400) \
    CASE(unlink, files(), unlink(PLACE "/file"), fstat(other, &status), status.st_nlink == 0)      \
    CASE(stream, files(), stream_write(), got = first(other), got == 'x')                          \
    CASE(dprintf, files(), dprintf(fd, "%s", "x"), got = first(other), got == 'x')                 \
    CASE(append, (files(), pwrite(fd, "ab", 2, 0)), fcntl(fd, F_SETFL, O_APPEND), write(fd, "x", 1), first(other) != 'x') \
    CASE(getfl, files(), fcntl(fd, F_SETFL, O_APPEND), got = fcntl(fd, F_GETFL), got & O_APPEND)   \
    CASE(setfd, files(), fcntl(fd, F_SETFD, FD_CLOEXEC), got = fcntl(fd, F_GETFD), got)            \
    CASE(hard_link, (files(), unlink(PLACE "/link"), link(PLACE "/file", PLACE "/link"), other = open(PLACE "/link", O_RDWR)), \
         pwrite(fd, "x", 1, 0), got = first(other), got == 'x')                                    \
    CASE(symbolic_link, (files(), unlink(PLACE "/link"), symlink("file", PLACE "/link")),           \
         truncate(PLACE "/link", 7), got = size(other), got == 7)                                  \
    CASE(dup2_file, files(), dup2(source, fd), got = first(fd), got == 'x')                        \
    CASE(dup3_file, files(), dup3(source, fd, 0), got = first(fd), got == 'x')                     \
    CASE(dup2_pipe, (pipe(ends), pipe(ends2), write(ends[1], "x", 1), write(ends2[1], "y", 1)),    \
         dup2(ends2[0], ends[0]), read(ends[0], text, 1), *text == 'y')                            \
    CASE(pipe_to_file, (files(), pipe(ends), write(ends[1], "y", 1)), dup2(source, ends[0]), read(ends[0], text, 1), *text == 'x') \
    CASE(file_to_pipe, (files(), pipe(ends), write(ends[1], "y", 1)), dup2(ends[0], source), read(source, text, 1), *text == 'y') \
    CASE(close_read, files(), close(source), got = read(source, text, 1), got < 0)                 \
    CASE(close_write, files(), close(fd), got = write(fd, "x", 1), got < 0)                        \
    CASE(close_fstat, files(), close(fd), got = fstat(fd, &status), got < 0)                       \
    CASE(close_fsync, files(), close(fd), got = fsync(fd), got < 0)                                \
    CASE(close_isatty, files(), close(fd), (isatty(fd), got = errno), got == EBADF)                \
    CASE(close_dup, files(), close(fd), got = dup(fd), got < 0)                                    \
    CASE(close_twice, files(), close(fd), got = close(fd), got == 0)                               \
    CASE(close_pipe, (pipe(ends), write(ends[1], "x", 1)), close(ends[0]), got = read(ends[0], text, 1), got < 0) \
    CASE(nonblock, pipe(ends), (fcntl(ends[0], F_SETFL, O_NONBLOCK), write(ends[1], "x", 1)), got = read(ends[0], text, 1), got < 0) \
    CASE(fionbio, pipe(ends), (ioctl(ends[0], FIONBIO, &one), write(ends[1], "x", 1)), got = read(ends[0], text, 1), got < 0) \
    CASE(block, pipe2(ends, O_NONBLOCK), fcntl(ends[0], F_SETFL, 0), (got = fcntl(ends[0], F_GETFL)), !(got & O_NONBLOCK)) \
    CASE(option, socketpair(AF_UNIX, SOCK_STREAM, 0, ends), setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof one), \
         getsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &got, &(socklen_t){sizeof got}), got)

static void stream_write(void)
{
    FILE *f = fopen(PLACE "/file", "r+");

    fputs("x", f);
    fflush(f);
    fclose(f);
}

#define CASE(name, before, does, sees, came_first)                                                 \
    static void *name##_does(void *_) { return (void)(does), NULL; }                               \
    static void *name##_sees(void *_) { return (void)(sees), NULL; }
CASES
#undef CASE

enum {
#define CASE(name, ...) CASE_##name,
    CASES
#undef CASE
        CASE_COUNT
};

static void both(void *(*does)(void *), void *(*sees)(void *))
{
    pthread_t a, b;

    pthread_create(&a, NULL, does, NULL);
    pthread_create(&b, NULL, sees, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

#ifdef NAMED
static char *map(int file, int how)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, how, file, 0);
}

static void *named(void *_)
{
    switch (NAMED) {
    case 0:
        chdir("/");
        break;
    case 1:
        umask(077);
        break;
    case 2:
        ftruncate(fd, 4096);
        break;
    case 3:
        map(other, MAP_SHARED)[0] = 'x';
        break;
    }
    return NULL;
}

static void *nothing(void *_)
{
    char place[200];

    getcwd(place, sizeof place);
    return NULL;
}
#endif

int main(void)
{
#ifdef NAMED
    files();
    ftruncate(fd, 4096);
    map(fd, NAMED == 2 ? MAP_PRIVATE : MAP_SHARED);
    both(named, nothing);
#else
    switch (raddle_choose(CASE_COUNT)) {
#define CASE(name, before, does, sees, came_first)                                                 \
    case CASE_##name:                                                                              \
        before;                                                                            \
        both(name##_does, name##_sees);                                                             \
        raddle_fail(#name, __FILE__, 1000 + 2 * CASE_##name + ((came_first) != 0));
        CASES
    }
#endif
}
