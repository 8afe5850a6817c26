#include "cluster/local.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

#define CHUNK          65536
#define ARENA_RESERVE  ((size_t)1 << 36)
#define DEATHS_IN_VAIN 20 /* of workers in a row, before one of them has done anything */

/* One worker, as its parent sees it. */
struct local_worker {
    pid_t pid; /* 0: none */
    int fd;
    int mail_fd;
    volatile uint32_t *mail;
    struct bytes in, out;
    bool spoke; /* has said more than that it is there */
};

/* ---- in the worker */

static ssize_t plain_receive(int fd, void *at, size_t size, bool wait)
{
    return recv(fd, at, size, wait ? 0 : MSG_DONTWAIT);
}

static ssize_t plain_send(int fd, const void *at, size_t size)
{
    return send(fd, at, size, MSG_NOSIGNAL);
}

static _Noreturn void worker_begin(struct local *local, struct local_worker *worker, int fd,
                                   pid_t parent)
{
    struct link link = {.number = (uint32_t)(worker - local->list),
                        .fd = fd,
                        .mail = worker->mail,
                        .receive = plain_receive,
                        .send = plain_send};
    static struct arena arena;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || arena_open(&arena, (size_t)1 << 34) != 0)
        _exit(0);
    bytes_open(&link.in, &arena);
    for (uint32_t i = 0; i < local->base.workers; i++)
        if (local->list[i].fd >= 0)
            close(local->list[i].fd); /* else nobody would notice the end of the others */
    if (local->also >= 0)
        close(local->also);
    local->work(local->context, &link, worker->mail_fd);
    _exit(0);
}

/* ---- in the parent */

static bool mail_make(struct local_worker *worker)
{
    worker->mail_fd = memfd_create("raddle mail", MFD_CLOEXEC);
    if (worker->mail_fd < 0 || ftruncate(worker->mail_fd, 4096) != 0)
        return false;
    worker->mail = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, worker->mail_fd, 0);
    if (worker->mail == MAP_FAILED)
        worker->mail = NULL;
    return worker->mail != NULL;
}

static bool worker_start(struct local *local, struct local_worker *worker)
{
    pid_t parent = getpid();
    int ends[2];

    if ((!worker->mail && !mail_make(worker)) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid == 0) {
        close(ends[0]);
        worker_begin(local, worker, ends[1], parent);
    }
    close(ends[1]);
    worker->fd = ends[0];
    worker->in.data.count = worker->out.data.count = 0;
    worker->spoke = false;
    return worker->pid > 0;
}

static bool worker_start_or_fail(struct local *local, struct local_worker *worker)
{
    if (worker_start(local, worker))
        return true;
    local->base.result.error = errno;
    local->base.result.why = "cannot start a worker";
    return false;
}

/* The worker is gone. Its place is taken by another one, unless that has been in vain too often. */
static void worker_gone(struct local *local, uint32_t number)
{
    struct local_worker *worker = &local->list[number];
    struct transport_result *result = &local->base.result;
    int status = 0;

    close(worker->fd);
    worker->fd = -1;
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    worker->pid = 0;
    local->base.user.lost(local->base.user.context, number);
    if (local->ending)
        return;
    result->lost++;
    local->vain = worker->spoke ? 0 : local->vain + 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        result->status = WEXITSTATUS(status);
    else if (local->vain > DEATHS_IN_VAIN)
        result->why = "the workers die";
    else
        worker_start_or_fail(local, worker);
}

/* As much as its socket takes. */
static void worker_write(struct local_worker *worker)
{
    struct bytes *out = &worker->out;
    uint32_t sent = 0;

    while (worker->fd >= 0 && sent < out->data.count) {
        ssize_t n = send(worker->fd, out->data.at + sent, out->data.count - sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n <= 0)
            break; /* full, or gone: then its end is read soon */
        sent += (uint32_t)n;
    }
    if (sent == 0)
        return;
    bytes_drop(out, sent);
    ++*worker->mail;
}

static void local_send(struct transport *transport, uint32_t number, const void *at, uint32_t size)
{
    struct local *local = (struct local *)transport;
    struct bytes *out = &local->list[number].out;

    if (local->list[number].fd < 0)
        return;
    link_length(out, size);
    bytes_add(out, at, size);
}

static void worker_read(struct local *local, uint32_t number)
{
    struct local_worker *worker = &local->list[number];
    struct bytes *in = &worker->in;
    const uint8_t *message;
    uint32_t at = 0, size;
    ssize_t n;

    vec_reserve(in->arena, &in->data, CHUNK);
    n = recv(worker->fd, in->data.at + in->data.count, CHUNK, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        worker_gone(local, number);
        return;
    }
    in->data.count += (uint32_t)n;
    while ((message = link_next(in, &at, &size))) {
        worker->spoke |= size > 0 && message[0] != MESSAGE_READY;
        local->base.user.message(local->base.user.context, number, message, size);
    }
    bytes_drop(in, at);
}

static uint32_t local_take(struct transport *transport, int milliseconds)
{
    struct local *local = (struct local *)transport;
    uint32_t here = 0, workers = transport->workers;

    for (uint32_t i = 0; i < workers; i++) {
        struct local_worker *worker = &local->list[i];

        if (worker->out.data.count > 0)
            worker_write(worker);
        here += worker->fd >= 0;
        local->polled[i] = (struct pollfd){
            .fd = worker->fd, .events = (short)(POLLIN | (worker->out.data.count ? POLLOUT : 0))};
    }
    local->polled[workers] = (struct pollfd){.fd = local->also, .events = POLLIN};
    if (here == 0 || poll(local->polled, workers + 1, milliseconds) <= 0)
        return here;
    for (uint32_t i = 0; i < workers; i++) {
        if (local->list[i].fd < 0)
            continue;
        if (local->polled[i].revents & POLLOUT)
            worker_write(&local->list[i]);
        if (local->polled[i].revents & (POLLIN | POLLHUP | POLLERR))
            worker_read(local, i);
    }
    return here;
}

static bool local_begin(struct transport *transport)
{
    struct local *local = (struct local *)transport;

    for (uint32_t i = 0; i < transport->workers; i++)
        if (!worker_start_or_fail(local, &local->list[i]))
            return false;
    return true;
}

static void local_ends(struct transport *transport)
{
    ((struct local *)transport)->ending = true;
}

static void local_close(struct transport *transport)
{
    struct local *local = (struct local *)transport;

    local->ending = true;
    for (uint32_t i = 0; i < transport->workers; i++) {
        struct local_worker *worker = &local->list[i];

        if (worker->fd >= 0) {
            kill(worker->pid, SIGKILL);
            worker_gone(local, i);
        }
        if (worker->mail)
            munmap((void *)worker->mail, 4096);
        if (worker->mail_fd >= 0)
            close(worker->mail_fd);
    }
    free(local->list);
    free(local->polled);
    arena_close(&local->arena);
}

static const struct transport_ops local_ops = {.name = "local",
                                               .begin = local_begin,
                                               .send = local_send,
                                               .take = local_take,
                                               .ends = local_ends,
                                               .close = local_close};

void local_open(struct local *local, uint32_t workers,
                void (*work)(void *context, struct link *link, int mail_fd), void *context)
{
    *local = (struct local){.base = {.ops = &local_ops, .workers = workers},
                            .work = work,
                            .context = context,
                            .also = -1};
    local->list = calloc(workers, sizeof *local->list);
    local->polled = calloc(workers + 1, sizeof *local->polled);
    CHECK(local->list && local->polled && arena_open(&local->arena, ARENA_RESERVE) == 0,
          "out of memory");
    for (uint32_t i = 0; i < workers; i++) {
        local->list[i].fd = local->list[i].mail_fd = -1;
        bytes_open(&local->list[i].in, &local->arena);
        bytes_open(&local->list[i].out, &local->arena);
    }
}
