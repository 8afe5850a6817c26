// A server and a client, each a thread, by TCP on loopback; and a pair of sockets.
#include "conform.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static int server, pair[2];
static struct sockaddr_in address = {.sin_family = AF_INET};

static void *serves(void *argument)
{
    char text[16] = "";
    int fd = accept(server, NULL, NULL);

    NUM(fd >= 0);
    SYS(recv(fd, text, 4, MSG_WAITALL));
    TEXT(text);
    send(fd, "pong", 4, 0);
    SYS(read(fd, text, 1)); /* the end */
    close(fd);
    return argument;
}

static void *echoes(void *argument)
{
    char text[16] = "";
    ssize_t n = recv(pair[1], text, sizeof text, 0);

    send(pair[1], text, (size_t)n, 0);
    return argument;
}

static void program(void)
{
    socklen_t size = sizeof address;
    pthread_t thread;
    char text[16] = "";
    int fd;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SYS(server = socket(AF_INET, SOCK_STREAM, 0));
    SYS(bind(server, (struct sockaddr *)&address, sizeof address));
    SYS(listen(server, 1));
    getsockname(server, (struct sockaddr *)&address, &size);
    pthread_create(&thread, NULL, serves, NULL);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&address, sizeof address);
    send(fd, "ping", 4, 0);
    recv(fd, text, 4, MSG_WAITALL);
    shutdown(fd, SHUT_WR);
    pthread_join(thread, NULL);
    TEXT(text);
    SYS(recv(fd, text, 1, 0)); /* the end */
    close(fd);
    close(server);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    SYS(connect(fd, (struct sockaddr *)&address, sizeof address)); /* nobody listens any more */
    SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pthread_create(&thread, NULL, echoes, NULL);
    send(pair[0], "echo", 4, 0);
    recv(pair[0], text, 4, 0);
    pthread_join(thread, NULL);
    TEXT(text);
}
