#include "cluster/link.h"

#include <errno.h>

#define CHUNK 65536

void link_length(struct bytes *out, uint32_t size)
{
    uint8_t length[4] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16),
                         (uint8_t)(size >> 24)};

    bytes_add(out, length, sizeof length);
}

const uint8_t *link_next(const struct bytes *in, uint32_t *at, uint32_t *size)
{
    const uint8_t *message;

    if (in->data.count - *at < 4)
        return NULL;
    message = in->data.at + *at;
    *size = (uint32_t)message[0] | (uint32_t)message[1] << 8 | (uint32_t)message[2] << 16 |
            (uint32_t)message[3] << 24;
    if (in->data.count - *at - 4 < *size)
        return NULL;
    *at += 4 + *size;
    return message + 4;
}

static bool bytes_send(struct link *link, struct bytes *out)
{
    for (uint32_t sent = 0; sent < out->data.count;) {
        ssize_t n = link->send(link->fd, out->data.at + sent, out->data.count - sent);

        if (n <= 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        sent += (uint32_t)n;
    }
    out->data.count = 0;
    return true;
}

bool link_flush(struct link *link, struct worker *worker)
{
    struct bytes first;
    bool sent;

    if (worker->out.data.count == 0)
        return true;
    if (!link->before)
        return bytes_send(link, &worker->out);
    bytes_open(&first, link->in.arena);
    link->before(link->context, &first);
    sent = bytes_send(link, &first) && bytes_send(link, &worker->out);
    vec_free(first.arena, &first.data);
    return sent;
}

/* Whether the other end is there. */
static bool link_receive(struct link *link, bool wait)
{
    struct bytes *in = &link->in;
    ssize_t n;

    vec_reserve(in->arena, &in->data, CHUNK);
    n = link->receive(link->fd, in->data.at + in->data.count, CHUNK, wait);
    if (n > 0)
        in->data.count += (uint32_t)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Takes the next message out of what has come: what it makes the worker do may need an answer, which comes there, too (link_await). */
static bool message_next(struct link *link)
{
    struct bytes *in = &link->in;
    uint32_t at = 0, size;
    const uint8_t *message = link_next(in, &at, &size);

    link->now.arena = in->arena;
    link->now.data.count = 0;
    if (!message)
        return false;
    bytes_add(&link->now, message, size);
    bytes_drop(in, at);
    return true;
}

bool link_take(struct link *link, struct worker *worker)
{
    uint32_t at = 0, size;
    bool waiting = link_next(&link->in, &at, &size) != NULL; /* since link_await */

    link->seen = *link->mail;
    if (!link_receive(link, !worker->busy && !waiting))
        return false;
    while (message_next(link))
        worker_receive(worker, link->now.data.at, link->now.data.count);
    return true;
}

bool link_await(struct link *link,
                bool (*is_answer)(const uint8_t *at, uint32_t size, struct bytes_reader *in),
                struct bytes *answer)
{
    struct bytes *in = &link->in;

    for (uint32_t at = 0;;) {
        uint32_t start = at, size;
        const uint8_t *message = link_next(in, &at, &size);
        struct bytes_reader reader;

        if (!message) {
            if (!link_receive(link, true))
                return false;
            continue;
        }
        if (!is_answer(message, size, &reader))
            continue;
        bytes_add(answer, message, size);
        memmove(in->data.at + start, in->data.at + at, in->data.count - at);
        in->data.count -= at - start;
        link->seen = *link->mail - 1; /* there may be others */
        return true;
    }
}

void link_serve(struct link *link, struct worker *worker)
{
    while (link_flush(link, worker) && !worker->stopped)
        if (worker->busy && *link->mail == link->seen)
            worker_advance(worker);
        else if (!link_take(link, worker))
            return;
}
