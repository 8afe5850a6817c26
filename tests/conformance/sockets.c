// Sockets within one thread: nothing waits.
#include "conform.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static char buffer[64];

static void listening(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET}, peer;
    socklen_t size = sizeof address;
    int server, client, accepted, value = 0;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SYS(server = socket(AF_INET, SOCK_STREAM, 0));
    SYS(bind(server, (struct sockaddr *)&address, sizeof address));
    SYS(listen(server, 5));
    SYS(getsockname(server, (struct sockaddr *)&address, &size));
    NUM(address.sin_port != 0);
    SYS(client = socket(AF_INET, SOCK_STREAM, 0));
    SYS(getpeername(client, (struct sockaddr *)&peer, &size));
    SYS(connect(client, (struct sockaddr *)&address, sizeof address));
    size = sizeof peer;
    SYS(accepted = accept(server, (struct sockaddr *)&peer, &size));
    NUM(peer.sin_family == AF_INET && size == sizeof peer);
    SYS(getpeername(client, (struct sockaddr *)&peer, &size));
    NUM(peer.sin_port == address.sin_port);
    SYS(send(client, "hello", 5, 0));
    SYS(recv(accepted, buffer, sizeof buffer, 0));
    TEXT(buffer);
    size = sizeof value;
    SYS(getsockopt(client, SOL_SOCKET, SO_TYPE, &value, &size));
    NUM(value == SOCK_STREAM);
    SYS(getsockopt(client, SOL_SOCKET, 9999, &value, &size));
    SYS(close(client));
    SYS(recv(accepted, buffer, sizeof buffer, 0)); /* the end */
    close(accepted);
    SYS(client = socket(AF_INET, SOCK_STREAM, 0));
    SYS(connect(client, (struct sockaddr *)&address, sizeof address));
    SYS(accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC));
    NUM(fcntl(accepted, F_GETFD));
    close(accepted);
    close(client);
    close(server);
    SYS(accept(999, NULL, NULL));
    SYS(listen(0, 1));
}

static void pair(void)
{
    struct iovec part = {buffer, sizeof buffer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int ends[2];

    SYS(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    SYS(send(ends[0], "first", 5, 0));
    SYS(send(ends[0], "second", 6, 0));
    SYS(recvfrom(ends[1], buffer, 3, 0, NULL, NULL)); /* the rest is lost */
    SYS(recvmsg(ends[1], &message, 0));
    NUM(message.msg_flags);
    SYS(recv(ends[1], buffer, 1, MSG_DONTWAIT));
    close(ends[0]);
    close(ends[1]);
    SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    SYS(recv(ends[1], buffer, 1, MSG_DONTWAIT));
    SYS(shutdown(ends[0], SHUT_WR));
    SYS(recv(ends[1], buffer, 1, 0));
    SYS(send(ends[0], "x", 1, MSG_NOSIGNAL));
    close(ends[0]);
    close(ends[1]);
    SYS(socket(AF_INET, 99, 0));
    SYS(socketpair(AF_INET, SOCK_STREAM, 0, ends));
}

static void program(void)
{
    listening();
    pair();
}
