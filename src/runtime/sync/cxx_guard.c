#include "model/object.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/native.h"

/* The initialisation of C++ variables that are static in a function. The code that the compiler writes looks at the first byte of the guard by an
 * acquire load; if it is not set it calls these. A mutex of its own orders the callers, and is never to be had again when the variable is made, as for pthread_once. */

INTERPOSE int __cxa_guard_acquire(uint64_t *guard);
INTERPOSE void __cxa_guard_release(uint64_t *guard);
INTERPOSE void __cxa_guard_abort(uint64_t *guard);

static uint8_t *is_done(uint64_t *guard)
{
    return (uint8_t *)guard;
}

/* The guard only names the mutex: its bytes are the compiler's, who accesses them as atomic ones. */
static uint64_t guard_ask(enum op_kind kind, uint64_t *guard, uint8_t variant)
{
    struct op op = native_op(kind, guard);

    op.size = OBJECT_APART;
    op.variant = variant;
    return native.current ? (uint64_t)native_ask(&op) : LOCK_GOT;
}

INTERPOSE int __cxa_guard_acquire(uint64_t *guard)
{
    if (!native.current)
        return !*is_done(guard);
    if (guard_ask(OP_MUTEX_LOCK, guard, MUTEX_NORMAL) != LOCK_LOST)
        return 1; /* and has the mutex until it is done */
    __raddle_load1(is_done(guard), ORDER_ACQUIRE, native_site());
    return 0;
}

/* Later callers only read. */
INTERPOSE void __cxa_guard_release(uint64_t *guard)
{
    __raddle_store1(is_done(guard), 1, ORDER_RELEASE, native_site());
    guard_ask(OP_MUTEX_UNLOCK, guard, MUTEX_LAST);
}

/* The constructor threw. */
INTERPOSE void __cxa_guard_abort(uint64_t *guard)
{
    guard_ask(OP_MUTEX_UNLOCK, guard, MUTEX_NORMAL);
}
