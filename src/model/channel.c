#include "model/channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/check.h"

/* ---- one channel */

static struct channel_step step_waits(const struct op *op, uint64_t state)
{
    bool waits = op_infos[op->kind].flags & OP_BLOCK;

    return (struct channel_step){waits ? TOUCH_DISABLED : TOUCH_FAILED, -EAGAIN, state};
}

static struct channel_step step_gives(int64_t result, uint64_t state)
{
    return (struct channel_step){TOUCH_DONE, result, state};
}

static bool op_puts(const struct op *op)
{
    return op->kind == OP_CHANNEL_PUT || op->kind == OP_CHANNEL_TRYPUT ||
           op->kind == OP_FILE_LOCK || op->kind == OP_FILE_TRYLOCK;
}

static bool only_looks(const struct op *op)
{
    return op_infos[op->kind].mode == ACCESS_READ;
}

static struct channel_step counter_step(const struct op *op, uint64_t state)
{
    uint64_t value = channel_counter(state), change = (uint64_t)op->value;
    bool puts = op_puts(op);

    if (puts ? change > CHANNEL_COUNTER_MAX - value : value == 0)
        return step_waits(op, state);
    if (!puts)
        change = op->variant & CHANNEL_SEMAPHORE ? (uint64_t)-1 : -value;
    if (!channel_counter_set(value + change, channel_arrivals(state) + puts, &state))
        return step_gives(-EOVERFLOW, state);
    return step_gives(0, state);
}

static struct channel_step get_step(const struct op *op, uint64_t state)
{
    uint64_t units = channel_units(state), wanted = (uint64_t)op->value;

    if (op->variant & CHANNEL_QUEUE && !(state & CHANNEL_MARK))
        return step_gives(-EINVAL, state);
    if (wanted == 0)
        return step_gives(0, state);
    if (units > 0) {
        wanted = wanted < units ? wanted : units;
        if (only_looks(op))
            return step_gives((int64_t)wanted, state);
        if (units >= (uint64_t)op->expect) /* it was full: that there is room now is news */
            state += CHANNEL_ARRIVAL;
        return step_gives((int64_t)wanted, state - wanted);
    }
    if (op->variant & CHANNEL_LASTING) /* who waits goes on when the reader himself has shut it */
        return state & CHANNEL_READ_SHUT && op_infos[op->kind].flags & OP_BLOCK
                   ? step_gives(0, state)
                   : step_waits(op, state);
    if (op->variant & CHANNEL_QUEUE || !channel_at_end(state))
        return step_waits(op, state);
    if (state & CHANNEL_MARK)
        return step_gives(-ECONNRESET, only_looks(op) ? state : state & ~CHANNEL_MARK);
    return step_gives(0, state);
}

/* A queue of connections takes one as long as somebody listens. */
static struct channel_step queue_step(const struct op *op, uint64_t state)
{
    if (!(state & CHANNEL_MARK))
        return step_gives(-ECONNREFUSED, state);
    if (channel_units(state) > (state >> CHANNEL_WRITE_SHIFT & CHANNEL_HOLDERS))
        return step_waits(op, state);
    return step_gives(1, state + 1 + CHANNEL_ARRIVAL);
}

static struct channel_step put_step(const struct op *op, uint64_t state)
{
    uint64_t wanted = (uint64_t)op->value, most = (uint64_t)op->expect;
    uint64_t room = most > channel_units(state) ? most - channel_units(state) : 0;

    if (state & CHANNEL_WRITE_SHUT || (state & CHANNEL_READ_SHUT && !(op->variant & CHANNEL_LATE)))
        return step_gives(-EPIPE, state);
    if (!channel_has_reader(state))
        return op->variant & CHANNEL_LATE ? step_gives((int64_t)wanted, state | CHANNEL_WRITE_SHUT)
                                          : step_gives(-EPIPE, state);
    if (wanted == 0)
        return step_gives(0, state);
    if (room == 0 || (op->variant & CHANNEL_WHOLE && wanted > room))
        return step_waits(op, state);
    wanted = wanted < room ? wanted : room;
    return step_gives((int64_t)wanted, state + wanted + CHANNEL_ARRIVAL);
}

struct channel_step channel_step(const struct op *op, uint64_t state)
{
    bool puts = op_puts(op);

    if (op->variant & CHANNEL_COUNTER)
        return counter_step(op, state);
    if (!puts)
        return get_step(op, state);
    return op->variant & CHANNEL_QUEUE ? queue_step(op, state) : put_step(op, state);
}

/* ---- its ends */

static uint64_t holders_add(uint64_t state, unsigned shift, uint64_t change)
{
    uint64_t holders = (state >> shift) + change;

    return (state & ~(CHANNEL_HOLDERS << shift)) | (holders & CHANNEL_HOLDERS) << shift;
}

static uint64_t writer_closed(uint64_t state)
{
    return holders_add(state, CHANNEL_WRITE_SHIFT, (uint64_t)-1) + CHANNEL_ARRIVAL;
}

static uint64_t reader_closed(uint64_t state)
{
    return holders_add(state, CHANNEL_READ_SHIFT, (uint64_t)-1);
}

static void channel_close(const struct op *op, uint64_t *addr, uint64_t *other)
{
    bool unread = false;

    if (op->mutex) {
        *other = reader_closed(*other);
        unread = channel_units(*other) > 0 && !channel_has_reader(*other);
    }
    if (op->variant & CHANNEL_WRITER)
        *addr = writer_closed(*addr);
    else
        *addr = reader_closed(*addr);
    if ((unread && op->variant & CHANNEL_RESETS) || op->variant & CHANNEL_ABORTS)
        *addr |= CHANNEL_MARK;
    if (op->variant & CHANNEL_QUEUE && !channel_has_reader(*addr))
        *addr = 0; /* nobody listens there any more, and who waited in it is turned away */
}

static void channel_dup(const struct op *op, uint64_t *addr, uint64_t *other)
{
    *addr = holders_add(*addr,
                        op->variant & CHANNEL_WRITER ? CHANNEL_WRITE_SHIFT : CHANNEL_READ_SHIFT, 1);
    if (op->mutex)
        *other = holders_add(*other, CHANNEL_READ_SHIFT, 1);
}

/* `value`: bit 0 for the read end, bit 1 for the write end. */
static void channel_shut(const struct op *op, uint64_t *addr, uint64_t *other)
{
    if (op->value & 2)
        *addr = (*addr | CHANNEL_WRITE_SHUT) + CHANNEL_ARRIVAL;
    if (op->mutex && op->value & 1)
        *other = (*other | CHANNEL_READ_SHUT) + CHANNEL_ARRIVAL;
}

bool channel_is_held(const struct op *op, uint64_t state)
{
    return op->variant & CHANNEL_WRITER ? channel_has_writer(state) : channel_has_reader(state);
}

void channel_change(const struct op *op, uint64_t *addr, uint64_t *other)
{
    switch (op->kind) {
    case OP_CHANNEL_CLOSE:
        channel_close(op, addr, other);
        break;
    case OP_CHANNEL_DUP:
        channel_dup(op, addr, other);
        break;
    case OP_CHANNEL_SHUT:
        channel_shut(op, addr, other);
        break;
    case OP_CHANNEL_SET:
        *addr = (uint64_t)op->value;
        break;
    case OP_CHANNEL_LISTEN:
        *addr &= ~(CHANNEL_HOLDERS << CHANNEL_WRITE_SHIFT);
        *addr |= CHANNEL_MARK | ((uint64_t)op->value & CHANNEL_HOLDERS) << CHANNEL_WRITE_SHIFT;
        break;
    default:
        CHECK(false, "%s changes no ends", op_infos[op->kind].text);
    }
}

/* ---- watching */

static uint32_t pipe_events(const struct channel_item *item, uint64_t in, uint64_t out)
{
    if (item->kind == CHANNEL_IS_READ_END)
        return (channel_units(in) ? POLLIN | POLLRDNORM : 0) |
               (channel_has_writer(in) ? 0 : POLLHUP);
    return (channel_units(out) < item->room ? POLLOUT | POLLWRNORM : 0) |
           (channel_has_reader(out) ? 0 : POLLERR);
}

static uint32_t socket_events(const struct channel_item *item, uint64_t in, uint64_t out)
{
    bool ended =
        item->kind == CHANNEL_IS_DATAGRAM ? (in & CHANNEL_READ_SHUT) != 0 : channel_at_end(in);
    bool broken = (out & CHANNEL_WRITE_SHUT) || !channel_has_reader(out);
    uint32_t events = 0;

    if (channel_units(in) || ended)
        events |= POLLIN | POLLRDNORM;
    if (ended)
        events |= POLLRDHUP;
    if (ended &&
        (out & CHANNEL_WRITE_SHUT || (item->kind == CHANNEL_IS_SOCKET && !channel_has_writer(in))))
        events |= POLLHUP;
    if (ended && in & CHANNEL_MARK)
        events |= POLLERR;
    if (broken || channel_units(out) < item->room)
        events |= POLLOUT | POLLWRNORM;
    return events;
}

static uint32_t counter_events(uint64_t state)
{
    uint64_t value = channel_counter(state);

    return (value ? POLLIN | POLLRDNORM : 0) |
           (value < CHANNEL_COUNTER_MAX ? POLLOUT | POLLWRNORM : 0);
}

static uint32_t kind_events(const struct channel_item *item, uint64_t in, uint64_t out)
{
    switch ((enum channel_kind)item->kind) {
    case CHANNEL_IS_READY:
        return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
    case CHANNEL_IS_READ_END:
    case CHANNEL_IS_WRITE_END:
        return pipe_events(item, in, out);
    case CHANNEL_IS_SOCKET:
    case CHANNEL_IS_TCP:
    case CHANNEL_IS_DATAGRAM:
        return socket_events(item, in, out);
    case CHANNEL_IS_QUEUE:
        return channel_units(in) ? POLLIN | POLLRDNORM : 0;
    case CHANNEL_IS_COUNTER:
        return counter_events(in);
    case CHANNEL_IS_IDLE:
        return POLLOUT | POLLWRNORM | POLLHUP;
    case CHANNEL_IS_SET:
        break;
    }
    return 0;
}

uint32_t channel_events(const struct channel_item *item, uint64_t in, uint64_t out)
{
    uint32_t events = kind_events(item, in, out) & (item->events | POLLERR | POLLHUP | POLLNVAL);

    if (item->off)
        return 0;
    if (item->edge && (!item->in || channel_arrivals(in) == item->seen_in) &&
        (!(events & POLLOUT) || !item->out || channel_arrivals(out) == item->seen_out))
        return 0;
    return events;
}

static uint32_t item_events(struct world *world, const struct view *view,
                            const struct channel_item *item, unsigned depth)
{
    uint64_t in = 0, out = 0;
    uint32_t count;

    if (item->in)
        in = view->state(view, world, world_location(world, OBJECT_CHANNEL, item->in));
    if (item->out)
        out = view->state(view, world, world_location(world, OBJECT_CHANNEL, item->out));
    if (item->kind != CHANNEL_IS_SET)
        return channel_events(item, in, out);
    channel_list_items(&world->channel_lists, (channel_list_id)in, &count);
    for (uint32_t i = 0; i < count && depth < CHANNEL_SETS_DEEP; i++) {
        const struct channel_item *inner =
            channel_list_items(&world->channel_lists, (channel_list_id)in, &count) + i;

        if (item_events(world, view, inner, depth + 1))
            return (POLLIN | POLLRDNORM) & item->events;
    }
    return 0;
}

uint32_t channel_item_events(struct world *world, const struct view *view,
                             const struct channel_item *item)
{
    return item_events(world, view, item, 0);
}

channel_list_id channel_poll_list(struct world *world, const struct view *view, const struct op *op)
{
    if (!op->addr)
        return (channel_list_id)op->value;
    return (channel_list_id)view->state(view, world,
                                        world_location(world, OBJECT_CHANNEL, op->addr));
}
