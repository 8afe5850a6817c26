#include <poll.h>
#include <string.h>

#include "base/check.h"
#include "cluster/local.h"
#include "cluster/remote.h"

/* A rank that serves: the parent of one worker, whose messages it passes on. */

#define TICK_MILLISECONDS 500

struct server {
    struct remote_service *service;
    struct local local;
    struct arena arena;
    struct bytes session;
    uint8_t losses; /* workers that died in this search */
    bool running;   /* there is a worker */
    bool ending;    /* and there will be no other */
    bool over;      /* the first rank is gone */
};

static void tell(struct server *server, enum remote_kind kind, const char *text)
{
    post_send(server->service->post, 0, (uint8_t)kind, text, text ? strlen(text) : 0);
}

/* ---- the worker */

static void server_message(void *context, uint32_t worker, const uint8_t *at, uint32_t size)
{
    struct server *server = context;

    (void)worker;
    post_send(server->service->post, 0, REMOTE_MESSAGE, at, size);
}

static void server_lost(void *context, uint32_t worker)
{
    struct server *server = context;

    (void)worker;
    if (server->ending)
        return;
    server->losses++; /* what is on its way was for the lost one */
    tell(server, REMOTE_LOST, NULL);
}

static void server_work(void *context, struct link *link, int mail_fd)
{
    struct server *server = context;

    server->service->work(server->service->context, &server->session, link, mail_fd);
}

static void worker_begin(struct server *server, const uint8_t *at, uint32_t size)
{
    server->session.data.count = 0;
    bytes_add(&server->session, at, size);
    local_open(&server->local, 1, server_work, server);
    server->local.also = server->service->post->fd;
    server->local.base.user =
        (struct transport_user){.message = server_message, .lost = server_lost, .context = server};
    server->running = true;
    server->ending = false;
    server->losses = 0;
    if (!server->local.base.ops->begin(&server->local.base))
        tell(server, REMOTE_FAILED, server->local.base.result.why);
}

static void worker_close(struct server *server)
{
    server->ending = true;
    if (server->running)
        server->local.base.ops->close(&server->local.base);
    server->running = false;
    tell(server, REMOTE_CLOSED, NULL);
}

/* What became of it. */
static void worker_look(struct server *server)
{
    struct transport_result *result = &server->local.base.result;
    uint8_t status = (uint8_t)result->status;

    if (status)
        post_send(server->service->post, 0, REMOTE_STATUS, &status, 1);
    else if (result->why)
        tell(server, REMOTE_FAILED, result->why);
    *result = (struct transport_result){0};
}

/* ---- the first rank */

static void answer(struct server *server, const char *why)
{
    if (!why)
        tell(server, REMOTE_WANTS, NULL);
    else if (*why)
        tell(server, REMOTE_REFUSES, why);
    else
        tell(server, REMOTE_READY, NULL);
}

static void server_piece(void *context, uint32_t rank, const uint8_t *at, uint32_t size)
{
    struct server *server = context;
    struct remote_service *service = server->service;

    if (rank != 0)
        return;
    if (!at) {
        server->over = true;
        return;
    }
    at++;
    size--;
    switch (at[-1]) {
    case REMOTE_SUBJECT:
        answer(server, service->subject(service->context, at, size));
        break;
    case REMOTE_FILE:
        answer(server, service->file(service->context, at, size));
        break;
    case REMOTE_BEGIN:
        if (!server->running)
            worker_begin(server, at, size);
        break;
    case REMOTE_MESSAGE:
        if (server->running && size > 0 && at[0] == server->losses)
            server->local.base.ops->send(&server->local.base, 0, at + 1, size - 1);
        break;
    case REMOTE_ENDS:
        server->ending = true;
        if (server->running)
            server->local.base.ops->ends(&server->local.base);
        break;
    case REMOTE_CLOSE:
        worker_close(server);
        break;
    case REMOTE_PING:
        tell(server, REMOTE_PING, NULL);
        break;
    }
}

void remote_serve(struct remote_service *service)
{
    struct server server = {.service = service};

    CHECK(arena_open(&server.arena, (size_t)1 << 34) == 0, "out of memory");
    bytes_open(&server.session, &server.arena);
    while (!server.over && !service->post->ended) {
        struct transport *local = &server.local.base;
        uint32_t here = server.running ? local->ops->take(local, TICK_MILLISECONDS) : 0;

        if (server.running)
            worker_look(&server);
        if (server.running && server.ending && here == 0)
            worker_close(&server); /* it has gone by itself */
        post_take(service->post, here ? 0 : TICK_MILLISECONDS, server_piece, &server);
    }
    if (server.running)
        server.local.base.ops->close(&server.local.base);
    arena_close(&server.arena);
}
