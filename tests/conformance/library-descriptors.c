// EXPECT: incomplete
// Calls on descriptors by which libc reads and writes memory of the program in pieces, or at a place of a file.
#include "conform.h"
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

static void files(void)
{
    char path[] = "/tmp/conform-XXXXXX", a[4] = "", b[4] = "";
    struct iovec out[] = {{"ab", 2}, {"cde", 3}}, in[] = {{a, 2}, {b, 3}};
    int fd = mkstemp(path);

    unlink(path);
    NUM(pwrite(fd, "xyz", 3, 0));
    NUM(pwrite64(fd, "w", 1, 3));
    NUM(pwritev(fd, out, 2, 4));
    NUM(pwritev64(fd, out, 2, 9));
    NUM(pread(fd, a, 3, 1));
    say("%s", a);
    NUM(preadv(fd, in, 2, 4));
    say("%.2s %s", a, b);
    close(fd);
}

static void sockets(void)
{
    char a[8] = "", b[8] = "";
    struct iovec out[] = {{"one", 3}, {"two", 3}}, in[] = {{a, 4}, {b, 4}};
    struct msghdr message = {.msg_iov = out, .msg_iovlen = 2};
    int fds[2];

    SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
    NUM(sendmsg(fds[0], &message, 0));
    message.msg_iov = in;
    NUM(recvmsg(fds[1], &message, 0));
    say("%.4s %.4s", a, b);
    NUM(sendto(fds[1], "back", 4, 0, NULL, 0));
    NUM(recv(fds[0], a, sizeof a, 0));
    close(fds[0]);
    close(fds[1]);
}

static void program(void)
{
    eventfd_t count = 0;
    int fd = eventfd(0, 0);

    files();
    sockets();
    SYS(eventfd_write(fd, 3));
    SYS(eventfd_read(fd, &count));
    NUM((long)count);
    close(fd);
}
