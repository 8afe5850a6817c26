#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

#include "runtime/channels/watch.h"
#include "runtime/ending/ending.h"
#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"
#include "runtime/signals/signals.h"

/* Waiting for one of several descriptors: poll and select. */

#define MILLISECOND 1000000
#define SECOND      1000000000

/* ---- poll */

/* The items of those that are open; what is not is answered at once. */
static uint32_t poll_items(struct pollfd *fds, nfds_t n, struct channel_item *items, int *bad)
{
    uint32_t count = 0;

    *bad = 0;
    for (nfds_t i = 0; i < n; i++) {
        const struct description *d;

        fds[i].revents = 0;
        if (fds[i].fd < 0)
            continue;
        d = channels_use(fds[i].fd);
        if (!d && !watch_is_open(fds[i].fd)) {
            fds[i].revents = POLLNVAL;
            ++*bad;
            continue;
        }
        items[count++] = channels_item(d, fds[i].fd, (uint16_t)fds[i].events);
    }
    return count;
}

static int poll_answer(struct pollfd *fds, nfds_t n, const struct watch_look *look)
{
    const uint32_t *events = look->events;
    int ready = 0;

    for (nfds_t i = 0; i < n; i++) {
        if (fds[i].fd >= 0 && fds[i].revents != POLLNVAL)
            fds[i].revents = (short)*events++;
        ready += fds[i].revents != 0;
    }
    return ready;
}

/* Only what may block is watched; a timeout below 0 is none. */
static int poll_for(struct pollfd *fds, nfds_t n, int64_t timeout)
{
    struct channel_item *items;
    struct watch_look look;
    channel_list_id list;
    uint32_t count;
    int ready, bad;

    native_cancel_point();
    if (n > CHANNELS_POLL_MAX) {
        native_unsupported("a wait for more than 500 descriptors");
        return channels_fail(EINVAL);
    }
    items = channels_alloc((n + 1) * sizeof *items);
    count = poll_items(fds, n, items, &bad);
    list = channel_list_of(&native.world->channel_lists, items, count);
    if (!watch_wait(NULL, list, timeout < 0 && !bad))
        return channels_fail(EINTR);
    look = watch_look(items, count, bad ? 0 : timeout);
    ready = poll_answer(fds, n, &look);
    watch_look_free(&look);
    channels_free(items, (n + 1) * sizeof *items);
    if (ready == 0 && !watch_time_passes(timeout))
        return channels_fail(EINTR);
    return ready;
}

/* The program's memory is read before the wait, and written after it. */
static int poll_program(struct pollfd *fds, nfds_t n, int64_t timeout)
{
    struct pollfd *copy;
    int ready;

    if (n > CHANNELS_POLL_MAX || n == 0)
        return poll_for(fds, n, timeout);
    copy = channels_alloc(n * sizeof *copy);
    native_reads(fds, n * sizeof *fds);
    memcpy(copy, fds, n * sizeof *fds);
    ready = poll_for(copy, n, timeout);
    if (ready >= 0)
        native_writes(fds, n * sizeof *fds);
    for (nfds_t i = 0; ready >= 0 && i < n; i++)
        fds[i].revents = copy[i].revents;
    channels_free(copy, n * sizeof *copy);
    return ready;
}

REAL_CALL(poll)
INTERPOSE int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    if (!native.current)
        return REAL(poll)(fds, n, timeout);
    return poll_program(fds, n, timeout < 0 ? -1 : (int64_t)timeout * MILLISECOND);
}

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
_Noreturn void __chk_fail(void);

INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    if (n > room / sizeof *fds)
        __chk_fail();
    return poll(fds, n, timeout);
}

REAL_CALL(ppoll)
INTERPOSE int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask)
{
    int64_t time;
    uint64_t before;
    int got;

    if (!native.current)
        return REAL(ppoll)(fds, n, timeout, mask);
    time = watch_nanoseconds(timeout);
    before = watch_mask_begin(mask, &time);
    got = poll_program(fds, n, time);
    signals_mask_end(before);
    return got;
}

/* ---- select */

static int select_polls(int n, const fd_set *in, const fd_set *out, const fd_set *bad,
                        struct pollfd *fds)
{
    int count = 0;

    for (int fd = 0; fd < n; fd++) {
        short events = (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
                               (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
                               (bad && FD_ISSET(fd, bad) ? POLLPRI : 0));

        if (events)
            fds[count++] = (struct pollfd){.fd = fd, .events = events};
    }
    return count;
}

static int select_answer(const struct pollfd *fds, int count, fd_set *in, fd_set *out, fd_set *bad)
{
    int ready = 0;

    for (int i = 0; i < count; i++) {
        short got = fds[i].revents, asked = fds[i].events;
        bool reads = asked & POLLIN && got & (POLLIN | POLLHUP | POLLERR);
        bool writes = asked & POLLOUT && got & (POLLOUT | POLLERR);

        if (asked & POLLIN && !reads)
            FD_CLR(fds[i].fd, in);
        if (asked & POLLOUT && !writes)
            FD_CLR(fds[i].fd, out);
        if (asked & POLLPRI)
            FD_CLR(fds[i].fd, bad);
        ready += reads + writes;
    }
    return ready;
}

static int select_copies(int n, fd_set *in, fd_set *out, fd_set *bad, int64_t timeout)
{
    struct pollfd *fds;
    int count, got;

    if (n < 0 || n > FD_SETSIZE)
        return channels_fail(EINVAL);
    fds = channels_alloc(((size_t)n + 1) * sizeof *fds);
    count = select_polls(n, in, out, bad, fds);
    for (int i = 0; i < count; i++)
        if (!channels_find(fds[i].fd) && !watch_is_open(fds[i].fd))
            return channels_fail(EBADF);
    got = poll_for(fds, (nfds_t)count, timeout);
    return got < 0 ? got : select_answer(fds, count, in, out, bad);
}

static void set_take(fd_set *copy, const fd_set *set)
{
    if (!set)
        return;
    native_reads(set, sizeof *set);
    *copy = *set;
}

static void set_give(fd_set *set, const fd_set *copy)
{
    if (!set)
        return;
    native_writes(set, sizeof *set);
    *set = *copy;
}

static int select_for(int n, fd_set *in, fd_set *out, fd_set *bad, int64_t timeout)
{
    fd_set reads, writes, others;
    int ready;

    set_take(&reads, in);
    set_take(&writes, out);
    set_take(&others, bad);
    ready =
        select_copies(n, in ? &reads : NULL, out ? &writes : NULL, bad ? &others : NULL, timeout);
    if (ready < 0)
        return ready;
    set_give(in, &reads);
    set_give(out, &writes);
    set_give(bad, &others);
    return ready;
}

REAL_CALL(select)
INTERPOSE int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                     struct timeval *restrict timeout)
{
    int64_t time;
    int got;

    if (!native.current)
        return REAL(select)(n, in, out, bad, timeout);
    if (timeout)
        native_reads(timeout, sizeof *timeout);
    time = timeout ? (int64_t)timeout->tv_sec * SECOND + timeout->tv_usec * 1000 : -1;
    got = select_for(n, in, out, bad, time);
    if (timeout && got >= 0)
        native_writes(timeout, sizeof *timeout);
    if (got == 0 && timeout)
        *timeout = (struct timeval){0};
    return got;
}

REAL_CALL(pselect)
INTERPOSE int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    int64_t time;
    uint64_t before;
    int got;

    if (!native.current)
        return REAL(pselect)(n, in, out, bad, timeout, mask);
    time = watch_nanoseconds(timeout);
    before = watch_mask_begin(mask, &time);
    got = select_for(n, in, out, bad, time);
    signals_mask_end(before);
    return got;
}
