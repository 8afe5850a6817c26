// Pipes and sockets at their limits: what is full, what is half closed, what nobody reads, what is asked for twice.
#include "conform.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

static char big[300000];

static int events_of(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};

    poll(&one, 1, 0);
    return one.revents;
}

/* A write of more than the pipe holds, to one who reads slowly. */
static void *drains(void *argument)
{
    char piece[5000];
    long total = 0, got;

    while ((got = read(*(int *)argument, piece, sizeof piece)) > 0)
        total += got;
    NUM(total);
    return argument;
}

static void pipes(void)
{
    struct iovec none = {big, 0};
    pthread_t thread;
    int ends[2], n = -1;

    pipe(ends);
    pthread_create(&thread, NULL, drains, &ends[0]);
    ssize_t sent = write(ends[1], big, 100000);
    close(ends[1]);
    pthread_join(thread, NULL);
    NUM(sent);
    close(ends[0]);

    pipe2(ends, O_NONBLOCK);
    SYS(read(ends[0], big, 1));
    SYS(write(ends[1], big, sizeof big));
    SYS(write(ends[1], big, 1));
    SYS(write(ends[1], big, 0));
    SYS(ioctl(ends[0], FIONREAD, &n));
    NUM(n);
    NUM(events_of(ends[1], POLLOUT));
    SYS(read(ends[0], big, 4095));
    NUM(events_of(ends[1], POLLOUT));
    SYS(read(ends[0], big, 1));
    NUM(events_of(ends[1], POLLOUT));
    SYS(readv(ends[0], &none, 1));
    SYS(read(ends[1], big, 1));
    SYS(write(ends[0], big, 1));
    SYS(fcntl(ends[0], F_SETPIPE_SZ, 4096));
    SYS(read(ends[0], big, sizeof big));
    SYS(fcntl(ends[0], F_SETPIPE_SZ, 4096));
    SYS(write(ends[1], big, 5000));
    close(ends[0]);
    NUM(events_of(ends[1], POLLOUT));
    SYS(write(ends[1], big, 1));
    SYS(write(ends[1], big, 0));
    close(ends[1]);
    SYS(write(ends[1], big, 1));
}

static void pairs(int type)
{
    struct timeval soon = {0, 1000};
    int two[2];

    socketpair(AF_UNIX, type, 0, two);
    SYS(send(two[0], "abc", 3, MSG_DONTWAIT));
    SYS(shutdown(two[0], SHUT_WR));
    NUM(events_of(two[0], POLLIN | POLLOUT));
    NUM(events_of(two[1], POLLIN | POLLOUT | POLLRDHUP));
    SYS(send(two[0], "x", 1, MSG_NOSIGNAL));
    SYS(recv(two[1], big, 2, MSG_PEEK));
    SYS(recv(two[1], big, 10, MSG_DONTWAIT));
    SYS(recv(two[1], big, 10, MSG_DONTWAIT));
    SYS(send(two[1], "back", 4, 0));
    SYS(recv(two[0], big, 10, 0));
    SYS(setsockopt(two[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon));
    SYS(recv(two[0], big, 10, 0));
    SYS(shutdown(two[0], SHUT_RD));
    SYS(recv(two[0], big, 10, 0));
    SYS(send(two[1], "x", 1, MSG_NOSIGNAL));
    SYS(shutdown(two[0], 7));
    NUM(events_of(two[0], POLLIN | POLLOUT | POLLRDHUP));
    close(two[1]);
    NUM(events_of(two[0], POLLIN | POLLOUT | POLLRDHUP));
    SYS(recv(two[0], big, 10, 0));
    close(two[0]);
}

/* Datagrams do not end. */
static void datagrams(void)
{
    struct timeval soon = {0, 1000};
    int two[2];

    socketpair(AF_UNIX, SOCK_DGRAM, 0, two);
    SYS(send(two[0], "abc", 3, 0));
    SYS(send(two[0], "", 0, 0));
    SYS(send(two[0], "defgh", 5, 0));
    SYS(shutdown(two[0], SHUT_WR));
    NUM(events_of(two[0], POLLIN | POLLOUT));
    NUM(events_of(two[1], POLLIN | POLLOUT | POLLRDHUP));
    SYS(send(two[0], "x", 1, 0));
    SYS(recv(two[1], big, 2, MSG_PEEK | MSG_TRUNC));
    SYS(recv(two[1], big, 2, 0));
    SYS(recv(two[1], big, 10, 0));
    SYS(recv(two[1], big, 10, 0));
    SYS(recv(two[1], big, 10, MSG_DONTWAIT));
    SYS(setsockopt(two[1], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon));
    SYS(recv(two[1], big, 10, 0));
    close(two[0]);
    SYS(recv(two[1], big, 10, MSG_DONTWAIT));
    NUM(events_of(two[1], POLLIN | POLLOUT | POLLRDHUP));
    SYS(send(two[1], "x", 1, 0));
    SYS(send(two[1], "x", 1, 0));
    close(two[1]);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, two);
    SYS(shutdown(two[0], SHUT_RD));
    SYS(recv(two[0], big, 10, MSG_DONTWAIT));
    SYS(recv(two[0], big, 10, 0));
    SYS(send(two[1], "x", 1, 0));
    NUM(events_of(two[0], POLLIN | POLLOUT | POLLRDHUP));
    close(two[0]);
    close(two[1]);
}

static int listener(struct sockaddr_in *address, int flags)
{
    socklen_t size = sizeof *address;
    int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bind(fd, (struct sockaddr *)address, sizeof *address);
    listen(fd, 2);
    getsockname(fd, (struct sockaddr *)address, &size);
    return fd;
}

static void connections(void)
{
    struct sockaddr_in address;
    int server = listener(&address, SOCK_NONBLOCK), a, b, error = -1;
    socklen_t size = sizeof error;

    SYS(accept(server, NULL, NULL));
    NUM(events_of(server, POLLIN));
    a = socket(AF_INET, SOCK_STREAM, 0);
    SYS(recv(a, big, 1, 0));
    SYS(send(a, big, 1, MSG_NOSIGNAL));
    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    NUM(events_of(server, POLLIN));
    b = accept(server, NULL, NULL);
    NUM(b >= 0);
    SYS(send(a, "abc", 3, 0));
    SYS(shutdown(a, SHUT_WR));
    SYS(send(a, "x", 1, MSG_NOSIGNAL));
    SYS(recv(b, big, 10, MSG_WAITALL));
    SYS(recv(b, big, 10, 0));
    SYS(send(b, "defg", 4, 0));
    SYS(recv(a, big, 2, 0));
    SYS(getsockopt(a, SOL_SOCKET, SO_ERROR, &error, &size));
    NUM(error);
    close(b);
    SYS(recv(a, big, 10, 0));
    SYS(recv(a, big, 10, 0));
    close(a);
    a = socket(AF_INET, SOCK_STREAM, 0);
    SYS(shutdown(a, SHUT_WR));
    SYS(getpeername(a, (struct sockaddr *)&address, &(socklen_t){sizeof address}));
    close(a);
    SYS(shutdown(server, SHUT_RDWR));
    SYS(accept(server, NULL, NULL));
    close(server);
    SYS(accept(server, NULL, NULL));
    a = socket(AF_INET, SOCK_STREAM, 0);
    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    NUM(events_of(a, POLLIN | POLLOUT));
    close(a);
}

static void names(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "conform.socket"};
    int server = socket(AF_UNIX, SOCK_STREAM, 0), a = socket(AF_UNIX, SOCK_STREAM, 0);

    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    SYS(bind(server, (struct sockaddr *)&address, sizeof address));
    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    SYS(bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address));
    SYS(accept(server, NULL, NULL));
    SYS(listen(server, 1));
    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    SYS(connect(a, (struct sockaddr *)&address, sizeof address));
    close(server);
    SYS(recv(a, big, 1, 0));
    SYS(send(a, big, 1, MSG_NOSIGNAL));
    unlink("conform.socket");
}

static int ready(int set)
{
    struct epoll_event told[4];

    return epoll_wait(set, told, 4, 0);
}

static void edges(void)
{
    struct epoll_event edge = {.events = EPOLLIN | EPOLLET}, once = {.events = EPOLLIN | EPOLLONESHOT};
    int set = epoll_create1(0), ends[2], counter = eventfd(0, EFD_NONBLOCK);

    pipe2(ends, O_NONBLOCK);
    SYS(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &edge));
    SYS(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &edge));
    NUM(ready(set));
    write(ends[1], "ab", 2);
    NUM(ready(set));
    NUM(ready(set));
    read(ends[0], big, 1);
    NUM(ready(set));
    write(ends[1], "c", 1);
    NUM(ready(set));
    SYS(epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &edge));
    NUM(ready(set));
    NUM(ready(set));
    SYS(epoll_ctl(set, EPOLL_CTL_ADD, counter, &once));
    eventfd_write(counter, 1);
    NUM(ready(set));
    eventfd_write(counter, 1);
    NUM(ready(set));
    SYS(epoll_ctl(set, EPOLL_CTL_MOD, counter, &once));
    NUM(ready(set));
    close(ends[1]);
    NUM(ready(set));
    NUM(ready(set));
    close(ends[0]);
    SYS(epoll_ctl(set, EPOLL_CTL_DEL, ends[0], NULL));
    SYS(epoll_ctl(set, EPOLL_CTL_DEL, counter, NULL));
    SYS(epoll_ctl(set, EPOLL_CTL_MOD, counter, &once));
    SYS(epoll_ctl(counter, EPOLL_CTL_ADD, set, &once));
    SYS(epoll_ctl(set, EPOLL_CTL_ADD, set, &once));
    SYS(epoll_wait(set, NULL, 0, 0));
    close(set);
    close(counter);
}

static void many(void)
{
    struct rlimit before, limit;
    int ends[2], made = 0;

    getrlimit(RLIMIT_NOFILE, &before);
    limit = before;
    limit.rlim_cur = 40;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (made < 100 && pipe(ends) == 0)
        made++;
    say("%s", made < 100 ? error_name(errno) : "no limit");
    SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    setrlimit(RLIMIT_NOFILE, &before);
    NUM(made < 100 && made > 5);
}

static void program(void)
{
    signal(SIGPIPE, SIG_IGN);
    pipes();
    pairs(SOCK_STREAM);
    pairs(SOCK_SEQPACKET);
    datagrams();
    connections();
    names();
    edges();
    many();
}
