#include "runtime/job/work.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/check.h"
#include "cluster/findings.h"
#include "cluster/link.h"
#include "cluster/numbers.h"
#include "runtime/core/kernel.h"
#include "runtime/program/native.h"

/* One of several processes that search together: its end of the messages. */

#define SCRATCH ((size_t)1 << 34)

/* What outlives a process that the program takes with it: it is in the session. */
struct work_desk {
    struct worker worker;
    struct link link;
};

static struct arena work_scratch; /* outlives a run: memory for one message */

static ssize_t work_receive(int fd, void *at, size_t size, bool wait)
{
    ssize_t n;

    native.session->work_waits = wait; /* the driver would think that it is stuck */
    n = syscall(SYS_recvfrom, fd, at, size, wait ? 0 : MSG_DONTWAIT, NULL, NULL);
    native.session->work_waits = false;
    return n;
}

static ssize_t work_send(int fd, const void *at, size_t size)
{
    return syscall(SYS_sendto, fd, at, size, MSG_NOSIGNAL, NULL, 0);
}

/* What was found goes before what counts as done by it. */
static void work_before(void *context, struct bytes *first)
{
    findings_tell(context, first);
}

/* Nobody is there any more to search with. */
static _Noreturn void work_is_over(void)
{
    for (;;)
        syscall(SYS_exit_group, 0);
}

/* A thread that this process has not seen before: all must agree on its number. */
static void work_agree(uint32_t parent, uint32_t rank)
{
    struct session *session = native.session;
    struct work_desk *desk = session->worker;
    struct bytes *out = &desk->worker.out, ask, answer;
    struct bytes_reader in;
    uint32_t number, count;

    bytes_open(&ask, &session->arena);
    bytes_open(&answer, &session->arena);
    numbers_ask_write(session->threads.count, parent, rank, &ask);
    link_length(out, ask.data.count);
    bytes_add(out, ask.data.at, ask.data.count);
    if (!link_flush(&desk->link, &desk->worker) ||
        !link_await(&desk->link, numbers_is_answer, &answer))
        work_is_over();
    numbers_is_answer(answer.data.at, answer.data.count, &in);
    number = bytes_read_below(&in, UINT32_MAX);
    count = bytes_read_count(&in, 2);
    CHECK(!in.failed && number == session->threads.count, "an answer to another question");
    while (count-- > 0) {
        uint32_t of = bytes_read_below(&in, UINT32_MAX);

        native_number_add(of, bytes_read_below(&in, UINT32_MAX));
    }
    vec_free(ask.arena, &ask.data);
    vec_free(answer.arena, &answer.data);
}

static void work_open_link(struct session *session, struct link *link)
{
    void *scratch = kernel_map(NULL, SCRATCH);

    CHECK(scratch, "no memory for messages");
    arena_place(&work_scratch, scratch, SCRATCH);
    link->fd = session->work_fd;
    link->mail = (const volatile uint32_t *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED,
                                                    session->mail_fd, 0L);
    CHECK((void *)link->mail != MAP_FAILED, "no memory for mail");
    link->seen = *link->mail - 1; /* the process before may have left something unread */
    link->receive = work_receive;
    link->send = work_send;
    link->before = work_before;
    link->context = session;
}

bool work_search(struct session *session, bool resumed)
{
    struct work_desk *desk = session->worker;
    struct work_identity identity = {session->work_program, session->work_options};

    native.agree = work_agree;
    if (!resumed) {
        desk = arena_alloc(&session->arena, sizeof *desk);
        memset(desk, 0, sizeof *desk);
        bytes_open(&desk->link.in, &session->arena);
        session->worker = desk;
        work_open_link(session, &desk->link);
        worker_open(&desk->worker, &session->explorer, &work_scratch, session->work_limit,
                    &identity);
    } else {
        work_open_link(session, &desk->link);
        desk->worker.scratch = &work_scratch;
        if (!explorer_recover(&session->explorer))
            return false;
    }
    link_serve(&desk->link, &desk->worker);
    return session->explorer.diverged == EVENT_NONE;
}
