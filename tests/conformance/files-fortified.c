// The names that _FORTIFY_SOURCE puts in, and those of programs that were built long ago.
#include "conform.h"
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

int __dprintf_chk(int, int, const char *, ...);
int __vdprintf_chk(int, int, const char *, va_list);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, void *, socklen_t *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__getcwd_chk(char *, size_t, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);

static char buffer[64];

static int list_print(int fd, const char *format, ...)
{
    va_list list;
    int result;

    va_start(list, format);
    result = __vdprintf_chk(fd, 1, format, list);
    va_end(list);
    return result;
}

/* A pipe must get what is printed. */
static void prints(void)
{
    int ends[2];

    SYS(pipe(ends));
    SYS(__dprintf_chk(ends[1], 1, "%d", 12345));
    SYS(list_print(ends[1], "%s", "abc"));
    SYS(read(ends[0], buffer, sizeof buffer));
    TEXT(buffer);
    memset(buffer, 0, sizeof buffer);
    close(ends[0]);
    close(ends[1]);
}

static void files(void)
{
    int fd = open("conform.file", O_CREAT | O_RDWR, 0600);
    FILE *f;

    prints();
    SYS(write(fd, "0123456789", 10));
    SYS(lseek(fd, 0, SEEK_SET));
    SYS(__read_chk(fd, buffer, 3, sizeof buffer));
    TEXT(buffer);
    SYS(__pread_chk(fd, buffer, 3, 4, sizeof buffer));
    TEXT(buffer);
    SYS(__pread64_chk(fd, buffer, 3, 5, sizeof buffer));
    TEXT(buffer);
    close(fd);
    f = fopen("conform.file", "r");
    NUM(__fread_chk(buffer, sizeof buffer, 1, 4, f));
    TEXT(buffer);
    NUM(__fread_unlocked_chk(buffer, sizeof buffer, 2, 10, f));
    fclose(f);
    SYS(fd = __open_2("conform.file", O_RDONLY));
    close(fd);
    SYS(fd = __open64_2("conform.file", O_RDONLY));
    close(fd);
    SYS(fd = __openat_2(AT_FDCWD, "conform.file", O_RDONLY));
    close(fd);
    SYS(fd = __openat64_2(AT_FDCWD, "conform.none", O_RDONLY));
    SYS(symlink("conform.file", "conform.link"));
    memset(buffer, 0, sizeof buffer);
    SYS(__readlink_chk("conform.link", buffer, 7, sizeof buffer));
    TEXT(buffer);
    SYS(__readlinkat_chk(AT_FDCWD, "conform.link", buffer, 9, sizeof buffer));
    TEXT(buffer);
    unlink("conform.link");
    unlink("conform.file");
}

static void program(void)
{
    struct pollfd poll_one;
    int ends[2];
    char place[4096];

    files();
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    poll_one = (struct pollfd){.fd = ends[1], .events = POLLIN};
    SYS(__poll_chk(&poll_one, 1, 0, sizeof poll_one));
    SYS(write(ends[0], "abcdef", 6));
    SYS(__poll_chk(&poll_one, 1, -1, sizeof poll_one));
    NUM(poll_one.revents == POLLIN);
    memset(buffer, 0, sizeof buffer);
    SYS(__recv_chk(ends[1], buffer, 3, sizeof buffer, 0));
    TEXT(buffer);
    SYS(__recvfrom_chk(ends[1], buffer, 3, sizeof buffer, 0, NULL, NULL));
    TEXT(buffer);
    PTR(__getcwd_chk(place, sizeof place, sizeof place));
}
