/* A tiny HTTP/1.1 server for files of one directory, whole or in parts, on the loopback address: something to
 * download from.
 *
 *     serve DIRECTORY [PORT]
 *
 * Prints the port (one that is free, if none is given), and serves until it is killed. Knows GET, HEAD and Range; one
 * request a connection. A slow client does not keep the others waiting. */
#define _GNU_SOURCE /* accept4, strcasestr */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLIENTS_MAX 200

/* A connection: first its request comes in, then the answer goes out. */
struct client {
    int fd;
    char request[4096];
    size_t got;
    char *answer; /* NULL: the request is not there yet */
    size_t size, sent;
};

static int directory;
static struct client clients[CLIENTS_MAX];
static unsigned client_count;

/* ---- answers */

static void answer_set(struct client *client, const char *head, const char *body, size_t size)
{
    size_t head_size = strlen(head);

    client->answer = malloc(head_size + size);
    if (!client->answer)
        return;
    memcpy(client->answer, head, head_size);
    if (size)
        memcpy(client->answer + head_size, body, size);
    client->size = head_size + size;
}

static void answer_status(struct client *client, const char *status)
{
    char head[200];

    snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
             status);
    answer_set(client, head, NULL, 0);
}

/* Which bytes are wanted: all, or those of the first range. False if there are no such bytes. */
static bool range_read(const char *request, long long size, long long *first, long long *last)
{
    const char *range = strcasestr(request, "\r\nRange: bytes=");
    char *end;

    *first = 0;
    *last = size - 1;
    if (!range)
        return true;
    range = strchr(range, '=') + 1;
    if (*range == '-') {
        *first = size - strtoll(range + 1, NULL, 10);
        return *first >= 0 && *first < size;
    }
    *first = strtoll(range, &end, 10);
    if (*end != '-')
        return false;
    if (end[1] >= '0' && end[1] <= '9')
        *last = strtoll(end + 1, NULL, 10);
    if (*last >= size)
        *last = size - 1;
    return *first >= 0 && *first <= *last;
}

static void answer_file(struct client *client, int fd, long long size, bool head_only)
{
    long long first, last;
    bool is_part = strcasestr(client->request, "\r\nRange:") != NULL;
    char head[400], range[100] = "";
    char *body;

    if (!range_read(client->request, size, &first, &last)) {
        answer_status(client, "416 Range Not Satisfiable");
        return;
    }
    if (is_part)
        snprintf(range, sizeof range, "Content-Range: bytes %lld-%lld/%lld\r\n", first, last, size);
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nAccept-Ranges: bytes\r\n%sContent-Length: %lld\r\n"
             "Content-Type: application/octet-stream\r\nConnection: close\r\n\r\n",
             is_part ? "206 Partial Content" : "200 OK", range, last - first + 1);
    body = head_only ? NULL : malloc((size_t)(last - first + 1));
    if (body && pread(fd, body, (size_t)(last - first + 1), first) != last - first + 1)
        answer_status(client, "500 Internal Server Error");
    else
        answer_set(client, head, body, body ? (size_t)(last - first + 1) : 0);
    free(body);
}

static void request_answer(struct client *client)
{
    char method[8], path[1024];
    struct stat status;
    int fd;

    if (sscanf(client->request, "%7s /%1023s HTTP/1.", method, path) != 2 || strstr(path, "..") ||
        path[0] == '/') {
        answer_status(client, "400 Bad Request");
        return;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        answer_status(client, "501 Not Implemented");
        return;
    }
    fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        answer_status(client, "404 Not Found");
    else
        answer_file(client, fd, status.st_size, strcmp(method, "HEAD") == 0);
    if (fd >= 0)
        close(fd);
}

/* ---- connections */

/* What can be done now with the client; false when it is finished. */
static bool client_serve(struct client *client)
{
    ssize_t count;

    if (!client->answer) {
        count = recv(client->fd, client->request + client->got,
                     sizeof client->request - 1 - client->got, MSG_DONTWAIT);
        if (count <= 0)
            return count < 0 && errno == EAGAIN;
        client->got += (size_t)count;
        client->request[client->got] = 0;
        if (!strstr(client->request, "\r\n\r\n"))
            return client->got < sizeof client->request - 1;
        request_answer(client);
    }
    if (!client->answer)
        return false;
    count = send(client->fd, client->answer + client->sent, client->size - client->sent,
                 MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0)
        return errno == EAGAIN;
    client->sent += (size_t)count;
    return client->sent < client->size;
}

static void client_drop(unsigned i)
{
    close(clients[i].fd);
    free(clients[i].answer);
    clients[i] = clients[--client_count];
}

static void serve(int listener)
{
    struct pollfd polls[CLIENTS_MAX + 1];

    for (;;) {
        unsigned count = client_count;

        for (unsigned i = 0; i < count; i++)
            polls[i] = (struct pollfd){clients[i].fd, clients[i].answer ? POLLOUT : POLLIN, 0};
        polls[count] = (struct pollfd){count < CLIENTS_MAX ? listener : -1, POLLIN, 0};
        if (poll(polls, count + 1, -1) < 0 && errno != EINTR)
            return;
        for (unsigned i = count; i-- > 0;)
            if (polls[i].revents && !client_serve(&clients[i]))
                client_drop(i);
        if (polls[count].revents & POLLIN) {
            int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

            if (fd >= 0)
                clients[client_count++] = (struct client){.fd = fd};
        }
    }
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: serve DIRECTORY [PORT]\n");
        return 2;
    }
    address.sin_port = htons(argc > 2 ? (uint16_t)atoi(argv[2]) : 0);
    directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (directory < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, CLIENTS_MAX) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        fprintf(stderr, "serve: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    serve(listener);
    return 1;
}
