#include "runtime/native.h"
#include "runtime/plain.h"

/* The initialisation of C++ variables that are static in a function. The code that the compiler writes looks at the first byte of the guard by an
 * acquire load; if it is not set it calls these. A mutex of its own orders the callers, as for pthread_once. */

INTERPOSE int __cxa_guard_acquire(uint64_t *guard);
INTERPOSE void __cxa_guard_release(uint64_t *guard);
INTERPOSE void __cxa_guard_abort(uint64_t *guard);

static uint8_t *is_done(uint64_t *guard)
{
    return (uint8_t *)guard;
}

/* The guard only names the mutex: its bytes are the compiler's, who accesses them as atomic ones. */
static void guard_ask(enum op_kind kind, uint64_t *guard)
{
    struct op op = native_op(kind, guard);

    op.size = OBJECT_APART;
    if (native.current)
        native_ask(&op);
}

INTERPOSE int __cxa_guard_acquire(uint64_t *guard)
{
    guard_ask(OP_MUTEX_LOCK, guard);
    if (!*is_done(guard))
        return 1; /* and has the mutex until it is done */
    guard_ask(OP_MUTEX_UNLOCK, guard);
    return 0;
}

INTERPOSE void __cxa_guard_release(uint64_t *guard)
{
    __raddle_store1(is_done(guard), 1, ORDER_RELEASE, native_site());
    guard_ask(OP_MUTEX_UNLOCK, guard);
}

/* The constructor threw. */
INTERPOSE void __cxa_guard_abort(uint64_t *guard)
{
    guard_ask(OP_MUTEX_UNLOCK, guard);
}
