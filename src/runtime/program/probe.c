#include "runtime/program/probe.h"

#include <errno.h>
#include <string.h>

#include "model/channel.h"
#include "model/object.h"
#include "runtime/program/native.h"

#define OPERATIONS_MAX 10000u /* of one round */
#define LIMITS_MAX     200u   /* that are remembered */

/* ---- times at which a loop does something else */

static uint64_t limit_key(const struct raddle_site *site, uint64_t elapsed)
{
    return mix64((uint64_t)'t' << 56 ^ (uint64_t)(uintptr_t)site ^ mix64(elapsed));
}

static void limit_note(uint64_t key)
{
    struct session *session = native.session;

    if (session->facts.count >= LIMITS_MAX) {
        native_unsupported("a loop that waits, and does something else at very many times");
        return;
    }
    vec_push(&session->arena, &session->facts, (struct session_fact){key, 1});
    session->begin_anew = true;
}

/* ---- on and off */

static bool has_locks(const struct probe *probe)
{
    for (uint32_t i = 0; i < probe->lock_count; i++)
        if (probe->locks[i].change)
            return true;
    return false;
}

void probe_again(struct probe *probe, const struct raddle_site *site, const void *state)
{
    if (probe->on && probe->state != state)
        return;
    if (probe->on && has_locks(probe)) {
        probe_fails(probe);
        return;
    }
    probe->warm = probe->on;
    probe->site = site;
    probe->state = state;
    probe->before = probe->elapsed;
    probe->operations = probe->lock_count = 0;
    probe->on = !session_knows(native.session, limit_key(site, probe->elapsed)) &&
                native.session->facts.count < LIMITS_MAX;
}

/* After the first round the stack may hold other remains of calls, as no step was taken: that round is what the next ones are compared with. */
void probe_differs(struct probe *probe)
{
    if (!probe->on)
        return;
    if (probe->warm || has_locks(probe)) {
        probe_fails(probe);
        return;
    }
    probe->warm = true;
    probe->before = probe->elapsed;
    probe->operations = 0;
}

void probe_fails(struct probe *probe)
{
    if (!probe->on)
        return;
    probe->on = false;
    limit_note(limit_key(probe->site, probe->before));
}

bool probe_ends(struct probe *probe, const void *state)
{
    if (probe->on && (probe->state != state || has_locks(probe)))
        return false; /* not where it began: locks may not be what they seem */
    probe->on = false;
    return true;
}

/* ---- operations */

/* Of those, which the model must not know of until the loop is back. */
static int *lock_change(struct probe *probe, uint64_t addr)
{
    uint32_t i = 0;

    while (i < probe->lock_count && probe->locks[i].addr != addr)
        i++;
    if (i == sizeof probe->locks / sizeof *probe->locks)
        return NULL;
    if (i == probe->lock_count) {
        probe->locks[i].addr = addr;
        probe->locks[probe->lock_count++].change = 0;
    }
    return &probe->locks[i].change;
}

static enum touch touch_now(const struct op *op)
{
    struct footprint footprint; /* large: not to be cleared */

    return op_touch(native.world, &view_now, native.current->agent, op, &footprint, NULL);
}

static bool lock_does(struct probe *probe, const struct op *op, bool takes, cell_value *result)
{
    int *change = lock_change(probe, op->addr);
    int by = takes ? 1 : -1;

    *result = LOCK_GOT;
    if (!change || *change == by || (*change == 0 && touch_now(op) != TOUCH_DONE))
        return false;
    *change += by;
    return true;
}

/* A try that fails, because of another thread. */
static bool try_does(struct probe *probe, const struct op *op, cell_value *result)
{
    const int *change = lock_change(probe, op->addr);
    loc_id loc = world_location(native.world, op_infos[op->kind].object, op->addr);
    uint64_t state = world_state(native.world, loc);
    agent_id self = native.current->agent;

    *result = LOCK_BUSY;
    return change && *change == 0 && touch_now(op) == TOUCH_FAILED &&
           !(state & MUTEX_UNRECOVERABLE) && lock_holder(state) != lock_held_by(self) &&
           rwlock_writer(state) != rwlock_written_by(self);
}

static bool memory_does(const struct op *op, cell_value *result)
{
    uint64_t value = 0;

    if (op->size > sizeof value)
        return false;
    memcpy(&value, (const void *)(uintptr_t)op->addr, op->size);
    *result = value;
    if (op->kind == OP_CAS)
        return value != cell_cut(op->expect, op->size);
    return op->kind == OP_LOAD || rmw_result(op->variant, value, op->value, op->size) == value;
}

static bool channel_does(const struct op *op, cell_value *result)
{
    loc_id loc = world_location(native.world, OBJECT_CHANNEL, op->addr);
    struct channel_step step = channel_step(op, world_state(native.world, loc));

    *result = (uint64_t)step.result;
    return step.result == -EAGAIN;
}

static bool operation_does(struct probe *probe, const struct op *op, cell_value *result)
{
    *result = 0;
    switch (op->kind) {
    case OP_LOAD:
    case OP_CAS:
    case OP_RMW:
        return memory_does(op, result);
    case OP_MUTEX_LOCK:
    case OP_SPIN_LOCK:
    case OP_RWLOCK_RDLOCK:
    case OP_RWLOCK_WRLOCK:
        return lock_does(probe, op, true, result);
    case OP_MUTEX_UNLOCK:
    case OP_SPIN_UNLOCK:
    case OP_RWLOCK_UNLOCK:
        return lock_does(probe, op, false, result);
    case OP_MUTEX_TRYLOCK:
    case OP_SPIN_TRYLOCK:
    case OP_RWLOCK_TRYRDLOCK:
    case OP_RWLOCK_TRYWRLOCK:
        return try_does(probe, op, result);
    case OP_SEM_TRYWAIT:
    case OP_THREAD_TRYJOIN:
    case OP_CHANNEL_TRYPOLL:
        return touch_now(op) == TOUCH_FAILED;
    case OP_CHANNEL_TRYGET:
    case OP_CHANNEL_TRYPUT:
    case OP_FILE_TRYLOCK:
        return channel_does(op, result);
    case OP_COND_TIMEDWAIT:
        *result = WAIT_TIMED_OUT;
        return true;
    case OP_ASSUME:
    case OP_ASSERT:
        return op->value != 0;
    case OP_YIELD:
    case OP_FENCE:
        return true;
    default:
        return false;
    }
}

bool probe_does(struct probe *probe, const struct op *op, cell_value *result)
{
    if (++probe->operations < OPERATIONS_MAX && operation_does(probe, op, result))
        return true;
    probe_fails(probe);
    return false;
}
