/* Channels as functions of their states: what operations give, what a wait sees, and that lists are kept once. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/channel.h"

static struct channel_step step(enum op_kind kind, uint64_t value, uint64_t most, unsigned flags,
                                uint64_t state)
{
    struct op op = {.kind = (uint8_t)kind,
                    .value = value,
                    .expect = most,
                    .variant = (uint8_t)flags,
                    .addr = 1};

    return channel_step(&op, state);
}

static uint64_t change(enum op_kind kind, uint64_t value, unsigned flags, uint64_t *other,
                       uint64_t state)
{
    struct op op = {.kind = (uint8_t)kind,
                    .value = value,
                    .variant = (uint8_t)flags,
                    .addr = 1,
                    .mutex = other ? 2 : 0};
    uint64_t none = 0;

    channel_change(&op, &state, other ? other : &none);
    return state;
}

static void test_put_and_get(void **context)
{
    struct channel_step s = step(OP_CHANNEL_PUT, 5, 8, CHANNEL_WHOLE, 0);

    (void)context;
    assert_int_equal(s.touch, TOUCH_DONE);
    assert_int_equal(s.result, 5);
    assert_int_equal(channel_units(s.state), 5);
    assert_int_equal(step(OP_CHANNEL_PUT, 4, 8, CHANNEL_WHOLE, s.state).touch, TOUCH_DISABLED);
    assert_int_equal(step(OP_CHANNEL_TRYPUT, 4, 8, CHANNEL_WHOLE, s.state).result, -EAGAIN);
    assert_int_equal(step(OP_CHANNEL_PUT, 4, 8, 0, s.state).result, 3);
    assert_int_equal(step(OP_CHANNEL_GET, 9, 8, 0, s.state).result, 5);
    assert_int_equal(step(OP_CHANNEL_PEEK, 9, 8, 0, s.state).state, s.state);
    assert_int_equal(step(OP_CHANNEL_GET, 1, 8, 0, 0).touch, TOUCH_DISABLED);
    assert_int_equal(step(OP_CHANNEL_GET, 0, 8, 0, 0).touch, TOUCH_DONE);
}

static void test_ends(void **context)
{
    uint64_t two = change(OP_CHANNEL_DUP, 0, CHANNEL_WRITER, NULL, 0);
    uint64_t one = change(OP_CHANNEL_CLOSE, 0, CHANNEL_WRITER, NULL, two);
    uint64_t none = change(OP_CHANNEL_CLOSE, 0, CHANNEL_WRITER, NULL, one);
    uint64_t unread = change(OP_CHANNEL_CLOSE, 0, 0, NULL, 0);

    (void)context;
    assert_true(channel_has_writer(one) && !channel_has_writer(none));
    assert_true(!channel_at_end(one) && channel_at_end(none));
    assert_int_equal(step(OP_CHANNEL_GET, 1, 8, 0, one).touch, TOUCH_DISABLED);
    assert_int_equal(step(OP_CHANNEL_GET, 1, 8, 0, none).result, 0);
    assert_int_equal(step(OP_CHANNEL_PUT, 1, 8, 0, unread).result, -EPIPE);
    /* TCP: the first write still seems to work */
    assert_int_equal(step(OP_CHANNEL_PUT, 1, 8, CHANNEL_LATE, unread).result, 1);
    assert_int_equal(step(OP_CHANNEL_PUT, 1, 8, CHANNEL_LATE,
                          step(OP_CHANNEL_PUT, 1, 8, CHANNEL_LATE, unread).state)
                         .result,
                     -EPIPE);
}

/* What was not read when an end is closed is told to the other side, once. */
static void test_reset(void **context)
{
    uint64_t in = step(OP_CHANNEL_PUT, 3, 8, 0, 0).state;
    uint64_t out = change(OP_CHANNEL_CLOSE, 0, CHANNEL_WRITER | CHANNEL_RESETS, &in, 0);
    struct channel_step s = step(OP_CHANNEL_GET, 1, 8, 0, out);

    (void)context;
    assert_false(channel_has_reader(in));
    assert_int_equal(s.result, -ECONNRESET);
    assert_int_equal(step(OP_CHANNEL_GET, 1, 8, 0, s.state).result, 0);
}

static void test_queue(void **context)
{
    uint64_t q = change(OP_CHANNEL_LISTEN, 1, CHANNEL_QUEUE, NULL, 0);

    (void)context;
    assert_int_equal(step(OP_CHANNEL_PUT, 1, 0, CHANNEL_QUEUE, 0).result, -ECONNREFUSED);
    assert_int_equal(step(OP_CHANNEL_GET, 1, 0, CHANNEL_QUEUE, 0).result, -EINVAL);
    assert_int_equal(step(OP_CHANNEL_GET, 1, 0, CHANNEL_QUEUE, q).touch, TOUCH_DISABLED);
    for (int i = 0; i < 2; i++)
        q = step(OP_CHANNEL_PUT, 1, 0, CHANNEL_QUEUE, q).state;
    assert_int_equal(channel_units(q), 2);
    assert_int_equal(step(OP_CHANNEL_PUT, 1, 0, CHANNEL_QUEUE, q).touch, TOUCH_DISABLED);
    assert_int_equal(step(OP_CHANNEL_GET, 1, 0, CHANNEL_QUEUE, q).result, 1);
    assert_int_equal(change(OP_CHANNEL_CLOSE, 0, CHANNEL_QUEUE, NULL, q), 0);
}

static void test_counter(void **context)
{
    uint64_t state = 0;

    (void)context;
    assert_int_equal(step(OP_CHANNEL_GET, 0, 0, CHANNEL_COUNTER, 0).touch, TOUCH_DISABLED);
    state = step(OP_CHANNEL_PUT, 7, 0, CHANNEL_COUNTER, state).state;
    assert_int_equal(channel_counter(state), 7);
    assert_int_equal(
        channel_counter(
            step(OP_CHANNEL_GET, 0, 0, CHANNEL_COUNTER | CHANNEL_SEMAPHORE, state).state),
        6);
    assert_int_equal(channel_counter(step(OP_CHANNEL_GET, 0, 0, CHANNEL_COUNTER, state).state), 0);
    state = step(OP_CHANNEL_PUT, CHANNEL_COUNTER_MAX - 7, 0, CHANNEL_COUNTER, state).state;
    assert_true(channel_counter(state) == CHANNEL_COUNTER_MAX);
    assert_int_equal(step(OP_CHANNEL_PUT, 1, 0, CHANNEL_COUNTER, state).touch, TOUCH_DISABLED);
    assert_int_equal(step(OP_CHANNEL_PUT, (uint64_t)1 << 60, 0, CHANNEL_COUNTER, 0).result,
                     -EOVERFLOW);
}

static uint32_t events(enum channel_kind kind, uint64_t in, uint64_t out)
{
    struct channel_item item = {
        .kind = (uint8_t)kind, .events = 0xffff, .room = 8, .in = 1, .out = 2};

    return channel_events(&item, in, out) & (POLLIN | POLLOUT | POLLHUP | POLLERR | POLLRDHUP);
}

static void test_events(void **context)
{
    uint64_t full = step(OP_CHANNEL_PUT, 8, 8, 0, 0).state;
    uint64_t ended = change(OP_CHANNEL_CLOSE, 0, CHANNEL_WRITER, NULL, 0);
    uint64_t deaf = change(OP_CHANNEL_CLOSE, 0, 0, NULL, 0);

    (void)context;
    assert_int_equal(events(CHANNEL_IS_READ_END, 0, 0), 0);
    assert_int_equal(events(CHANNEL_IS_READ_END, full, 0), POLLIN);
    assert_int_equal(events(CHANNEL_IS_READ_END, ended, 0), POLLHUP);
    assert_int_equal(events(CHANNEL_IS_WRITE_END, 0, 0), POLLOUT);
    assert_int_equal(events(CHANNEL_IS_WRITE_END, 0, full), 0);
    assert_int_equal(events(CHANNEL_IS_WRITE_END, 0, deaf), POLLOUT | POLLERR);
    assert_int_equal(events(CHANNEL_IS_TCP, ended, 0), POLLIN | POLLOUT | POLLRDHUP);
    assert_int_equal(events(CHANNEL_IS_SOCKET, ended, deaf),
                     POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
    assert_int_equal(events(CHANNEL_IS_QUEUE, 0, 0), 0);
    assert_int_equal(events(CHANNEL_IS_READY, 0, 0), POLLIN | POLLOUT);
}

/* Only what has arrived since it was seen counts. */
static void test_edges(void **context)
{
    uint64_t state = step(OP_CHANNEL_PUT, 2, 8, 0, 0).state;
    struct channel_item item = {.kind = CHANNEL_IS_READ_END,
                                .events = POLLIN,
                                .in = 1,
                                .edge = true,
                                .seen_in = CHANNEL_UNSEEN,
                                .seen_out = CHANNEL_UNSEEN};

    (void)context;
    assert_int_equal(channel_events(&item, state, 0), POLLIN);
    item.seen_in = (uint16_t)channel_arrivals(state);
    assert_int_equal(channel_events(&item, state, 0), 0);
    assert_int_equal(channel_events(&item, step(OP_CHANNEL_GET, 1, 8, 0, state).state, 0), 0);
    assert_int_equal(channel_events(&item, step(OP_CHANNEL_PUT, 1, 8, 0, state).state, 0), POLLIN);
}

static void test_lists(void **context)
{
    struct arena arena;
    struct channel_lists lists;
    struct channel_item items[2];
    channel_list_id first, second;
    uint32_t count;

    (void)context;
    memset(items, 0, sizeof items);
    assert_int_equal(arena_open(&arena, (size_t)1 << 20), 0);
    channel_lists_open(&lists, &arena);
    items[0].fd = 3;
    items[1].fd = 4;
    assert_int_equal(channel_list_of(&lists, items, 0), CHANNEL_LIST_EMPTY);
    first = channel_list_of(&lists, items, 1);
    second = channel_list_of(&lists, items, 2);
    assert_int_not_equal(first, second);
    assert_int_equal(channel_list_of(&lists, items, 1), first);
    assert_int_equal(channel_list_items(&lists, second, &count)[1].fd, 4);
    assert_int_equal(count, 2);
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_and_get), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_reset),       cmocka_unit_test(test_queue),
        cmocka_unit_test(test_counter),     cmocka_unit_test(test_events),
        cmocka_unit_test(test_edges),       cmocka_unit_test(test_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
