#define _GNU_SOURCE /* strcasestr */

#include "http.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An answer as it comes in: its head, and the start of its body behind it. */
struct answer {
    char buffer[8192];
    size_t used;      /* bytes in the buffer */
    size_t body;      /* where the body begins */
    int status;       /* 200, 206, 404, ... */
    long long length; /* of the body; -1 if not given */
};

int http_parse(const char *url, struct http_place *place)
{
    size_t host, port = 0;

    if (strncmp(url, "http://", 7) != 0)
        return -1;
    url += 7;
    host = strcspn(url, ":/");
    if (host == 0 || host >= sizeof place->host)
        return -1;
    snprintf(place->host, sizeof place->host, "%.*s", (int)host, url);
    url += host;
    if (*url == ':') {
        port = strspn(++url, "0123456789");
        if (port == 0 || port >= sizeof place->port)
            return -1;
    }
    snprintf(place->port, sizeof place->port, "%.*s", port ? (int)port : 2, port ? url : "80");
    url += port;
    if (*url != '/' || strlen(url) >= sizeof place->path || strpbrk(url, " \r\n"))
        return -1;
    snprintf(place->path, sizeof place->path, "%s", url);
    return 0;
}

int http_find(struct http_place *place)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    int error = getaddrinfo(place->host, place->port, &hints, &place->addresses);

    if (error != 0)
        fprintf(stderr, "downloader: %s: %s\n", place->host, gai_strerror(error));
    return error == 0 ? 0 : -1;
}

void http_forget(struct http_place *place)
{
    freeaddrinfo(place->addresses);
}

static int complain(const struct http_place *place, const char *what)
{
    fprintf(stderr, "downloader: http://%s:%s%s: %s\n", place->host, place->port, place->path,
            what);
    return -1;
}

/* ---- one request */

static int place_connect(const struct http_place *place)
{
    for (const struct addrinfo *at = place->addresses; at; at = at->ai_next) {
        int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);

        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0)
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return complain(place, strerror(errno));
}

static int send_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);

        if (sent <= 0)
            return -1;
        text += sent;
        size -= (size_t)sent;
    }
    return 0;
}

/* Reads until the head is there. */
static int answer_read(int fd, struct answer *answer)
{
    char *end = NULL, *field;

    answer->used = 0;
    while (!end) {
        size_t room = sizeof answer->buffer - 1 - answer->used;
        ssize_t got = room ? recv(fd, answer->buffer + answer->used, room, 0) : 0;

        if (got <= 0)
            return -1;
        answer->used += (size_t)got;
        answer->buffer[answer->used] = 0;
        end = strstr(answer->buffer, "\r\n\r\n");
    }
    answer->body = (size_t)(end - answer->buffer) + 4;
    *end = 0;
    if (sscanf(answer->buffer, "HTTP/1.%*1[01] %d", &answer->status) != 1)
        return -1;
    field = strcasestr(answer->buffer, "\r\nContent-Length:");
    answer->length = field ? strtoll(field + strlen("\r\nContent-Length:"), NULL, 10) : -1;
    return 0;
}

/* Sends a request for some bytes and reads the head of the answer. The connection, or -1. */
static int ask(const struct http_place *place, const char *method, long long first, long long last,
               struct answer *answer)
{
    char request[2048];
    int fd = place_connect(place);
    int size = snprintf(request, sizeof request,
                        "%s %s HTTP/1.1\r\nHost: %s:%s\r\nRange: bytes=%lld-%lld\r\n"
                        "Connection: close\r\n\r\n",
                        method, place->path, place->host, place->port, first, last);

    if (fd < 0)
        return -1;
    if (send_all(fd, request, (size_t)size) == 0 && answer_read(fd, answer) == 0)
        return fd;
    close(fd);
    return complain(place, "the server does not answer");
}

/* ---- what the downloader asks */

long long http_size(const struct http_place *place)
{
    struct answer answer;
    const char *range;
    long long size = -1;
    int fd = ask(place, "HEAD", 0, 0, &answer);

    if (fd < 0)
        return -1;
    close(fd);
    range = strcasestr(answer.buffer, "\r\nContent-Range: bytes 0-0/");
    if (answer.status == 206 && range)
        size = strtoll(strchr(range, '/') + 1, NULL, 10);
    if (size > 0)
        return size;
    snprintf(answer.buffer, sizeof answer.buffer, "cannot be had in parts (status %d)",
             answer.status);
    return complain(place, answer.buffer);
}

/* The body: what came with the head, then the rest. */
static int body_store(int connection, struct answer *answer, long long first, long long size,
                      int fd)
{
    const char *from = answer->buffer + answer->body;
    ssize_t got = (ssize_t)(answer->used - answer->body);

    while (size > 0) {
        if (got < 0 || got > size || pwrite(fd, from, (size_t)got, first) != got)
            return -1;
        first += got;
        size -= got;
        from = answer->buffer;
        if (size > 0 && (got = recv(connection, answer->buffer, sizeof answer->buffer, 0)) == 0)
            return -1;
    }
    return 0;
}

int http_fetch(const struct http_place *place, long long first, long long size, int fd)
{
    struct answer answer;
    int status = -1;
    int connection = ask(place, "GET", first, first + size - 1, &answer);

    if (connection < 0)
        return -1;
    if (answer.status != 206 || answer.length != size)
        complain(place, "the server does not send the part that was asked for");
    else if ((status = body_store(connection, &answer, first, size, fd)) != 0)
        complain(place, "the connection broke off, or the file cannot be written");
    close(connection);
    return status;
}
