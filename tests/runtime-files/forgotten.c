// EXPECT: safe: 40320 executions
// Descriptors of all kinds that nobody closes: the numbers stay the same, and none is left over.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "many.h"

static int count(const char *path)
{
    DIR *directory = opendir(path);
    int n = 0;

    assert(directory);
    while (readdir(directory))
        n++;
    return n; /* left open */
}

static int pair[2], sockets[2];

int main(void)
{
    int first = open("/dev/null", O_RDONLY);

    assert(first == 3);
    assert(pipe(pair) == 0 && pair[1] < 10);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && sockets[1] < 12);
    assert(dup(first) < 13 && fcntl(first, F_DUPFD, 40) == 40 && dup2(first, 50) == 50);
    assert(eventfd(0, 0) < 14 && epoll_create1(0) < 15);
    assert(fileno(fopen("/dev/null", "r")) < 16 && fileno(tmpfile()) < 17);
    assert(count("/proc/self/fd") <= 24);
    many(8);
    return 0;
}
