// Locks of files: what each call says while nobody has to wait.
#include "conform.h"
#include <sys/file.h>

static int ask(int fd, int command, int type, long start, long size)
{
    struct flock range = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start, .l_len = size};

    return fcntl(fd, command, &range);
}

static void program(void)
{
    int a = open("conform.file", O_CREAT | O_RDWR, 0600), b = open("conform.file", O_RDWR), copy, only;

    SYS(flock(a, LOCK_EX));
    SYS(flock(a, LOCK_EX));
    SYS(flock(b, LOCK_EX | LOCK_NB));
    SYS(flock(b, LOCK_SH | LOCK_NB));
    copy = dup(a);
    SYS(flock(copy, LOCK_SH));
    SYS(flock(b, LOCK_SH | LOCK_NB));
    SYS(flock(b, LOCK_EX | LOCK_NB));
    SYS(flock(a, LOCK_EX | LOCK_NB));
    SYS(flock(a, LOCK_UN));
    SYS(flock(a, LOCK_UN));
    SYS(flock(b, LOCK_EX));
    close(b);
    SYS(flock(a, LOCK_EX | LOCK_NB));
    b = open("conform.file", O_RDWR);
    close(a);
    SYS(flock(b, LOCK_EX | LOCK_NB));
    dup2(b, copy);
    SYS(flock(b, LOCK_EX | LOCK_NB));
    SYS(flock(b, 16));
    SYS(flock(999, LOCK_SH));
    a = open("conform.file", O_RDWR);
    SYS(ask(a, F_OFD_SETLK, F_WRLCK, 0, 10));
    SYS(ask(b, F_OFD_SETLK, F_WRLCK, 0, 10));
    SYS(ask(b, F_OFD_SETLK, F_RDLCK, 10, 10));
    SYS(ask(a, F_OFD_SETLK, F_WRLCK, 10, 10));
    SYS(ask(a, F_OFD_SETLK, F_RDLCK, 10, 10));
    SYS(ask(a, F_OFD_SETLK, F_UNLCK, 0, 0));
    SYS(ask(b, F_OFD_SETLKW, F_WRLCK, 0, 10));
    SYS(ask(b, F_OFD_SETLK, 77, 0, 10));
    only = open("conform.file", O_RDONLY);
    SYS(ask(only, F_OFD_SETLK, F_WRLCK, 20, 10));
    SYS(ask(only, F_OFD_SETLK, F_RDLCK, 20, 10));
    SYS(ask(999, F_OFD_SETLK, F_RDLCK, 20, 10));
    close(b);
    SYS(ask(a, F_OFD_SETLK, F_WRLCK, 0, 10));
    a = open("conform.other", O_CREAT | O_RDWR, 0600);
    b = open("conform.other", O_RDWR);
    SYS(ask(a, F_SETLK, F_WRLCK, 0, 0));
    SYS(ask(b, F_SETLKW, F_WRLCK, 0, 0));
    SYS(lockf(a, F_TLOCK, 0));
    SYS(lockf64(b, F_LOCK, 0));
}
