#include "explore/signature.h"

/* A write is named the same whether it is still in a buffer (by its slot) or in memory. */
static uint64_t slot_name(loc_id slot)
{
    return mix64(0x510000000000u + slot);
}

static uint64_t event_name(const struct event *event)
{
    return mix64(((uint64_t)event->agent << 32) + event->step);
}

static uint64_t writer_name(const struct execution *x, event_id id)
{
    const struct event *event = &x->events.at[id];

    if (event->op.kind == OP_FLUSH)
        return slot_name(world_slot(x->world, x->world->agents.at[event->agent].thread,
                                    (uint32_t)event->op.value));
    return event_name(event);
}

/* What the bytes of a record held before: the writers of them, each with its share. */
static uint64_t sources(struct execution *x, const struct access_record *record)
{
    uint8_t bytes = record->access.bytes;
    uint64_t sum = 0;

    for (uint32_t r = record->older; bytes; r = x->accesses.at[r].older) {
        const struct access_record *older;

        r = record_find(x, r, ACCESS_READ, bytes);
        if (r == RECORD_NONE)
            return sum + mix64(bytes); /* the initial value */
        older = &x->accesses.at[r];
        if (older->access.mode != ACCESS_WRITE)
            continue;
        sum += mix64(writer_name(x, older->event) ^ (older->access.bytes & bytes));
        bytes &= ~older->access.bytes;
    }
    return sum;
}

uint64_t execution_signature(struct execution *x)
{
    uint64_t sum = 0;

    for (uint32_t r = 0; r < x->accesses.count; r++) {
        const struct access_record *record = &x->accesses.at[r];
        const struct event *event = &x->events.at[record->event];
        uint8_t kind = x->world->locations.at[record->access.loc].kind;
        uint64_t who =
            record->access.mode == ACCESS_WRITE ? writer_name(x, record->event) : event_name(event);
        uint64_t what;

        if (kind == OBJECT_CELL)
            what = sources(x, record);
        else if (kind == OBJECT_SLOT && event->op.kind == OP_LOAD)
            what = mix64(slot_name(record->access.loc) ^ record->access.bytes);
        else
            continue;
        sum += mix64(who + mix64(what));
    }
    return sum;
}
