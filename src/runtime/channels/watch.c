#include "runtime/channels/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/ending/ending.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/spin.h"
#include "runtime/signals/signals.h"
#include "runtime/time/time.h"

#define SECOND 1000000000

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
    if (d->kind == DESCRIPTION_MESSAGES && d->type == SOCK_DGRAM)
        item.kind = CHANNEL_IS_DATAGRAM;
    if (d->in)
        item.in = d->in->name;
    if (d->out && d->kind != DESCRIPTION_COUNTER) {
        item.out = d->out->name;
        item.room = d->out->capacity;
        if (d->kind == DESCRIPTION_PIPE) /* what is written whole must fit */
            item.room -= PIPE_BUF - 1;
    }
    return item;
}

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

static void outside_look(struct watch_look *look, const struct channel_item *items, bool ready,
                         int64_t timeout)
{
    uint32_t next = 0;

    if (look->outside_count == 0)
        return;
    spin_forget();
    if (!outside_poll(look->outside, look->outside_count,
                      ready || timeout == WATCH_DUE ? 0 : timeout) &&
        !ready && timeout < 0)
        outside_give_up();
    for (uint32_t i = 0; i < look->count; i++)
        if (is_outside(&items[i], channels_find((int)items[i].fd)))
            look->events[i] = look->outside[next++].ready;
}

struct watch_look watch_look(const struct channel_item *items, uint32_t count, int64_t timeout)
{
    struct watch_look look = {.count = count,
                              .events = channels_alloc((count + 1) * sizeof(uint32_t))};
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

void watch_look_free(const struct watch_look *look)
{
    channels_free(look->events, (look->count + 1) * sizeof(uint32_t));
}

bool watch_wait(struct description *d, channel_list_id list, bool waits)
{
    int64_t ready;

    if (d)
        d->busy++;
    ready = channels_ask(waits ? OP_CHANNEL_POLL : OP_CHANNEL_TRYPOLL, d ? d->in->name : 0, list, 0,
                         waits ? channels_cancellable() : 0);
    if (d)
        d->busy--;
    if (waits && !ready)
        native_cancel_point();
    return ready != -EINTR;
}

bool watch_time_passes(int64_t timeout)
{
    if (timeout <= 0)
        return true;
    if (timeout == WATCH_DUE)
        return !signals_mask_handle();
    if (signals_meanwhile(SIGNALS_ENDS) == SIGNALS_INTERRUPTED)
        return false;
    time_reach(time_own() + (uint64_t)timeout);
    return true;
}

uint64_t watch_mask_begin(const sigset_t *mask, int64_t *timeout)
{
    bool due;
    uint64_t before;

    if (mask)
        native_reads(mask, sizeof *mask);
    before = signals_mask_begin(mask, &due);
    if (due)
        *timeout = WATCH_DUE;
    return before;
}

int64_t watch_nanoseconds(const struct timespec *time)
{
    if (!time)
        return -1;
    native_reads(time, sizeof *time);
    return (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

bool watch_is_open(int fd)
{
    return syscall(SYS_fcntl, fd, F_GETFD) >= 0 && !state_fd_is_ours(fd);
}
