// The less common calls, by one thread: what they give, and what they say is wrong.
// EXPECT: safe executions=1
// EXPECT(sc -DSPLICE): incomplete says=splice
#define _GNU_SOURCE
#include "common.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const struct timespec moment = {0, 1000};

static void say(int fd, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    assert(vdprintf(fd, format, arguments) == 4);
    va_end(arguments);
}

static void messages(void)
{
    int pair[2], on = 1;
    char got[8], control[64];
    struct iovec vector = {got, sizeof got};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    struct sockaddr_storage from;
    socklen_t size = sizeof from;

    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    assert(sendto(pair[0], "abcd", 4, 0, NULL, 0) == 4);
    assert(recvmsg(pair[1], &message, 0) == 4 && message.msg_flags == 0);
    vector.iov_len = 2;
    message.msg_control = NULL;
    message.msg_controllen = 0;
    assert(sendmsg(pair[1], &message, 0) == 2);
    assert(recvfrom(pair[0], got, 8, 0, (struct sockaddr *)&from, &size) == 2);
    assert(writev(pair[0], &vector, 1) == 2 && readv(pair[1], &vector, 1) == 2);
    assert(ioctl(pair[0], FIONBIO, &on) == 0);
    assert(recv(pair[0], got, 1, 0) == -1 && errno == EAGAIN);
    assert(dprintf(pair[0], "%d", 123) == 3 && read(pair[1], got, 8) == 3);
    say(pair[0], "%s", "four");
    assert(read(pair[1], got, 8) == 4 && memcmp(got, "four", 4) == 0);
    assert(setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){1, 0}, sizeof(struct timeval)) == 0);
    assert(read(pair[1], got, 1) == -1 && errno == EAGAIN);
    assert(close(pair[0]) == 0 && read(pair[1], got, 1) == 0);
}

static void waiting(void)
{
    int fd = eventfd(0, 0), set = epoll_create(1);
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};
    fd_set in, out;
    eventfd_t value;

    assert(ppoll(&p, 1, &moment, NULL) == 1 && p.revents == POLLOUT);
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(fd, &in);
    FD_SET(fd, &out);
    assert(pselect(fd + 1, &in, &out, NULL, &moment, NULL) == 1 && !FD_ISSET(fd, &in));
    assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
    assert(epoll_pwait(set, &event, 1, 0, NULL) == 0);
    assert(epoll_pwait2(set, &event, 1, &moment, NULL) == 0);
    assert(eventfd_write(fd, 3) == 0);
    assert(epoll_pwait2(set, &event, 1, NULL, NULL) == 1 && event.events == EPOLLIN);
    assert(eventfd_read(fd, &value) == 0 && value == 3);
    assert(epoll_ctl(set, EPOLL_CTL_MOD, fd, &event) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL) == -1 && errno == ENOENT);
    assert(poll(&(struct pollfd){.fd = 777, .events = POLLIN}, 1, -1) == 1);
    assert(select(0, NULL, NULL, NULL, &(struct timeval){0, 1}) == 0);
}

static void connections(void)
{
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), end;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, name;
    socklen_t size = sizeof address;
    int error = 1;
    char c;

    assert(accept(listener, NULL, NULL) == -1 && errno == EINVAL);
    assert(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
    assert(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    assert(connect(client, (struct sockaddr *)&address, size) == -1 && errno == EINPROGRESS);
    assert(poll(&(struct pollfd){.fd = client, .events = POLLOUT}, 1, -1) == 1);
    size = sizeof error;
    assert(getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0);
    size = sizeof name;
    end = accept4(listener, (struct sockaddr *)&name, &size, SOCK_NONBLOCK);
    assert(end >= 0 && read(end, &c, 1) == -1 && errno == EAGAIN);
    assert(getpeername(end, (struct sockaddr *)&address, &size) == 0 && address.sin_port == name.sin_port);
    assert(send(client, "x", 1, 0) == 1 && read(end, &c, 1) == 1);
    assert(shutdown(client, SHUT_RDWR) == 0 && read(end, &c, 1) == 0);
    assert(shutdown(listener, SHUT_RD) == 0 && accept(listener, NULL, NULL) == -1 && errno == EINVAL);
    assert(connect(listener, (struct sockaddr *)&address, size) == -1);
}

static void files(void)
{
    const char *path = "channel-calls-file";
    char got[8];
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600), pipes[2];
    off_t at = 1;

    assert(file >= 0 && unlink(path) == 0 && write(file, "abcdef", 6) == 6);
    assert(pipe2(pipes, O_CLOEXEC) == 0);
    assert(sendfile(pipes[1], file, &at, 3) == 3 && at == 4);
    assert(read(pipes[0], got, 8) == 3 && memcmp(got, "bcd", 3) == 0);
    assert(fcntl(pipes[1], F_SETPIPE_SZ, 4096) == 4096);
    assert(dup2(file, pipes[1]) == pipes[1] && read(pipes[0], got, 1) == 0);
#ifdef SPLICE
    struct iovec vector = {got, 1};

    assert(splice(pipes[0], NULL, file, NULL, 1, 0) == -1);
    assert(tee(pipes[0], pipes[0], 1, 0) == -1);
    assert(vmsplice(pipes[0], &vector, 1, 0) == -1);
#endif
}

int main(void)
{
    messages();
    waiting();
    connections();
    files();
    return 0;
}
