#include <inttypes.h>

#include "model/channel.h"
#include "model/object.h"
#include "runtime/report/names.h"
#include "runtime/report/names_words.h"

/* Who waits for what. */

#define FRAMES_MAX 200 /* that are looked at */

/* Where the last operation was that changed the object. */
static void add_since(struct text *t, loc_id loc)
{
    const struct execution *x = &native.session->explorer.execution;
    uint32_t r = loc < x->newest.count ? x->newest.at[loc] : RECORD_NONE;
    const struct raddle_site *site;

    while (r != RECORD_NONE && x->accesses.at[r].access.mode == ACCESS_READ)
        r = x->accesses.at[r].older;
    site = r == RECORD_NONE ? NULL : names_op_site(&x->events.at[x->accesses.at[r].event].op);
    if (!names_is_of_system(site)) /* who called it then is not known any more */
        names_add_site(t, "since", site);
}

static void add_holder(struct text *t, const struct op *op)
{
    struct world *world = native.world;
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state;
    uint32_t readers;

    if (kind != OBJECT_MUTEX && kind != OBJECT_SPIN && kind != OBJECT_RWLOCK)
        return;
    state = world_state(world, world_location(world, kind, op->addr)) & OBJECT_USE;
    if (kind != OBJECT_RWLOCK)
        state &= LOCK_USE;
    if (kind != OBJECT_RWLOCK && state) {
        text_add(t, ", held by ");
        names_add_thread(t, (uint32_t)state - 1);
    } else if (kind == OBJECT_RWLOCK && rwlock_writer(state)) {
        text_add(t, ", held for writing by ");
        names_add_thread(t, (uint32_t)(state >> 32) - 1);
    }
    if (state)
        add_since(t, world_location(world, kind, op->addr));
    if (kind != OBJECT_RWLOCK || rwlock_writer(state))
        return;
    waiters_members(&world->waiters, rwlock_readers(state), &readers);
    if (readers)
        text_add(t, ", held by %" PRIu32 " readers", readers);
}

/* "to read from the pipe (fd 3) made at x.c:12", or for one of several. */
static void add_channel_wait(struct text *t, const struct op *op)
{
    bool queue = op->variant & CHANNEL_QUEUE && op->kind != OP_CHANNEL_POLL;
    const struct channel_item *items;
    uint32_t count;

    if (op->kind != OP_CHANNEL_POLL) {
        text_add(t, "%s ",
                 op->kind == OP_FILE_LOCK     ? "for"
                 : op->kind == OP_CHANNEL_PUT ? queue ? "to connect to" : "to write to"
                 : queue                      ? "to accept a connection from"
                                              : "to read from");
        names_add_channel(t, op->addr);
        return;
    }
    items = channel_list_items(&native.world->channel_lists,
                               channel_poll_list(native.world, &view_now, op), &count);
    text_add(t, "for %s", count ? "" : "no descriptor at all");
    for (uint32_t i = 0; i < count; i++) {
        text_add(t, "%s", i ? " or " : "");
        names_add_channel(t, items[i].in ? items[i].in : items[i].out);
    }
}

/* The condition or the word that the thread waits at: what its last operation was about. */
static const struct op *waited_at(agent_id agent)
{
    const struct execution *x = &native.session->explorer.execution;

    for (uint32_t i = x->events.count; i-- > 0;)
        if (x->events.at[i].agent == agent)
            return &x->events.at[i].op;
    return NULL;
}

/* A wait for a signal is over when the mutex is held again: first the one is missing, then the other. */
static void add_signal_wait(struct text *t, agent_id agent, const struct op *op)
{
    const struct op *wait = waited_at(agent);

    if (native.world->threads.at[agent].woken) {
        text_add(t, "mutex ");
        names_add_object(t, op);
        text_add(t, " after its wait");
        add_holder(t, op);
        return;
    }
    text_add(t, "a signal");
    if (wait && op_infos[wait->kind].object == OBJECT_COND) {
        text_add(t, " on ");
        names_add_object(t, wait);
    }
    text_add(t, ", but nobody signals");
}

/* Who waits at a barrier has arrived there by its last operation. */
static void add_barrier_wait(struct text *t, agent_id agent)
{
    const struct op *wait = waited_at(agent);

    text_add(t, "others to come to barrier");
    if (wait && op_infos[wait->kind].object == OBJECT_BARRIER) {
        text_add(t, " ");
        names_add_object(t, wait);
    }
}

static void add_wait(struct text *t, agent_id agent, const struct op *op)
{
    if (op->kind == OP_COND_RELOCK) {
        add_signal_wait(t, agent, op);
        return;
    }
    if (op->kind == OP_BARRIER_LEAVE) {
        add_barrier_wait(t, agent);
        return;
    }
    if (op->kind == OP_THREAD_JOIN) {
        text_add(t, "the end of ");
        names_add_thread(t, (agent_id)op->addr);
    } else {
        names_add_op(t, op);
    }
    if (op->kind == OP_SEM_WAIT && names_futex_word(op->addr))
        text_add(t, ", but nobody wakes it");
    add_holder(t, op);
}

/* Cancelling and signals do not end what nobody cancels: what is left to wait for is the rest of the wait. */
static struct op wait_rest(const struct op *op)
{
    struct op rest = *op;

    if (op->kind == OP_COND_TIMEOUT && !(op->expect & 1u << WAIT_END_TIMEOUT)) {
        rest.kind = OP_COND_RELOCK;
        rest.addr = op->mutex;
    } else if (op->kind == OP_BARRIER_INTERRUPT) {
        rest.kind = OP_BARRIER_LEAVE;
    }
    return rest;
}

size_t names_wait(agent_id agent, const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);
    struct op rest = wait_rest(op);

    if (op_infos[rest.kind].object == OBJECT_CHANNEL || rest.kind == OP_CHANNEL_POLL) {
        add_channel_wait(&t, &rest);
    } else {
        text_add(&t, "for ");
        add_wait(&t, agent, &rest);
    }
    return t.used;
}

const struct raddle_site *names_user_site(uint32_t thread, const struct raddle_site *site)
{
    const struct raddle_frame *frame = native.threads.at[thread]->frames;

    for (int i = 0; i < FRAMES_MAX && frame && names_is_of_system(site); i++, frame = frame->up)
        if (!names_is_of_system(frame->site))
            site = frame->site;
    return site;
}

size_t names_waiting(agent_id agent, const struct op *op, char *text, size_t size)
{
    struct text t = text_open(text, size);
    const struct raddle_site *site = names_user_site(names_thread_number(agent), names_op_site(op));
    char words[600];

    text_add(&t, "  ");
    names_add_thread(&t, agent);
    names_wait(agent, op, words, sizeof words);
    text_add(&t, " waits %s", words);
    if (site && site->file)
        text_add(&t, ",");
    names_add_site(&t, "at", site);
    text_add(&t, "\n");
    return t.used;
}
