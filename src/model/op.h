#ifndef RADDLE_MODEL_OP_H
#define RADDLE_MODEL_OP_H

/* Ground rules of the room `model`: it says what operations mean, and nothing of how they are
 * searched. It knows programs only through struct target (target.h), and it never allocates while
 * an execution runs, except when something is seen for the first time in the whole search. */

#include <stdbool.h>
#include <stdint.h>

/* Who takes a transition: a thread, or a store buffer. Dense, stable over the whole search. */
typedef uint32_t agent_id;
#define AGENT_NONE UINT32_MAX

/* Where an event stands in its execution, counted from 0. */
typedef uint32_t event_id;
#define EVENT_NONE UINT32_MAX

/* Which of several results an operation takes. 0 when there is only one; the woken thread of a
 * signal (OUTCOME_LOST when nobody waits); the number that `choose` returns. */
typedef uint32_t outcome_id;
#define OUTCOME_LOST UINT32_MAX

enum op_kind {
#define OP(name, object, mode, sync, flags, text) OP_##name,
#include "model/ops.def"
#undef OP
    OP_KIND_COUNT
};

enum op_flag {
    OP_DRAIN = 1,  /* runs only when the store buffers of its thread are empty */
    OP_BLOCK = 2,  /* may be disabled */
    OP_HIDDEN = 4, /* not written by programs */
    OP_LOOK = 8,   /* looks first, by a plain load: see OBJECT_LOOK */
    OP_FORK = 16,  /* may have several outcomes: op_outcomes; all others have the one outcome 0 */
};

enum object_kind {
    OBJECT_NONE,
    OBJECT_CELL, /* memory; named by bytes, not by an object */
    OBJECT_MUTEX,
    OBJECT_SPIN,
    OBJECT_RWLOCK,
    OBJECT_COND,
    OBJECT_SEM,
    OBJECT_BARRIER,
    OBJECT_THREAD,
    OBJECT_CHANNEL, /* a pipe, one direction of a connection, …: see channel.h */
    OBJECT_SLOT, /* one buffered store: met by the loads of its thread that it serves, and by who overwrites it */
    OBJECT_KIND_COUNT
};

enum access_mode {
    ACCESS_NONE,
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_ADD, /* changes it, but in a way that commutes with other such changes: a reader comes or goes */
    ACCESS_SUM1, /* the same of memory, by what is done and, of sums, to how many bytes: see commute.h */
    ACCESS_SUM2,
    ACCESS_SUM4,
    ACCESS_SUM8,
    ACCESS_AND,
    ACCESS_OR,
    ACCESS_XOR,
    ACCESS_MODE_COUNT
};

/* What is tried in one order only where nobody can tell the orders apart; bits of world.commutes. */
enum commute {
    COMMUTE_INCREMENTS = 1, /* additions and their like whose results are not used */
    COMMUTE_BARRIERS = 2,   /* arrivals at a barrier, unless somebody asks who was last */
    COMMUTE_JOINS =
        4, /* no order of its own: a join belongs to the transition in which it gets through */
    COMMUTE_ALL = 7,
};

/* How an operation synchronises when it succeeds. */
enum op_sync {
    SYNC_NONE,
    SYNC_ACQUIRE,
    SYNC_RELEASE,
    SYNC_BOTH,           /* releases, then acquires what all have released so far */
    SYNC_ORDER,          /* memory and fences: as the memory order says */
    SYNC_ACQUIRE_SHARED, /* as a reader: learns what writers released, not what readers did */
    SYNC_RELEASE_MUTEX,  /* releases the mutex that it names, not the object */
    SYNC_ACQUIRE_WOKEN,  /* acquires the object and what was released by who woke the thread */
    SYNC_WOKEN,          /* acquires the latter only */
    SYNC_MAKE,           /* orders nothing, but is to be ordered: the object's life begins, */
    SYNC_END,            /* or ends */
};

enum memory_order { ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST };

enum rmw_kind {
    RMW_XCHG,
    RMW_ADD,
    RMW_SUB,
    RMW_AND,
    RMW_OR,
    RMW_XOR,
    RMW_NAND,
    RMW_MAX, /* signed */
    RMW_MIN,
    RMW_UMAX,
    RMW_UMIN,
    RMW_FADD, /* a float or double, by its size */
    RMW_FSUB,
    RMW_FMAX,
    RMW_FMIN,
    RMW_KIND_COUNT
};

/* LOAD, STORE: a plain access that its target makes visible all the same. */
#define OP_VARIANT_PLAIN 1

/* LOAD, BARRIER_WAIT, a bit: its thread does not use what it gets. */
#define OP_VARIANT_UNUSED 2

/* RMW, a bit of `expect`: the same. */
#define RMW_UNUSED 1

/* SECTION_BEGIN: the program itself asks for it, and has nothing else to do there. */
#define OP_VARIANT_ANNOTATED 1

/* THREAD_JOIN, as `expect`: since its last operation, if that was another join, the thread has done nothing that anybody could notice. */
#define JOIN_ON 1

/* FENCE: what a locked instruction does to the store buffer, on whatever it works. It orders nothing else. */
#define OP_VARIANT_LOCKED 1

/* What happens when a thread locks a mutex that it holds; a robust one also survives its holder's end. */
enum mutex_kind {
    MUTEX_NORMAL,
    MUTEX_RECURSIVE,
    MUTEX_ERRORCHECK,
    MUTEX_KIND_MASK = 3,
    MUTEX_ROBUST = 4,
    MUTEX_LAST =
        8 /* unlock: nobody gets it any more, as a robust one that was not made consistent */
};

/* Variants of operations on other objects, for targets whose calls can fail or be judged where a script's just waits. */
enum object_variant {
    OBJECT_LENIENT,
    OBJECT_STRICT, /* rwlocks: fails if it would wait for itself; join: once, and not of detached threads; signals: somebody may be
                      cancelled; semaphores: posting overflows */
    OBJECT_WRITERS_FIRST =
        2, /* rwlocks, a bit: readers wait behind writers that wait (RWLOCK_WANT) */
};

/* Bits of `size` of an operation on an object, and of all that wait. */
#define OBJECT_RAW           1 /* the memory of the object does not look as if anybody had initialised it */
#define OBJECT_INTERRUPTIBLE 2 /* a signal for its thread ends the wait: thread.signals */
#define OBJECT_APART                                                                               \
    4 /* does not access the memory of the object; INIT: which was set anew by stores that are known */
#define OBJECT_SAME                                                                                \
    8 /* INIT: if there is a live object, this is still it: its memory has become nothing else */
#define OBJECT_LOOK                                                                                \
    16 /* set by the world: only looks whether the operation would fail. Then that is all; else it is pending without this bit */
#define OBJECT_QUIET                                                                               \
    32 /* done by plain loads and stores, as far as its own thread can tell: needs no empty buffers */

/* What up to 16 bytes of memory hold. */
typedef unsigned __int128 cell_value;

/* A visible operation as its thread asks for it, before its outcome is known. */
struct op {
    uint8_t kind;  /* enum op_kind */
    uint8_t size;  /* bytes of a cell: 1, 2, 4, 8 or 16; others: OBJECT_RAW… */
    uint8_t order; /* enum memory_order, of memory operations and fences */
    uint8_t
        variant; /* RMW: enum rmw_kind; mutexes, waits: enum mutex_kind; CAS: the order if it fails; other objects: enum object_variant */
    uint32_t stores;  /* set by the world: buffered stores its thread had issued before */
    uint64_t site;    /* the target's name for the place in the program */
    uint64_t addr;    /* the object or the first byte of the cell; THREAD: its agent_id */
    uint64_t mutex;   /* the mutex of a condition wait; RMW: not 0 if it sends a signal */
    cell_value value; /* stored, added or desired; CHOOSE: how many; ASSUME, ASSERT: the truth */
    cell_value
        expect; /* what CAS compares with; RMW: RMW_UNUSED or 0; BARRIER: how many threads it takes; waits: how they may end by themselves; JOIN: JOIN_ON, or 0 */
};

/* What ops.def says of a kind. */
struct op_info {
    const char *name; /* as in OP_name */
    const char *text; /* as people and the text form of scripts write it */
    uint8_t object;   /* enum object_kind */
    uint8_t mode;     /* enum access_mode, when it succeeds */
    uint8_t sync;     /* enum op_sync */
    uint8_t flags;    /* enum op_flag */
};

extern const struct op_info op_infos[OP_KIND_COUNT];

/* A compare-exchange in a loop that would only go round if it failed: it waits until it succeeds. Its `mutex` is a struct await of what else the loop has read
 * in this round. */
static inline bool op_is_retry(const struct op *op)
{
    return op->kind == OP_CAS && op->mutex != 0;
}

/* Whether the operation may be disabled. */
static inline bool op_may_wait(const struct op *op)
{
    return op_infos[op->kind].flags & OP_BLOCK || op_is_retry(op);
}
extern const char *const object_kind_names[OBJECT_KIND_COUNT];
extern const char *const memory_order_names[5]; /* "rlx", "acq", "rel", "ar", "sc" */
extern const char *const rmw_kind_names[RMW_KIND_COUNT];

/* The value that `rmw` leaves in a cell of `size` bytes that held `old`. */
cell_value rmw_result(enum rmw_kind rmw, cell_value old, cell_value operand, unsigned size);

/* The low `size` bytes of a value. */
static inline cell_value cell_cut(cell_value value, unsigned size)
{
    return size == 16 ? value : value & (((cell_value)1 << (8 * size)) - 1);
}

#endif
