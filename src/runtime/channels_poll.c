#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#include "runtime/channels.h"
#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/outside.h"
#include "runtime/plain.h"
#include "runtime/state.h"
#include "runtime/time.h"

/* Waiting for one of several descriptors. A wait with a timeout times out if nothing is ready when its turn comes: to wait longer is
 * to have its turn later. */

#define SECOND 1000000000

static struct description *sets; /* of this execution, newest first */

void channels_poll_restart(void)
{
    sets = NULL;
}

/* ---- what is watched */

struct channel_item channels_item(const struct description *d, int fd, uint32_t events)
{
    static const uint8_t kinds[] = {
        [DESCRIPTION_SOCKET] = CHANNEL_IS_IDLE,     [DESCRIPTION_LISTENER] = CHANNEL_IS_QUEUE,
        [DESCRIPTION_STREAM] = CHANNEL_IS_TCP,      [DESCRIPTION_MESSAGES] = CHANNEL_IS_SOCKET,
        [DESCRIPTION_COUNTER] = CHANNEL_IS_COUNTER, [DESCRIPTION_SET] = CHANNEL_IS_SET,
        [DESCRIPTION_OUTSIDE] = CHANNEL_IS_READY,   [DESCRIPTION_OTHER] = CHANNEL_IS_QUEUE,
    };
    struct channel_item item;

    memset(&item, 0, sizeof item); /* with what lies between its members */
    item.fd = (uint32_t)fd;
    item.events = events;
    if (!d)
        return item; /* a file */
    if (d->kind == DESCRIPTION_OTHER)
        channels_unknown(d);
    item.kind = kinds[d->kind];
    if (d->kind == DESCRIPTION_LISTENER && outside_comes_to(d->in->name))
        item.kind = CHANNEL_IS_READY;
    if (d->kind == DESCRIPTION_PIPE)
        item.kind = d->in ? CHANNEL_IS_READ_END : CHANNEL_IS_WRITE_END;
    if (d->kind == DESCRIPTION_STREAM && d->domain == AF_UNIX)
        item.kind = CHANNEL_IS_SOCKET;
    if (d->in)
        item.in = d->in->name;
    if (d->out && d->kind != DESCRIPTION_COUNTER) {
        item.out = d->out->name;
        item.room = d->out->capacity;
    }
    return item;
}

/* What is ready of what: filled by events_look, in the order of the items. */
struct look {
    uint32_t count;
    uint32_t *events;
    struct outside_wait outside[OUTSIDE_POLL_MAX + 1];
    uint32_t outside_count;
};

static bool is_outside(const struct channel_item *item, const struct description *d)
{
    return d && d->kind == DESCRIPTION_OUTSIDE && item->kind == CHANNEL_IS_READY && !item->off;
}

static uint32_t events_inside(const struct channel_item *item, const struct description *d)
{
    if (d && d->kind == DESCRIPTION_LISTENER && item->kind == CHANNEL_IS_READY)
        return item->events & (POLLIN | POLLRDNORM); /* somebody always comes */
    return channel_item_events(native.world, &view_now, item);
}

static void outside_look(struct look *look, const struct channel_item *items, bool ready,
                         int64_t timeout)
{
    uint32_t next = 0;

    if (look->outside_count == 0)
        return;
    spin_forget();
    if (!outside_poll(look->outside, look->outside_count, ready ? 0 : timeout) && !ready &&
        timeout < 0)
        outside_give_up();
    for (uint32_t i = 0; i < look->count; i++)
        if (is_outside(&items[i], channels_find((int)items[i].fd)))
            look->events[i] = look->outside[next++].ready;
}

/* The events of all items: those of the program as they are; if there are none, other processes get the time that there is. */
static struct look events_look(const struct channel_item *items, uint32_t count, int64_t timeout)
{
    struct look look = {.count = count, .events = channels_alloc((count + 1) * sizeof(uint32_t))};
    bool ready = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct description *d = channels_find((int)items[i].fd);

        if (is_outside(&items[i], d) && look.outside_count < OUTSIDE_POLL_MAX)
            look.outside[look.outside_count++] = (struct outside_wait){d, items[i].events, 0};
        else if (!is_outside(&items[i], d))
            ready |= (look.events[i] = events_inside(&items[i], d)) != 0;
        else
            native_unsupported("a wait for so many other processes");
    }
    outside_look(&look, items, ready, timeout);
    return look;
}

static void look_free(const struct look *look)
{
    channels_free(look->events, (look->count + 1) * sizeof(uint32_t));
}

/* Waits until something is ready, or only looks; of a set if there is one. */
static void wait_for(struct description *d, channel_list_id list, bool waits)
{
    bool ready;

    if (d)
        d->busy++;
    ready = channels_ask(waits ? OP_CHANNEL_POLL : OP_CHANNEL_TRYPOLL, d ? d->in->name : 0, list, 0,
                         waits ? channels_cancellable() : 0);
    if (d)
        d->busy--;
    if (waits && !ready)
        native_cancel_point();
}

/* `timeout` nanoseconds pass for the running thread. */
static void time_passes(int64_t timeout)
{
    if (timeout > 0)
        time_reach(native.current->time + (uint64_t)timeout);
}

/* ---- poll */

static bool is_open(int fd)
{
    return syscall(SYS_fcntl, fd, F_GETFD) >= 0 && !state_fd_is_ours(fd);
}

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
        if (!d && !is_open(fds[i].fd)) {
            fds[i].revents = POLLNVAL;
            ++*bad;
            continue;
        }
        items[count++] = channels_item(d, fds[i].fd, (uint16_t)fds[i].events);
    }
    return count;
}

static int poll_answer(struct pollfd *fds, nfds_t n, const struct look *look)
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
    struct look look;
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
    wait_for(NULL, list, timeout < 0 && !bad);
    look = events_look(items, count, bad ? 0 : timeout);
    ready = poll_answer(fds, n, &look);
    look_free(&look);
    channels_free(items, (n + 1) * sizeof *items);
    if (ready == 0)
        time_passes(timeout);
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
    native_writes(fds, n * sizeof *fds);
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = copy[i].revents;
    channels_free(copy, n * sizeof *copy);
    return ready;
}

REAL_CALL(poll)
INTERPOSE int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    if (!native.current)
        return REAL(poll)(fds, n, timeout);
    return poll_program(fds, n, timeout < 0 ? -1 : (int64_t)timeout * 1000000);
}

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
_Noreturn void __chk_fail(void);

INTERPOSE int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    if (n > room / sizeof *fds)
        __chk_fail();
    return poll(fds, n, timeout);
}

static int64_t nanoseconds(const struct timespec *time)
{
    return time ? (int64_t)time->tv_sec * SECOND + time->tv_nsec : -1;
}

REAL_CALL(ppoll)
INTERPOSE int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                    const sigset_t *mask)
{
    if (!native.current)
        return REAL(ppoll)(fds, n, timeout, mask);
    return poll_program(fds, n, nanoseconds(timeout));
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
        if (!channels_find(fds[i].fd) && !is_open(fds[i].fd))
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
    int64_t time = timeout ? (int64_t)timeout->tv_sec * SECOND + timeout->tv_usec * 1000 : -1;
    int got;

    if (!native.current)
        return REAL(select)(n, in, out, bad, timeout);
    got = select_for(n, in, out, bad, time);
    if (got == 0 && timeout)
        *timeout = (struct timeval){0};
    return got;
}

REAL_CALL(pselect)
INTERPOSE int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
                      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    if (!native.current)
        return REAL(pselect)(n, in, out, bad, timeout, mask);
    return select_for(n, in, out, bad, nanoseconds(timeout));
}

/* ---- event counters */

REAL_CALL(eventfd)
INTERPOSE int eventfd(unsigned value, int flags)
{
    int fd = REAL(eventfd)(value, flags);
    struct description *d;

    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    d = channels_new(DESCRIPTION_COUNTER);
    d->nonblocking = flags & EFD_NONBLOCK;
    d->semaphore = flags & EFD_SEMAPHORE;
    d->in = d->out = channels_channel("event counter", fd);
    d->in->counter = value;
    channels_add(fd, d);
    if (value)
        channels_ask(OP_CHANNEL_SET, d->in->name, value, 0, 0);
    return fd;
}

INTERPOSE int eventfd_read(int fd, eventfd_t *value)
{
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

INTERPOSE int eventfd_write(int fd, eventfd_t value)
{
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

/* ---- sets: the state of one is the number of its list. To change it is a step of its own. */

static int set_create(int fd)
{
    struct description *d;

    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    d = channels_new(DESCRIPTION_SET);
    d->in = channels_channel("epoll set", fd);
    d->next = sets;
    sets = d;
    channels_add(fd, d);
    return fd;
}

REAL_CALL(epoll_create)
INTERPOSE int epoll_create(int size)
{
    return set_create(REAL(epoll_create)(size));
}

REAL_CALL(epoll_create1)
INTERPOSE int epoll_create1(int flags)
{
    return set_create(REAL(epoll_create1)(flags));
}

static struct channel_item *set_copy(const struct description *d, uint32_t *count)
{
    struct world *world = native.world;
    uint64_t list = world_state(world, world_location(world, OBJECT_CHANNEL, d->in->name));
    const struct channel_item *items =
        channel_list_items(&world->channel_lists, (channel_list_id)list, count);
    struct channel_item *copy = channels_alloc((*count + 1) * sizeof *copy);

    return memcpy(copy, items, *count * sizeof *copy);
}

static void set_store(const struct description *d, const struct channel_item *items, uint32_t count)
{
    world_object_set(native.world, OBJECT_CHANNEL, d->in->name,
                     channel_list_of(&native.world->channel_lists, items, count));
}

static int set_change(struct description *set, int how, int fd, const struct description *d,
                      const struct epoll_event *event)
{
    uint32_t count, at = 0;
    struct channel_item *items = set_copy(set, &count);

    while (at < count && items[at].fd != (uint32_t)fd)
        at++;
    if (how == EPOLL_CTL_ADD ? at < count : at == count)
        return channels_fail(how == EPOLL_CTL_ADD ? EEXIST : ENOENT);
    if (how == EPOLL_CTL_DEL) {
        memmove(&items[at], &items[at + 1], (--count - at) * sizeof *items);
    } else {
        items[at] = channels_item(d, fd, event->events & 0xffff);
        items[at].data = event->data.u64;
        items[at].edge = event->events & EPOLLET;
        items[at].once = event->events & EPOLLONESHOT;
        items[at].seen_in = items[at].seen_out = CHANNEL_UNSEEN;
        count += how == EPOLL_CTL_ADD;
    }
    set_store(set, items, count);
    return 0;
}

REAL_CALL(epoll_ctl)
INTERPOSE int epoll_ctl(int set, int how, int fd, struct epoll_event *event)
{
    struct description *s, *d;
    uint32_t count;

    if (!native.current)
        return REAL(epoll_ctl)(set, how, fd, event);
    s = channels_use(set);
    d = channels_use(fd);
    if ((!s && !is_open(set)) || (!d && !is_open(fd)))
        return channels_fail(EBADF);
    if (!s || s->kind != DESCRIPTION_SET || s == d || how < EPOLL_CTL_ADD || how > EPOLL_CTL_MOD)
        return channels_fail(EINVAL);
    if (!d)
        return channels_fail(EPERM); /* a file */
    channels_ask(OP_CHANNEL_USE, s->in->name, 0, 0, 0);
    set_copy(s, &count);
    if (count >= CHANNELS_POLL_MAX) {
        native_unsupported("a wait for more than 500 descriptors");
        return channels_fail(ENOSPC);
    }
    return set_change(s, how, fd, d, event);
}

void channels_unwatch(const struct description *d)
{
    for (struct description *set = sets; set; set = set->next) {
        uint32_t count, kept = 0;
        struct channel_item *items = set_copy(set, &count);
        struct channel_item now = channels_item(d, 0, 0);
        bool watched = false;

        for (uint32_t i = 0; i < count; i++)
            watched |= items[i].in == now.in && items[i].out == now.out;
        if (!watched || set == d || set->descriptors == 0)
            continue;
        channels_ask(OP_CHANNEL_USE, set->in->name, 0, 0, 0);
        items = set_copy(set, &count);
        for (uint32_t i = 0; i < count; i++)
            if (items[i].in != now.in || items[i].out != now.out)
                items[kept++] = items[i];
        set_store(set, items, kept);
    }
}

/* What the set has told, it remembers where that matters. */
static void item_told(struct channel_item *item)
{
    struct world *world = native.world;

    item->off = item->once;
    if (!item->edge)
        return;
    if (item->in)
        item->seen_in = (uint16_t)channel_arrivals(
            world_state(world, world_location(world, OBJECT_CHANNEL, item->in)));
    if (item->out)
        item->seen_out = (uint16_t)channel_arrivals(
            world_state(world, world_location(world, OBJECT_CHANNEL, item->out)));
}

static int set_answer(const struct description *set, struct epoll_event *to, int room,
                      int64_t timeout)
{
    uint32_t count;
    struct channel_item *items = set_copy(set, &count);
    struct look look = events_look(items, count, timeout);
    bool changed = false;
    int ready = 0;

    for (uint32_t i = 0; i < count && ready < room; i++) {
        if (!look.events[i])
            continue;
        to[ready].events = look.events[i];
        to[ready++].data.u64 = items[i].data;
        changed |= items[i].once || items[i].edge;
        item_told(&items[i]);
    }
    look_free(&look);
    if (changed)
        set_store(set, items, count);
    return ready;
}

static int set_wait(int fd, struct epoll_event *to, int room, int64_t timeout)
{
    struct description *set;
    struct epoll_event *told;
    int ready;

    native_cancel_point();
    set = channels_use(fd);

    if (!set)
        return channels_fail(is_open(fd) ? EINVAL : EBADF);
    if (set->kind != DESCRIPTION_SET || room <= 0)
        return channels_fail(EINVAL);
    wait_for(set, 0, timeout < 0);
    if (room > CHANNELS_POLL_MAX)
        room = CHANNELS_POLL_MAX;
    told = channels_alloc((size_t)room * sizeof *told);
    ready = set_answer(set, told, room, timeout);
    if (ready == 0)
        time_passes(timeout);
    if (ready > 0) {
        native_writes(to, (size_t)ready * sizeof *to);
        memcpy(to, told, (size_t)ready * sizeof *to);
    }
    channels_free(told, (size_t)room * sizeof *told);
    return ready;
}

REAL_CALL(epoll_wait)
INTERPOSE int epoll_wait(int fd, struct epoll_event *to, int room, int timeout)
{
    if (!native.current)
        return REAL(epoll_wait)(fd, to, room, timeout);
    return set_wait(fd, to, room, timeout < 0 ? -1 : (int64_t)timeout * 1000000);
}

REAL_CALL(epoll_pwait)
INTERPOSE int epoll_pwait(int fd, struct epoll_event *to, int room, int timeout,
                          const sigset_t *mask)
{
    if (!native.current)
        return REAL(epoll_pwait)(fd, to, room, timeout, mask);
    return epoll_wait(fd, to, room, timeout);
}

REAL_CALL(epoll_pwait2)
INTERPOSE int epoll_pwait2(int fd, struct epoll_event *to, int room, const struct timespec *timeout,
                           const sigset_t *mask)
{
    if (!native.current)
        return REAL(epoll_pwait2)(fd, to, room, timeout, mask);
    return set_wait(fd, to, room, nanoseconds(timeout));
}
