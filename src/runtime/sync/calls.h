#ifndef RADDLE_RUNTIME_SYNC_CALLS_H
#define RADDLE_RUNTIME_SYNC_CALLS_H

/* What the interposed calls on locks, conditions and semaphores share. Outside a program thread (constructors of libraries,
 * the engine) there is nobody to exclude, and calls succeed at once. A timed call times out if it has to wait when its turn comes: to wait longer is to
 * have its turn later. */

#include <pthread.h>
#include <time.h>

#include "model/object.h"
#include "runtime/ending/ending.h"
#include "runtime/program/spin.h"
#include "runtime/time/time.h"

/* An operation on an object. `raw`: its memory does not look as if anybody had initialised it. */
static inline struct op calls_op(enum op_kind kind, const void *addr, bool raw)
{
    struct op op = native_op(kind, addr);

    op.size = raw ? OBJECT_RAW : 0;
    return op;
}

/* Before a try that may fail: a loop of nothing but these waits. */
static inline void calls_try(void)
{
    if (native.current)
        spin_before(native_site());
}

/* Before an operation on a lock: taking and trying it may be where a loop begins its next round; giving it back tells whether anything
 * was written under it. */
void calls_section(struct op *op);

/* A timed call is a full fence, also if it times out: by then it has counted itself among those who wait. The try by which it is modelled
 * would be none. */
static inline void calls_wait_until(void)
{
    struct op fence = native_op(OP_FENCE, NULL);

    fence.variant = OP_VARIANT_LOCKED;
    if (native.current && world_is_buffered(native.world) && !native.alone)
        native_ask(&fence);
}

/* Asks for it; outside a program thread it gives `outside`. */
static inline uint64_t calls_ask(const struct op *op, uint64_t outside)
{
    if (native.current)
        return (uint64_t)native_ask(op);
    constructors_leave();
    return outside;
}

/* An object was initialised, by an operation of that kind. In constructors that is remembered for each run. */
void calls_init(enum op_kind kind, const void *addr, uint64_t value);

/* The memory of an object is about to be set, at once. */
void calls_writes(enum object_kind kind, const void *object);

/* After its memory has been set: it is known for the object that was initialised. The other way round for a copy of it that is to be
 * compared. */
void calls_mark(enum object_kind kind, void *object);
void calls_unmark(enum object_kind kind, void *copy);

/* An object was destroyed once, but its memory has been set like a static initialiser's since: it is another one. */
void calls_revive(enum op_kind init, const void *addr);

/* Whether all of these bytes are zero. */
bool calls_is_zero(const void *memory, size_t size);

/* The kind of a mutex, from where glibc keeps it, so that static initialisers say it, too. */
uint8_t mutex_kind(const pthread_mutex_t *mutex);

/* An operation on the mutex of the model at `addr`, with bits such as OBJECT_RAW; LOCK_GOT outside a program thread. */
uint64_t mutex_ask_at(enum op_kind kind, const void *addr, uint8_t mutex_kind, uint8_t bits);

/* Whether the running thread holds it. Only that thread can change the answer, so asking is no operation. */
bool mutex_is_own(const void *mutex);

/* Whether a wait with it reports that the thread does not hold it: errorcheck or robust, and not destroyed. */
bool mutex_tells_owner(const pthread_mutex_t *mutex);

/* The running thread got or gave a robust mutex: abandoned if it ends before it gives it back. */
void mutex_note_robust(pthread_mutex_t *mutex);

#endif
