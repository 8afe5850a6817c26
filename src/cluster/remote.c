#include "cluster/remote.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

#define CLOSE_SECONDS  2.0  /* for ranks to end their workers */
#define HURRY_SECONDS  0.1  /* the same, if somebody will not wait */
#define PING_SECONDS   2.0  /* from one look whether all ranks are there to the next */
#define SILENT_SECONDS 20.0 /* who has not answered for so long is gone */

/* ---- the first rank */

static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void remote_fail(struct remote *remote, uint32_t rank, const char *text, size_t length)
{
    if (remote->base.result.why)
        return;
    snprintf(remote->why, sizeof remote->why, "rank %u: %.*s", rank, (int)length, text);
    remote->base.result.why = remote->why;
}

static void file_send(struct remote *remote, uint32_t rank)
{
    int fd = open(remote->file, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *at = MAP_FAILED;
    size_t size = 0;

    if (fd >= 0 && fstat(fd, &status) == 0 && (size = (size_t)status.st_size) > 0)
        at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at != MAP_FAILED) {
        post_send(remote->post, rank, REMOTE_FILE, at, size);
        munmap(at, size);
    } else {
        remote_fail(remote, rank, "the program cannot be read", 26);
    }
    if (fd >= 0)
        close(fd);
}

static void rank_closed(struct remote *remote, uint32_t worker)
{
    if (remote->begun[worker])
        remote->base.user.lost(remote->base.user.context, worker);
    remote->begun[worker] = false;
}

static void rank_begin(struct remote *remote, uint32_t worker)
{
    const struct bytes *session = remote->session;

    if (remote->closing)
        return;
    remote->begun[worker] = true;
    post_send(remote->post, worker + 1, REMOTE_BEGIN, session ? session->data.at : NULL,
              session ? session->data.count : 0);
}

static void remote_piece(void *context, uint32_t number, const uint8_t *at, uint32_t size)
{
    struct remote *remote = context;
    uint32_t worker = number - 1;

    if (number == 0 || worker >= remote->base.workers)
        return;
    if (!at) {
        remote->base.result.lost++;
        rank_closed(remote, worker);
        return;
    }
    remote->heard[worker] = clock_now();
    switch (at[0]) {
    case REMOTE_WANTS:
        file_send(remote, number);
        break;
    case REMOTE_READY:
        rank_begin(remote, worker);
        break;
    case REMOTE_REFUSES:
    case REMOTE_FAILED:
        remote_fail(remote, number, (const char *)at + 1, size - 1);
        break;
    case REMOTE_MESSAGE:
        if (remote->begun[worker])
            remote->base.user.message(remote->base.user.context, worker, at + 1, size - 1);
        break;
    case REMOTE_LOST:
        remote->base.result.lost++;
        remote->losses[worker]++;
        remote->base.user.lost(remote->base.user.context, worker);
        break;
    case REMOTE_STATUS:
        remote->base.result.status = size > 1 ? at[1] : 4;
        break;
    case REMOTE_CLOSED:
        rank_closed(remote, worker);
        break;
    }
}

static bool remote_begin(struct transport *transport)
{
    struct remote *remote = (struct remote *)transport;

    for (uint32_t i = 0; i < transport->workers; i++)
        if (!remote->post->gone[i + 1])
            post_send(remote->post, i + 1, REMOTE_SUBJECT, remote->subject->data.at,
                      remote->subject->data.count);
    return true;
}

static void remote_send(struct transport *transport, uint32_t worker, const void *at, uint32_t size)
{
    struct remote *remote = (struct remote *)transport;

    if (remote->begun[worker])
        post_send_for(remote->post, worker + 1, REMOTE_MESSAGE, remote->losses[worker], at, size);
}

/* MPI does not say when a rank is lost, if it lets the others live at all. */
static void ranks_ask(struct remote *remote)
{
    double now = clock_now();

    if (now < remote->pinged + PING_SECONDS)
        return;
    for (uint32_t i = 0; i < remote->base.workers; i++) {
        if (now > remote->pinged + 2 * PING_SECONDS)
            remote->heard[i] = now; /* we have slept ourselves, and asked nobody */
        if (remote->post->gone[i + 1])
            continue;
        if (now > remote->heard[i] + SILENT_SECONDS) {
            remote->post->gone[i + 1] = true;
            remote_piece(remote, i + 1, NULL, 0);
        } else {
            post_send(remote->post, i + 1, REMOTE_PING, NULL, 0);
        }
    }
    remote->pinged = now;
}

static uint32_t remote_take(struct transport *transport, int milliseconds)
{
    struct remote *remote = (struct remote *)transport;
    uint32_t here = 0, left = 0;

    ranks_ask(remote);
    post_take(remote->post, milliseconds, remote_piece, remote);
    for (uint32_t i = 0; i < transport->workers; i++) {
        here += remote->begun[i];
        left += !remote->post->gone[i + 1];
    }
    if (remote->post->ended || left == 0) {
        if (!transport->result.why)
            transport->result.why =
                left ? "the relay to the other ranks is gone" : "all ranks that work are gone";
        return 0;
    }
    return here;
}

static void remote_tell(struct remote *remote, enum remote_kind kind)
{
    for (uint32_t i = 0; i < remote->base.workers; i++)
        if (!remote->post->gone[i + 1])
            post_send(remote->post, i + 1, (uint8_t)kind, NULL, 0);
}

static void remote_ends(struct transport *transport)
{
    struct remote *remote = (struct remote *)transport;

    remote->closing = true;
    remote_tell(remote, REMOTE_ENDS);
}

/* Each answers, so that nothing of this search comes when the next one has begun. */
static void remote_close(struct transport *transport)
{
    struct remote *remote = (struct remote *)transport;
    double end = clock_now() + (transport->hurry ? HURRY_SECONDS : CLOSE_SECONDS);

    for (uint32_t i = 0; i < transport->workers; i++)
        remote->begun[i] = !remote->post->gone[i + 1]; /* one that was not begun answers, too */
    remote_tell(remote, REMOTE_CLOSE);
    while (remote_take(transport, 50) > 0 && clock_now() < end)
        continue;
    free(remote->begun);
    free(remote->losses);
    free(remote->heard);
}

static const struct transport_ops remote_ops = {.name = "remote",
                                                .begin = remote_begin,
                                                .send = remote_send,
                                                .take = remote_take,
                                                .ends = remote_ends,
                                                .close = remote_close};

void remote_open(struct remote *remote, struct post *post, const struct bytes *subject,
                 const char *file, const struct bytes *session)
{
    *remote = (struct remote){.base = {.ops = &remote_ops, .workers = post->size - 1},
                              .post = post,
                              .subject = subject,
                              .session = session,
                              .file = file};
    remote->begun = calloc(post->size, sizeof *remote->begun);
    remote->losses = calloc(post->size, sizeof *remote->losses);
    remote->heard = calloc(post->size, sizeof *remote->heard);
    CHECK(remote->begun && remote->losses && remote->heard, "out of memory");
}
