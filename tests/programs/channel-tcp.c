// A server thread and a client thread on loopback. The client may come before the server listens: then it is refused.
// EXPECT: safe
// EXPECT(sc -DTOO_EARLY): assertion at=refused
// EXPECT(sc -DNOBODY): deadlock at=accept says=waits to accept a connection from
#include "common.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static struct sockaddr_in address;
static socklen_t size = sizeof address;

static void begin(void)
{
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(listener >= 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    assert(getsockname(listener, (struct sockaddr *)&address, &size) == 0 && address.sin_port != 0);
#ifndef TOO_EARLY
    assert(listen(listener, 4) == 0);
#endif
}

static void *server(void *_)
{
    struct sockaddr_in peer;
    socklen_t peer_size = sizeof peer;
    char got[16];
    int connection;

#ifdef TOO_EARLY
    assert(listen(listener, 4) == 0);
#endif
    connection = accept(listener, (struct sockaddr *)&peer, &peer_size); /* accept */
    assert(connection >= 0 && peer_size == sizeof peer && peer.sin_family == AF_INET);
    assert(read(connection, got, 4) == 4 && memcmp(got, "ping", 4) == 0);
    assert(write(connection, "pong!", 5) == 5);
    assert(read(connection, got, 4) == 0);
    assert(close(connection) == 0);
    return NULL;
}

static void *client(void *_)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in peer;
    socklen_t peer_size = sizeof peer;
    char got[16];

#ifndef NOBODY
    assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0); /* refused */
    assert(getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0);
    assert(peer.sin_port == address.sin_port);
    assert(write(fd, "ping", 4) == 4);
    assert(recv(fd, got, 5, MSG_WAITALL) == 5 && memcmp(got, "pong!", 5) == 0);
    assert(shutdown(fd, SHUT_WR) == 0);
    assert(read(fd, got, 1) == 0);
#endif
    assert(close(fd) == 0);
    return NULL;
}

int main(void)
{
    begin();
    run2(server, client);
    assert(close(listener) == 0);
    return 0;
}
