// Duplicates of descriptors, and their flags.
#include "conform.h"
#include <sys/ioctl.h>
#include <sys/mman.h>

static void program(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd, copy, pipes[2], on = 1;

    SYS(fd = memfd_create("conform", 0));
    SYS(copy = dup(fd));
    SYS(dup(999));
    SYS(write(fd, "abcdef", 6));
    NUM(lseek(copy, 0, SEEK_CUR)); /* one offset for both */
    SYS(dup2(fd, 20));
    SYS(dup2(fd, fd));
    SYS(dup2(999, 20));
    SYS(dup2(fd, -1));
    SYS(dup3(fd, 21, O_CLOEXEC));
    SYS(dup3(fd, fd, 0));
    SYS(dup3(fd, 22, 77));
    NUM(fcntl(21, F_GETFD));
    NUM(fcntl(20, F_GETFD));
    SYS(fcntl(20, F_SETFD, FD_CLOEXEC));
    NUM(fcntl(20, F_GETFD));
    SYS(fcntl(fd, F_DUPFD, 30));
    SYS(fcntl64(fd, F_DUPFD_CLOEXEC, 30));
    NUM(fcntl(31, F_GETFD));
    NUM(fcntl(fd, F_GETFL) & O_ACCMODE);
    SYS(fcntl(fd, F_SETFL, O_APPEND));
    NUM((fcntl(copy, F_GETFL) & O_APPEND) != 0);
    SYS(fcntl(fd, F_GETLK, &lock));
    NUM(lock.l_type == F_UNLCK);
    SYS(fcntl(999, F_GETFD));
    SYS(fcntl(fd, 9999));
    SYS(pipe(pipes));
    SYS(ioctl(pipes[0], FIONBIO, &on));
    NUM((fcntl(pipes[0], F_GETFL) & O_NONBLOCK) != 0);
    SYS(ioctl(pipes[0], FIOCLEX));
    NUM(fcntl(pipes[0], F_GETFD));
    SYS(write(pipes[1], "abc", 3));
    SYS(ioctl(pipes[0], FIONREAD, &on));
    NUM(on);
    SYS(ioctl(999, FIONREAD, &on));
    SYS(dup2(fd, 1)); /* one that was open at the start */
    SYS(close(1));
    SYS(close(0));
    SYS(dup(fd));
}
