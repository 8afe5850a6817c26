#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/fingerprint.h"
#include "runtime/channels/watch.h"
#include "runtime/ending/ending.h"
#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"
#include "runtime/signals/signals.h"

/* Sets of watched descriptors (epoll): the state of one is the number of its list. To change it is a step of its own. */

#define MILLISECOND 1000000

static struct {
    struct description *newest; /* of this execution; the others follow by `next` */
} sets;

/* ---- making and changing */

static int set_create(int fd)
{
    struct description *d;

    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    d = channels_new(DESCRIPTION_SET);
    d->in = channels_channel("epoll set", fd);
    d->next = sets.newest;
    sets.newest = d;
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
    if ((!s && !watch_is_open(set)) || (!d && !watch_is_open(fd)))
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

/* The last descriptor of it was closed: no set watches it any more. */
static void unwatch(struct description *d)
{
    for (struct description *set = sets.newest; set; set = set->next) {
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

/* ---- waiting */

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
    struct watch_look look = watch_look(items, count, timeout);
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
    watch_look_free(&look);
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
        return channels_fail(watch_is_open(fd) ? EINVAL : EBADF);
    if (set->kind != DESCRIPTION_SET || room <= 0)
        return channels_fail(EINVAL);
    if (!watch_wait(set, 0, timeout < 0))
        return channels_fail(EINTR);
    if (room > CHANNELS_POLL_MAX)
        room = CHANNELS_POLL_MAX;
    told = channels_alloc((size_t)room * sizeof *told);
    ready = set_answer(set, told, room, timeout);
    if (ready == 0 && !watch_time_passes(timeout))
        ready = channels_fail(EINTR);
    if (ready > 0) {
        native_writes(to, (size_t)ready * sizeof *to);
        memcpy(to, told, (size_t)ready * sizeof *to);
    }
    channels_free(told, (size_t)room * sizeof *told);
    return ready;
}

static int set_wait_masked(int fd, struct epoll_event *to, int room, int64_t timeout,
                           const sigset_t *mask)
{
    uint64_t before = watch_mask_begin(mask, &timeout);
    int got = set_wait(fd, to, room, timeout);

    signals_mask_end(before);
    return got;
}

REAL_CALL(epoll_wait)
INTERPOSE int epoll_wait(int fd, struct epoll_event *to, int room, int timeout)
{
    if (!native.current)
        return REAL(epoll_wait)(fd, to, room, timeout);
    return set_wait(fd, to, room, timeout < 0 ? -1 : (int64_t)timeout * MILLISECOND);
}

REAL_CALL(epoll_pwait)
INTERPOSE int epoll_pwait(int fd, struct epoll_event *to, int room, int timeout,
                          const sigset_t *mask)
{
    if (!native.current)
        return REAL(epoll_pwait)(fd, to, room, timeout, mask);
    return set_wait_masked(fd, to, room, timeout < 0 ? -1 : (int64_t)timeout * MILLISECOND, mask);
}

REAL_CALL(epoll_pwait2)
INTERPOSE int epoll_pwait2(int fd, struct epoll_event *to, int room, const struct timespec *timeout,
                           const sigset_t *mask)
{
    if (!native.current)
        return REAL(epoll_pwait2)(fd, to, room, timeout, mask);
    return set_wait_masked(fd, to, room, watch_nanoseconds(timeout), mask);
}

/* ---- the part */

static void open_watch(void)
{
    channels_on_gone(unwatch);
}

static void restart(void)
{
    sets.newest = NULL;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !sets.newest;
}

const struct part sets_part = {.name = "sets of descriptors",
                               .state = &sets,
                               .size = sizeof sets,
                               .open = open_watch,
                               .restart = restart,
                               .fingerprint = fingerprint};
