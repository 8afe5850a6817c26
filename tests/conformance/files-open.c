// EXPECT: incomplete
// Opening and closing files: numbers of descriptors, errors, flags.
#include "conform.h"
#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>

static void names(void)
{
    char template[] = "conform-XXXXXX", wrong[] = "conform", suffix[] = "conform-XXXXXX.txt";
    char third[] = "conform-XXXXXX", fourth[] = "conform-XXXXXX";
    int fd;

    SYS(fd = mkstemp(template));
    NUM(strcmp(template, "conform-XXXXXX") != 0);
    SYS(unlink(template));
    close(fd);
    SYS(mkstemp(wrong));
    SYS(fd = mkstemps(suffix, 4));
    TEXT(suffix + strlen(suffix) - 4);
    unlink(suffix);
    close(fd);
    SYS(fd = mkstemp64(third));
    unlink(third);
    close(fd);
    SYS(fd = mkostemp(fourth, O_CLOEXEC));
    NUM(fcntl(fd, F_GETFD));
    unlink(fourth);
    close(fd);
}

static void program(void)
{
    int fd, other;

    SYS(fd = open("conform.file", O_CREAT | O_EXCL | O_WRONLY, 0600));
    SYS(open("conform.file", O_CREAT | O_EXCL | O_WRONLY, 0600));
    SYS(other = open("conform.file", O_RDONLY));
    SYS(close(other));
    SYS(close(other));
    SYS(other = open64("conform.file", O_RDONLY));
    SYS(close(fd));
    SYS(fd = openat(AT_FDCWD, "conform.file", O_RDWR | O_TRUNC)); /* the lowest free number */
    SYS(close(fd));
    SYS(fd = openat64(AT_FDCWD, "conform.file", O_RDONLY));
    SYS(close(fd));
    SYS(close(other));
    SYS(fd = creat("conform.file", 0600));
    SYS(close(fd));
    SYS(fd = creat64("conform.file", 0600));
    SYS(close(fd));
    SYS(open("conform.none", O_RDONLY));
    SYS(open("conform.file/x", O_RDONLY));
    SYS(open("/", O_WRONLY));
    SYS(openat(999, "conform.file", O_RDONLY));
    SYS(unlink("conform.file"));
    SYS(open("conform.file", O_RDONLY));
    names();
    SYS(fd = memfd_create("conform", 0));
    SYS(close(fd));
    SYS(fd = shm_open("/conform-shared", O_CREAT | O_RDWR, 0600));
    SYS(shm_unlink("/conform-shared"));
    SYS(shm_open("/conform-shared", O_RDWR, 0600));
    SYS(close(fd));
    SYS(close(-1));
}
