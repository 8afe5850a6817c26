#ifndef RADDLE_MODEL_OBJECT_H
#define RADDLE_MODEL_OBJECT_H

#include "model/op.h"

/* How the state of each kind of object is packed into 64 bits:
 *   MUTEX, SPIN  0 if free, else the holder + 1; how often it has locked again in the high half
 *   RWLOCK       readers in the low half, the writer + 1 in the high half
 *   COND         the waiters_id of who waits un-woken
 *   SEM          the value
 *   BARRIER      how many have arrived
 *   THREAD       0 before it is created, then OBJECT_THREAD_RUNS, OBJECT_THREAD_EXITED */

#define OBJECT_THREAD_RUNS   1u
#define OBJECT_THREAD_EXITED 2u

/* Added to the state of a recursive mutex each time its holder locks it again. */
#define LOCK_AGAIN ((uint64_t)1 << 32)

static inline uint64_t lock_held_by(agent_id thread)
{
    return (uint64_t)thread + 1;
}

static inline uint32_t rwlock_readers(uint64_t state)
{
    return (uint32_t)state;
}

static inline uint64_t rwlock_written_by(agent_id thread)
{
    return lock_held_by(thread) << 32;
}

static inline bool rwlock_is_written(uint64_t state)
{
    return state >> 32 != 0;
}

#endif
