// About files.
#include "conform.h"
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

static char text[64];

static void program(void)
{
    struct stat status;
    struct stat64 status64;
    struct statx extended;
    struct statfs system;
    struct statfs64 system64;
    int fd = open("conform.file", O_CREAT | O_RDWR, 0640);

    SYS(write(fd, "12345", 5));
    SYS(stat("conform.file", &status));
    NUM(status.st_size);
    NUM(S_ISREG(status.st_mode));
    SYS(stat64("conform.file", &status64));
    NUM(status64.st_size);
    SYS(fstat(fd, &status));
    NUM(status.st_nlink);
    SYS(fstat64(fd, &status64));
    SYS(symlink("conform.file", "conform.link"));
    SYS(lstat("conform.link", &status));
    NUM(S_ISLNK(status.st_mode));
    SYS(lstat64("conform.link", &status64));
    NUM(status64.st_size);
    SYS(fstatat(AT_FDCWD, "conform.link", &status, 0));
    NUM(S_ISREG(status.st_mode));
    SYS(fstatat64(AT_FDCWD, "conform.link", &status64, AT_SYMLINK_NOFOLLOW));
    NUM(S_ISLNK(status64.st_mode));
    SYS(statx(AT_FDCWD, "conform.file", 0, STATX_SIZE, &extended));
    NUM(extended.stx_size);
    SYS(statfs(".", &system));
    NUM(system.f_bsize > 0);
    SYS(statfs64(".", &system64));
    SYS(fstatfs(fd, &system));
    SYS(fstatfs64(fd, &system64));
    SYS(readlink("conform.link", text, sizeof text));
    TEXT(text);
    SYS(readlinkat(AT_FDCWD, "conform.link", text, 4));
    SYS(readlink("conform.file", text, sizeof text));
    SYS(getxattr("conform.file", "user.none", text, sizeof text));
    SYS(fgetxattr(fd, "user.none", text, sizeof text));
    SYS(listxattr("conform.none", text, sizeof text));
    SYS(stat("conform.none", &status));
    SYS(stat("conform.file/x", &status));
    SYS(fstat(999, &status));
    SYS(unlink("conform.link"));
    SYS(unlink("conform.file"));
    SYS(fstat(fd, &status));
    NUM(status.st_nlink);
    close(fd);
}
