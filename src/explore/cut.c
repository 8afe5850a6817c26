#include "explore/cut.h"

#include "model/commute.h"

bool cut_leaves_out(const struct cut *cut, event_id id)
{
    const struct execution *x = cut->x;

    if (id < cut->first)
        return false;
    if (cut->all || happens_before(x, cut->first, id))
        return true;
    for (uint32_t i = 0; i < x->others.count; i++)
        if (happens_before(x, x->others.at[i], id))
            return true;
    return false;
}

static uint64_t bytes_mask(uint8_t bytes)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < 8; i++)
        if (bytes >> i & 1)
            mask |= (uint64_t)0xff << (8 * i);
    return mask;
}

/* Which of the bytes of an addition were put back to what they held before an older change. */
static uint8_t bytes_put_back(const uint32_t oldest[8], uint8_t bytes, uint32_t record)
{
    uint8_t put_back = 0;

    for (unsigned i = 0; i < 8; i++)
        if (bytes >> i & 1 && oldest[i] < record)
            put_back |= (uint8_t)(1u << i);
    return put_back;
}

/* Of memory: what was there before the oldest change that is left out; and then the additions that are not left out, and newer, again. They
 * commute, so that it does not matter in which order; all other newer changes of those bytes are left out, too. */
static uint64_t cut_memory(const struct cut *cut, struct world *world, loc_id loc)
{
    const struct execution *x = cut->x;
    uint64_t state = world_state(world, loc);
    uint32_t newest = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;
    uint32_t oldest[8] = {RECORD_NONE, RECORD_NONE, RECORD_NONE, RECORD_NONE,
                          RECORD_NONE, RECORD_NONE, RECORD_NONE, RECORD_NONE};
    bool adds = false;

    for (uint32_t r = newest; r != RECORD_NONE && x->accesses.at[r].event >= cut->first;
         r = x->accesses.at[r].older) {
        const struct access_record *record = &x->accesses.at[r];
        uint64_t mask = bytes_mask(record->access.bytes);

        if (record->access.mode == ACCESS_READ)
            continue;
        adds |= record->access.mode != ACCESS_WRITE;
        if (!cut_leaves_out(cut, record->event))
            continue;
        state = (state & ~mask) | (record->before & mask);
        for (unsigned i = 0; i < 8; i++)
            if (record->access.bytes >> i & 1)
                oldest[i] = r;
    }
    for (uint32_t r = newest; adds && r != RECORD_NONE && x->accesses.at[r].event >= cut->first;
         r = x->accesses.at[r].older) {
        const struct access_record *record = &x->accesses.at[r];

        if (record->access.mode > ACCESS_WRITE && !cut_leaves_out(cut, record->event))
            state = addition_redo(&x->events.at[record->event].op, state,
                                  bytes_mask(bytes_put_back(oldest, record->access.bytes, r)));
    }
    return state;
}

/* Writes to one thing depend on each other and on additions, so those left out are newer than all that are not: what was there before
 * the oldest of them is there at the cut. Additions left out may be older than others that are not: each is undone. */
static uint64_t cut_state(const struct view *view, struct world *world, loc_id loc)
{
    const struct cut *cut = (const struct cut *)view;
    const struct execution *x = cut->x;
    uint64_t state = world_state(world, loc);
    uint32_t r = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;

    if (world->locations.at[loc].kind == OBJECT_CELL)
        return cut_memory(cut, world, loc);
    for (; r != RECORD_NONE && x->accesses.at[r].event >= cut->first; r = x->accesses.at[r].older) {
        const struct access_record *record = &x->accesses.at[r];
        const struct event *event = &x->events.at[record->event];

        if (record->access.mode == ACCESS_READ || !cut_leaves_out(cut, record->event))
            continue;
        state = record->access.mode == ACCESS_ADD
                    ? op_undo(world, event->agent, &event->op, loc, state)
                    : record->before;
    }
    return state;
}

static bool cut_is_flushed(const struct view *view, const struct buffered_store *store)
{
    const struct cut *cut = (const struct cut *)view;

    return store->flushed != EVENT_NONE && !cut_leaves_out(cut, store->flushed);
}

/* Whose store an event has put into memory: a slot, or LOC_NONE. */
static loc_id event_slot(struct world *world, const struct event *event)
{
    return event->op.kind == OP_FLUSH
               ? world_slot(world, world->agents.at[event->agent].thread, (uint32_t)event->op.value)
               : LOC_NONE;
}

static void slots_set(loc_id slots[8], unsigned bytes, loc_id slot)
{
    for (; bytes; bytes &= bytes - 1)
        slots[__builtin_ctz(bytes)] = slot;
}

/* Of the newest write to each byte that is not left out. Bytes of which none is left out are as they are now. */
static void cut_writers(const struct view *view, struct world *world, loc_id loc, loc_id slots[8])
{
    const struct cut *cut = (const struct cut *)view;
    const struct execution *x = cut->x;
    uint32_t r = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;
    unsigned sought = 0xff, changed = 0;

    world_writers(world, loc, slots);
    for (; sought && r != RECORD_NONE; r = x->accesses.at[r].older) {
        const struct access_record *record = &x->accesses.at[r];
        unsigned bytes = record->access.mode == ACCESS_WRITE ? record->access.bytes & sought : 0;

        if (!(changed & sought) && record->event < cut->first)
            break; /* nor is any older one left out */
        if (bytes && cut_leaves_out(cut, record->event)) {
            changed |= bytes;
        } else if (bytes) {
            sought &= ~bytes;
            if (bytes & changed)
                slots_set(slots, bytes & changed, event_slot(world, &x->events.at[record->event]));
        }
    }
    slots_set(slots, sought & changed, LOC_NONE);
}

struct cut cut_before(struct execution *x, event_id first)
{
    return (struct cut){{cut_state, cut_is_flushed, cut_writers}, x, first, false};
}

struct cut cut_at(struct execution *x, uint32_t depth)
{
    return (struct cut){{cut_state, cut_is_flushed, cut_writers}, x, depth, true};
}
