#include "runtime/signals/model.h"

#include "base/check.h"
#include "model/object.h"

/* Signals for a thread that waits. The operation that waits says so (OBJECT_INTERRUPTIBLE), and comes back undone when there is a signal for
 * its thread. Calls with a timeout do not wait: they look for signals where they would time out. */

static bool can_come(void)
{
    return signals_sent && !signals_of(native.current)->looking && !native.current->sections &&
           !native.alone;
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

/* Whether this operation waits, and signals can interrupt it. Then it is marked so. */
static bool mark(struct op *op)
{
    if (!waits(op) || !can_come())
        return false;
    if (signals_of(native.current)->interrupted && has_place(op->kind))
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

/* An operation that was marked has come back with WAIT_INTERRUPTED: runs handlers. True if its call goes on: `op` is what it asks for
 * then. */
static bool interrupted(struct op *op)
{
    struct native_thread *thread = native.current;
    enum signals_ran ran;

    resume_by(op);
    signals_of(thread)->interrupted += is_resumed(op->kind);
    ran = signals_handle();
    signals_of(thread)->interrupted -= is_resumed(op->kind);
    return !ends(ran, signals_of(thread)->call);
}

cell_value signals_ask(const struct op *op, enum signals_call call)
{
    cell_value result;

    signals_of(native.current)->call = (uint8_t)call;
    result = native_ask(op);
    signals_of(native.current)->call = SIGNALS_GOES_ON;
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

/* ---- the way of operations */

/* Where a signal that another thread sent may come in between. */
static bool is_interruptible(const struct op *op)
{
    return op->kind != OP_THREAD_EXIT && op->kind != OP_PROCESS_EXIT && op->kind != OP_CRASH &&
           op->kind != OP_ASSERT && op->kind != OP_ASSUME && op->kind != OP_SECTION_BEGIN &&
           op->kind != OP_SECTION_END && op->kind != OP_COND_RESUME &&
           op->kind != OP_BARRIER_RESUME;
}

void signals_look(void)
{
    if (!signals_of(native.current)->masked && signals_came())
        signals_handle();
}

/* In a program whose threads can send each other signals. An AWAIT is not asked for again: what it waits for is its caller's, and may
 * have changed. */
cell_value signals_way(const struct op *asked)
{
    struct op op = *asked;
    cell_value result;
    bool goes_on;

    do {
        if (is_interruptible(&op))
            signals_look();
        if (!mark(&op))
            return native_hand_over(&op);
        result = native_hand_over(&op);
        if (result != WAIT_INTERRUPTED)
            return result;
        goes_on = interrupted(&op);
    } while (goes_on && op.kind != OP_AWAIT);
    return goes_on ? 0 : WAIT_INTERRUPTED;
}
