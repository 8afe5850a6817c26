#include "runtime/signals/model.h"

#include "base/check.h"
#include "model/object.h"

/* Signals for a thread that waits. The operation that waits says so (OBJECT_INTERRUPTIBLE), and comes back undone when there is a signal for
 * its thread. Calls with a timeout do not wait: they look for signals where they would time out. */

static bool can_come(void)
{
    return signals_sent && !native.current->signalled && !native.current->sections && !native.alone;
}

/* Whoever waits there stays there while a handler runs: the mutex is given back, and the arrival counts. */
static bool has_place(uint8_t kind)
{
    return kind == OP_COND_WAIT || kind == OP_COND_TIMEDWAIT || kind == OP_BARRIER_WAIT;
}

static bool is_resumed(uint8_t kind)
{
    return kind == OP_COND_RESUME || kind == OP_BARRIER_RESUME;
}

static bool waits(const struct op *op)
{
    return op_infos[op->kind].flags & OP_BLOCK || has_place(op->kind) || is_resumed(op->kind);
}

bool signals_mark(struct op *op)
{
    if (!waits(op) || !can_come())
        return false;
    if (native.current->interrupted && has_place(op->kind))
        native_unsupported(
            "a handler that waits at a condition or barrier while its thread waits at one");
    op->size |= OBJECT_INTERRUPTIBLE;
    native.world->threads.at[native.current->agent].signals = (uint64_t)(uintptr_t)signals_own();
    return true;
}

static void resume_by(struct op *op)
{
    if (op->kind == OP_COND_TIMEDWAIT)
        op->expect |= 1u << WAIT_END_TIMEOUT;
    if (op->kind == OP_COND_WAIT || op->kind == OP_COND_TIMEDWAIT) {
        op->kind = OP_COND_RESUME;
        op->value = 0; /* the handler may have changed anything */
    } else if (op->kind == OP_BARRIER_WAIT) {
        op->kind = OP_BARRIER_RESUME;
    }
}

static bool ends(enum signals_ran ran, enum signals_call call)
{
    return ran != SIGNALS_RAN_NONE &&
           (call == SIGNALS_ENDS || (call == SIGNALS_RESTARTS && ran == SIGNALS_RAN));
}

bool signals_interrupted(struct op *op)
{
    struct native_thread *thread = native.current;
    enum signals_ran ran;

    resume_by(op);
    thread->interrupted += is_resumed(op->kind);
    ran = signals_handle();
    thread->interrupted -= is_resumed(op->kind);
    return !ends(ran, thread->call);
}

cell_value signals_ask(const struct op *op, enum signals_call call)
{
    cell_value result;

    native.current->call = (uint8_t)call;
    result = native_ask(op);
    native.current->call = SIGNALS_GOES_ON;
    return result;
}

enum signals_wake signals_meanwhile(enum signals_call call)
{
    enum signals_ran ran;

    if (!native.current || !can_come() || !signals_came())
        return SIGNALS_NOTHING;
    ran = signals_handle();
    if (ends(ran, call))
        return SIGNALS_INTERRUPTED;
    return ran == SIGNALS_RAN_NONE ? SIGNALS_NOTHING : SIGNALS_AGAIN;
}
