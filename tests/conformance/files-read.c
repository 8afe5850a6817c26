// Reading, writing and seeking.
#include "conform.h"
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static char buffer[64], second[8];

static void program(void)
{
    struct iovec parts[2] = {{buffer, 3}, {second, 4}};
    int fd = memfd_create("conform", 0), out = memfd_create("conform", 0), only;
    off_t at = 1;
    off64_t at64 = 2;

    SYS(write(fd, "0123456789", 10));
    SYS(read(fd, buffer, 4));
    SYS(lseek(fd, 2, SEEK_SET));
    SYS(read(fd, buffer, 4));
    TEXT(buffer);
    SYS(lseek64(fd, -1, SEEK_END));
    SYS(read(fd, buffer, 4));
    SYS(read(fd, buffer, 4));
    SYS(lseek(fd, -100, SEEK_CUR));
    SYS(lseek(fd, 0, 99));
    SYS(pread(fd, buffer, 4, 5));
    TEXT(buffer);
    SYS(pread64(fd, buffer, 4, 6));
    TEXT(buffer);
    SYS(pread(fd, buffer, 4, -1));
    SYS(lseek(fd, 0, SEEK_SET));
    memset(buffer, 0, sizeof buffer);
    SYS(readv(fd, parts, 2));
    TEXT(buffer);
    TEXT(second);
    SYS(preadv(fd, parts, 2, 1));
    TEXT(second);
    SYS(preadv64(fd, parts, 1, 2));
    TEXT(buffer);
    SYS(preadv2(fd, parts, 2, 3, 0));
    TEXT(second);
    SYS(preadv64v2(fd, parts, 1, -1, 0));
    TEXT(buffer);
    SYS(lseek(fd, 0, SEEK_CUR));
    SYS(pwritev(out, parts, 2, 20));
    SYS(pwritev64(out, parts, 1, -1));
    SYS(pwritev2(out, parts, 1, 30, 0));
    SYS(pwritev64v2(out, parts, 2, -1, 0));
    SYS(lseek(out, 0, SEEK_CUR));
    SYS(ftruncate64(out, 7));
    SYS(copy_file_range(fd, &at64, out, NULL, 3, 0));
    NUM(at64);
    SYS(copy_file_range(fd, &at64, out, NULL, 3, 9));
    at64 = 2;
    SYS(pread(out, buffer, 20, 0));
    TEXT(buffer);
    SYS(lseek(out, 0, SEEK_END));
    SYS(writev(out, parts, 2));
    SYS(sendfile(out, fd, &at, 3));
    NUM(at);
    SYS(sendfile64(out, fd, &at64, 100));
    NUM(at64);
    SYS(pread(out, buffer, 20, 0));
    TEXT(buffer);
    SYS(read(999, buffer, 1));
    SYS(write(999, buffer, 1));
    only = open("/dev/null", O_RDONLY);
    SYS(write(only, buffer, 1));
    SYS(read(only, buffer, 1));
    close(only);
    only = open("/", O_RDONLY);
    SYS(read(only, buffer, 1));
    SYS(read(fd, NULL, 1));
    SYS(pwrite(fd, "xy", 2, 8));
    SYS(ftruncate(fd, 9));
    SYS(lseek(fd, 0, SEEK_END));
}
