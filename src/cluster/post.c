#include "cluster/post.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define CHUNK 65536
#define HEAD  8

/* Whether there was something. */
static bool post_read(struct post *post, bool wait)
{
    struct bytes *in = &post->in;
    ssize_t n;

    vec_reserve(in->arena, &in->data, CHUNK);
    n = recv(post->fd, in->data.at + in->data.count, CHUNK, wait ? 0 : MSG_DONTWAIT);
    if (n > 0)
        in->data.count += (uint32_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        post->ended = true;
    return n > 0;
}

static void post_write(struct post *post)
{
    struct bytes *out = &post->out;
    uint32_t sent = 0;

    while (sent < out->data.count) {
        ssize_t n = send(post->fd, out->data.at + sent, out->data.count - sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            post->ended = true;
        if (n <= 0)
            break;
        sent += (uint32_t)n;
    }
    bytes_drop(out, sent);
}

/* The next whole piece from *at on; its size goes to head[0], the rank to head[1]. */
static const uint8_t *piece_next(const struct bytes *in, uint32_t *at, uint32_t head[2])
{
    const uint8_t *piece;

    if (in->data.count - *at < HEAD)
        return NULL;
    piece = in->data.at + *at;
    memcpy(head, piece, HEAD);
    if (in->data.count - *at - HEAD < head[0])
        return NULL;
    *at += HEAD + head[0];
    return piece + HEAD;
}

bool post_open(struct post *post, int fd, struct arena *arena)
{
    const uint8_t *piece = NULL;
    uint32_t head[2], at = 0;

    memset(post, 0, sizeof *post);
    post->fd = fd;
    bytes_open(&post->in, arena);
    bytes_open(&post->out, arena);
    while (!post->ended && !(piece = piece_next(&post->in, &at, head)))
        post_read(post, true);
    if (!piece || head[0] != sizeof post->size)
        return false;
    post->rank = head[1];
    memcpy(&post->size, piece, sizeof post->size);
    bytes_drop(&post->in, at);
    post->gone = arena_alloc(arena, post->size * sizeof *post->gone);
    memset(post->gone, 0, post->size * sizeof *post->gone);
    return true;
}

void post_send(struct post *post, uint32_t rank, uint8_t kind, const void *at, size_t size)
{
    uint32_t head[2] = {(uint32_t)size + 1, rank};

    bytes_add(&post->out, head, sizeof head);
    bytes_add(&post->out, &kind, 1);
    bytes_add(&post->out, at, size);
}

void post_send_for(struct post *post, uint32_t rank, uint8_t kind, uint8_t more, const void *at,
                   size_t size)
{
    uint32_t head[2] = {(uint32_t)size + 2, rank};

    bytes_add(&post->out, head, sizeof head);
    bytes_add(&post->out, &kind, 1);
    bytes_add(&post->out, &more, 1);
    bytes_add(&post->out, at, size);
}

void post_flush(struct post *post)
{
    while (!post->ended && post->out.data.count > 0) {
        struct pollfd fd = {.fd = post->fd, .events = POLLOUT};

        if (poll(&fd, 1, -1) > 0)
            post_write(post);
    }
}

void post_take(struct post *post, int milliseconds,
               void (*piece)(void *context, uint32_t rank, const uint8_t *at, uint32_t size),
               void *context)
{
    struct pollfd fd = {.fd = post->fd};
    const uint8_t *next;
    uint32_t head[2], at = 0;

    post_write(post);
    fd.events = (short)(POLLIN | (post->out.data.count ? POLLOUT : 0));
    if (post->ended || poll(&fd, 1, milliseconds) <= 0)
        return;
    if (fd.revents & POLLOUT)
        post_write(post);
    while (fd.revents & (POLLIN | POLLHUP | POLLERR) && post_read(post, false))
        continue;
    while ((next = piece_next(&post->in, &at, head))) {
        if (head[1] < post->size && head[0] == 0)
            post->gone[head[1]] = true;
        piece(context, head[1], head[0] ? next : NULL, head[0]);
    }
    bytes_drop(&post->in, at);
}
