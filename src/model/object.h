#ifndef RADDLE_MODEL_OBJECT_H
#define RADDLE_MODEL_OBJECT_H

#include "model/op.h"

/* How the state of each kind of object is packed into 64 bits. The low 60 say how it is used:
 *   MUTEX, SPIN  0 if free, else the holder + 1; above that, how often it has locked again; above that its stamp, which
 *                changes when it is given back by a thread that has written something meanwhile
 *   RWLOCK       the readers (a waiters_id, each as often as it reads), above that the writer + 1; its stamp is an object of its own
 *   COND         who waits un-woken (a waiters_id), above that the location of their mutex + 1
 *   SEM          the value
 *   BARRIER      how many have arrived
 *   CHANNEL      see channel.h
 *   THREAD       one of three things, by the address (see thread_life_addr): what it does (OBJECT_THREAD_RUNS…), whether
 *                it may still be joined (OBJECT_THREAD_JOINED…), whether it was asked to end (1)
 * The high bits tell of its life. A state of 0 is that of an object that no call has initialised. */

#define OBJECT_DESTROYED    ((uint64_t)1 << 63)
#define OBJECT_MADE         ((uint64_t)1 << 62) /* initialised by a call */
#define MUTEX_OWNER_DIED    ((uint64_t)1 << 61) /* robust: what it protects may be half done */
#define MUTEX_UNRECOVERABLE ((uint64_t)1 << 60) /* and was given up */
#define OBJECT_USE          (MUTEX_UNRECOVERABLE - 1)

#define OBJECT_THREAD_RUNS   1u
#define OBJECT_THREAD_EXITED 2u

#define OBJECT_THREAD_JOINED   1u
#define OBJECT_THREAD_DETACHED 2u

/* Added to the state of a recursive mutex each time its holder locks it again. */
#define LOCK_AGAIN ((uint64_t)1 << 32)

/* The stamp, and all that says whether it is held. */
#define LOCK_STAMP      ((uint64_t)1 << 44)
#define LOCK_STAMP_MASK (OBJECT_USE & ~(LOCK_STAMP - 1))
#define LOCK_USE        (LOCK_STAMP - 1)

/* Where the stamp of a lock is. That of a reader-writer lock is apart, for readers come and go without changing it. */
#define RWLOCK_STAMP_ADDR ((uint64_t)1 << 51)

static inline uint64_t lock_stamp_addr(enum object_kind kind, uint64_t addr)
{
    return kind == OBJECT_RWLOCK ? addr | RWLOCK_STAMP_ADDR : addr;
}

/* Where the writers are kept (a waiters_id) that wait for a lock which prefers them: apart, as few locks do. */
static inline uint64_t rwlock_wants_addr(uint64_t addr)
{
    return addr | (uint64_t)1 << 50;
}

/* Addresses of OBJECT_THREAD other than the thread itself: apart from its running, so that operations on the one do not conflict with
 * those on the other. */
static inline uint64_t thread_handle_addr(uint64_t thread)
{
    return thread | (uint64_t)1 << 32;
}

static inline uint64_t thread_cancel_addr(uint64_t thread)
{
    return thread | (uint64_t)2 << 32;
}

/* Written by each request to end and each signal (of POSIX) to a thread, read by what ends waits at conditions and barriers: see
 * touch_cond_wake. */
#define THREAD_ANY_REQUEST ((uint64_t)3 << 32)

static inline uint64_t lock_held_by(agent_id thread)
{
    return (uint64_t)thread + 1;
}

static inline uint32_t lock_holder(uint64_t state)
{
    return (uint32_t)state;
}

static inline uint64_t lock_stamp(uint64_t state, bool changes)
{
    return ((state & LOCK_STAMP_MASK) + (changes ? LOCK_STAMP : 0)) & LOCK_STAMP_MASK;
}

/* The state of a lock that its holder gives back. A robust mutex that is still not consistent is never to be had again. */
static inline uint64_t lock_given(uint64_t state, bool has_written)
{
    uint64_t life = (state & ~OBJECT_USE) | lock_stamp(state, has_written);

    if ((state & LOCK_USE) >= LOCK_AGAIN)
        return state - LOCK_AGAIN;
    return life & MUTEX_OWNER_DIED ? (life & ~MUTEX_OWNER_DIED) | MUTEX_UNRECOVERABLE : life;
}

static inline uint32_t rwlock_readers(uint64_t state)
{
    return (uint32_t)state;
}

static inline uint64_t rwlock_written_by(agent_id thread)
{
    return lock_held_by(thread) << 32;
}

static inline uint64_t rwlock_writer(uint64_t state)
{
    return state & OBJECT_USE & ~(uint64_t)UINT32_MAX;
}

static inline uint64_t cond_waiting(uint32_t waiters, uint32_t mutex)
{
    return waiters ? waiters | ((uint64_t)mutex + 1) << 32 : 0;
}

/* The location of the mutex that those who wait have used. */
static inline uint32_t cond_mutex(uint64_t state)
{
    return (uint32_t)((state & OBJECT_USE) >> 32) - 1;
}

/* What a lock operation gives its thread. */
enum lock_result {
    LOCK_BUSY, /* or not held, for an unlock */
    LOCK_GOT,
    LOCK_GOT_FROM_DEAD, /* a robust mutex whose holder has ended */
    LOCK_LOST,          /* a robust mutex that was not made consistent */
    LOCK_OWN,           /* it would wait for itself */
};

/* What a wait on a condition gives its thread: a set of these. */
enum wait_result {
    WAIT_TIMED_OUT = 1,
    WAIT_CANCELLED = 2,
    WAIT_FROM_DEAD = 4, /* the mutex came from a holder that has ended */
    WAIT_LOST = 8,      /* the mutex was not to be had again */
};

/* The outcomes of COND_TIMEOUT, and the bits (1 << outcome) of `expect` of a wait for those that it may have. */
enum wait_end {
    WAIT_END_TIMEOUT,
    WAIT_END_SPURIOUS,
    WAIT_END_CANCEL,
    WAIT_END_SIGNAL, /* not an end: the thread runs a handler, and goes on waiting by COND_RESUME */
    WAIT_END_COUNT
};

/* What an operation that waits gives its thread if a signal has interrupted it: nothing else has happened. */
#define WAIT_INTERRUPTED ((cell_value)1 << 64)

/* The result of a look (OBJECT_LOOK) after which the operation is still to be done. */
#define LOOK_GOES_ON ((cell_value)1 << 65)

/* What is said of them: "cancelled"; "" for a timeout. */
extern const char *const wait_end_texts[WAIT_END_COUNT];

/* Another bit of `expect`: the thread has written something since it took the mutex. */
#define WAIT_HAS_WRITTEN ((unsigned)1 << WAIT_END_COUNT)

#endif
