#include "model/channel.h"
#include "model/judging.h"
#include "model/object.h"

/* What operations on channels touch. */

/* A wait that a request to end the thread ends, too. Touches the request even while it is disabled: races.c asks for that. */
static enum touch touch_cancellable(struct judging *j)
{
    loc_id loc;
    bool asked;

    if (!(j->op->variant & CHANNEL_CANCELLED))
        return TOUCH_DISABLED;
    asked = object_state(j, OBJECT_THREAD, thread_cancel_addr(j->agent), &loc) != 0;
    judging_add(j, loc, 1, ACCESS_READ);
    return asked ? TOUCH_FAILED : TOUCH_DISABLED;
}

/* What leaves a channel as it was, reads it: also the end of what is in it. */
enum touch touch_channel(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, OBJECT_CHANNEL, j->op->addr, &loc);
    struct channel_step step = channel_step(j->op, state);

    if (step.touch == TOUCH_DISABLED && j->op->variant & CHANNEL_CANCELLED) {
        step.touch = touch_cancellable(j);
        judging_add(j, loc, 1,
                    step.touch == TOUCH_DISABLED ? op_infos[j->op->kind].mode : ACCESS_READ);
        return step.touch;
    }
    if (step.touch != TOUCH_DISABLED)
        judging_add(j, loc, 1, step.state == state ? ACCESS_READ : ACCESS_WRITE);
    return step.touch;
}

enum touch touch_channel_ends(struct judging *j)
{
    judging_add(j, world_location(j->world, OBJECT_CHANNEL, j->op->addr), 1, ACCESS_WRITE);
    if (j->op->mutex)
        judging_add(j, world_location(j->world, OBJECT_CHANNEL, j->op->mutex), 1, ACCESS_WRITE);
    return TOUCH_DONE;
}

enum touch touch_channel_close(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, OBJECT_CHANNEL, j->op->addr, &loc);

    if (channel_is_held(j->op, state))
        return touch_channel_ends(j);
    j->rule = "a thread closes an end of a channel that nobody holds";
    return touch_object(j, loc, TOUCH_MISUSE);
}

/* Adds all that decides whether an item is ready; a set that forgets or remembers what it told is written. */
static void touch_channel_list(struct judging *j, channel_list_id list, loc_id set, unsigned depth)
{
    uint32_t count;
    enum access_mode mode = ACCESS_READ;
    uint32_t at = j->footprint->count;

    if (set != LOC_NONE)
        judging_add(j, set, 1, ACCESS_READ);
    channel_list_items(&j->world->channel_lists, list, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct channel_item item = channel_list_items(&j->world->channel_lists, list, &count)[i];
        loc_id loc = LOC_NONE;

        if (item.edge || item.once)
            mode = ACCESS_WRITE;
        if (item.in)
            loc = world_location(j->world, OBJECT_CHANNEL, item.in);
        if (item.in && (item.kind != CHANNEL_IS_SET || depth == CHANNEL_SETS_DEEP))
            judging_add(j, loc, 1, ACCESS_READ);
        else if (item.in)
            touch_channel_list(j, (channel_list_id)j->view->state(j->view, j->world, loc), loc,
                               depth + 1);
        if (item.out)
            judging_add(j, world_location(j->world, OBJECT_CHANNEL, item.out), 1, ACCESS_READ);
    }
    if (set != LOC_NONE && depth == 0)
        j->footprint->at[at].mode = (uint8_t)mode;
}

/* Like touch_await, even while it is disabled. */
enum touch touch_channel_poll(struct judging *j)
{
    channel_list_id list = channel_poll_list(j->world, j->view, j->op);
    uint32_t count;

    touch_channel_list(
        j, list, j->op->addr ? world_location(j->world, OBJECT_CHANNEL, j->op->addr) : LOC_NONE, 0);
    channel_list_items(&j->world->channel_lists, list, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct channel_item item = channel_list_items(&j->world->channel_lists, list, &count)[i];

        if (channel_item_events(j->world, j->view, &item))
            return TOUCH_DONE;
    }
    return op_infos[j->op->kind].flags & OP_BLOCK ? touch_cancellable(j) : TOUCH_FAILED;
}

/* A file, the offset that moves, and the descriptor. */
enum touch touch_file(struct judging *j)
{
    judging_add(j, world_location(j->world, OBJECT_CHANNEL, j->op->addr), 1,
                op_infos[j->op->kind].mode);
    if (j->op->mutex)
        judging_add(j, world_location(j->world, OBJECT_CHANNEL, j->op->mutex), 1, ACCESS_WRITE);
    if (j->op->value)
        judging_add(j, world_location(j->world, OBJECT_CHANNEL, (uint64_t)j->op->value), 1,
                    ACCESS_READ);
    return TOUCH_DONE;
}

/* The lowest number that is free: that those below it are taken is part of why. */
enum touch touch_descriptor_open(struct judging *j)
{
    for (uint64_t i = 0; i < CHANNEL_DESCRIPTORS; i++) {
        loc_id loc;
        bool taken = object_state(j, OBJECT_CHANNEL, j->op->addr + i, &loc) != 0;

        judging_add(j, loc, 1, taken ? ACCESS_READ : ACCESS_WRITE);
        if (!taken)
            return TOUCH_DONE;
    }
    return TOUCH_FAILED;
}

/* To close what is closed changes nothing. */
enum touch touch_descriptor_set(struct judging *j)
{
    loc_id loc;
    uint64_t state = object_state(j, OBJECT_CHANNEL, j->op->addr, &loc);

    judging_add(j, loc, 1, state == 0 && j->op->value == 0 ? ACCESS_READ : ACCESS_WRITE);
    return TOUCH_DONE;
}
