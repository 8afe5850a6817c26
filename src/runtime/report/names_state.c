#include <inttypes.h>

#include "model/object.h"
#include "runtime/report/names.h"
#include "runtime/report/names_words.h"

/* What objects are like now. */

/* Who is held back by the object. */
static void add_waiting(struct text *t, enum object_kind kind, uint64_t addr)
{
    struct world *world = native.world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (!world->agents.at[agent].is_buffer && thread->status == THREAD_RUNNING &&
            thread->pending.addr == addr && op_infos[thread->pending.kind].object == kind &&
            op_may_wait(&thread->pending) && !world_enabled(world, agent))
            text_add(t, ", T%" PRIu32 " waits", names_thread_number(agent));
    }
}

static void add_waiters(struct text *t, waiters_id set)
{
    uint32_t count;
    const agent_id *members = waiters_members(&native.world->waiters, set, &count);

    text_add(t, "%s", count ? "" : "nobody waits");
    for (uint32_t i = 0; i < count; i++)
        text_add(t, "%sT%" PRIu32 " waits", i ? ", " : "", names_thread_number(members[i]));
}

size_t names_state(enum object_kind kind, uint64_t addr, char *text, size_t size)
{
    struct text t = text_open(text, size);
    struct world *world = native.world;
    uint64_t life = world_state(world, world_location(world, kind, addr));
    uint64_t state = life & OBJECT_USE;
    uint32_t readers;

    if (life & OBJECT_DESTROYED) {
        text_add(&t, "destroyed");
        return t.used;
    }
    if (kind == OBJECT_MUTEX || kind == OBJECT_SPIN)
        state &= LOCK_USE;
    if (kind == OBJECT_COND) {
        add_waiters(&t, (waiters_id)state);
        return t.used;
    }
    if ((kind == OBJECT_MUTEX || kind == OBJECT_SPIN) && (uint32_t)state) {
        text_add(&t, "held by T%" PRIu32, names_thread_number((uint32_t)state - 1));
        if (state >> 32 & 0xfff)
            text_add(&t, " (%" PRIu64 " times)", (state >> 32 & 0xfff) + 1);
    } else if (kind == OBJECT_RWLOCK && rwlock_writer(state)) {
        text_add(&t, "written by T%" PRIu32, names_thread_number((uint32_t)(state >> 32) - 1));
    } else if (kind == OBJECT_RWLOCK && rwlock_readers(state)) {
        waiters_members(&world->waiters, rwlock_readers(state), &readers);
        text_add(&t, "%" PRIu32 " readers", readers);
    } else if (kind == OBJECT_SEM) {
        text_add(&t, "value %" PRIu64, state);
    } else if (kind == OBJECT_BARRIER) {
        text_add(&t, "%" PRIu64 " arrived", state);
    } else {
        text_add(&t, state ? "%" PRIu64 : "free", state);
    }
    add_waiting(&t, kind, addr);
    return t.used;
}
