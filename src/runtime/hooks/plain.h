#ifndef RADDLE_RUNTIME_HOOKS_PLAIN_H
#define RADDLE_RUNTIME_HOOKS_PLAIN_H

#include "detect/detect.h"
#include "runtime/program/native.h"

/* Plain accesses of the program, when they are checked for races: then they go to memory at once. If no run has a race, nobody can tell
 * when they were made.
 *
 * A loop that does nothing but plain accesses never gives way to the thread that it may wait for. So after PLAIN_BUDGET accesses
 * without a visible operation the next PLAIN_WINDOW loads are visible all the same: then spin.h sees what the loop waits for. */

#define PLAIN_BUDGET 100000
#define PLAIN_WINDOW 64
#define PLAIN_SLACK  20000 /* accesses beyond the budget, in code that does not count by itself */

/* Memory that a function reads or writes. */
struct native_range {
    const void *at;
    size_t size;
    bool writes;
};

/* The running thread is about to read or write those bytes by means of its own, in one go: call it before. With
 * --races=report checks for races. With --races=ignore, or inside an atomic section, makes it one visible step, the access included if nothing
 * visible comes between. Anything not shared costs a comparison. Keeps errno. */
void native_touches(const struct native_range *ranges, size_t count);

static inline void native_reads(const void *at, size_t size)
{
    native_touches(&(struct native_range){at, size, false}, 1);
}

static inline void native_writes(void *at, size_t size)
{
    native_touches(&(struct native_range){at, size, true}, 1);
}

/* ---- for hooks */

/* Of the running thread, and derived from what is known of it. */
struct plain {
    bool quick;    /* accesses that add nothing to what is known are left out */
    bool watched;  /* none are: each one is to be seen */
    bool spent;    /* the budget of the running thread: the window is to open, or open */
    bool unmapped; /* memory that was accessed may be gone: code must say where it is */
    bool spanned;  /* and some have been told as a whole: spans_told */
    bool touching; /* native_touches makes the accesses visible that it has checked */
    uint32_t
        looks; /* atomic accesses of its own stack that left it as it was, since it did anything visible */
};

extern struct plain plain;

/* From now on each access is seen (detector.seen), or no longer. */
void plain_watch(bool watched);

/* The program has taken memory away, or made it read-only: an access that the detector knows may fault. */
void plain_unmapped(void);

/* Counts an access; every PLAIN_BUDGET of them __raddle_spent is called. Code that counts by itself does so where it begins and in each
 * loop, before it asks what is known: there the budget ends first. In between, accesses that were known are not seen, unless each one is
 * to be seen, so the window would open elsewhere in a run that is done again. */
static inline void plain_count(void)
{
    if (__builtin_expect(--__raddle_quick.left < -PLAIN_SLACK, 0))
        __raddle_spent();
}

/* If set, called for each store that the running thread puts into its buffer, which is no operation of its own. */
extern void (*plain_stored)(const struct op *op);

/* The thread goes on after a visible operation, or begins. */
void plain_begin(const struct native_thread *thread);

/* A thread's own stack, with its thread-local variables, is its own until another thread is seen there. */
static inline bool native_direct(const void *p)
{
    const struct native_thread *thread = native.current;

    return native.alone || !thread ||
           (!thread->stack_shared &&
            ((uintptr_t)p - (uintptr_t)thread->stack.low < thread->stack.size || tls_is_own(p)));
}

/* Another thread's stack: then that one's accesses to it count, too, and the search begins anew with that knowledge. */
void plain_foreign_stack(const void *p);

/* A plain access that is not direct. True: it was checked, and memory is to be accessed at once. False: it must be made visible, and has
 * been checked if the operation carries OP_VARIANT_PLAIN, that is, outside of atomic sections. */
bool plain_read_slow(const void *p, size_t size);
bool plain_write_slow(void *p, size_t size);

/* After a quick look was in vain: whether that is because what the detector knows has waited, and it is known after all. */
static inline bool plain_was_known(const void *p, unsigned size, bool writes)
{
    if (__builtin_expect(!detect_settle(), 1) || !plain.quick ||
        !detect_known((uint64_t)(uintptr_t)p, size, writes))
        return false;
    __raddle_quick.wrote |= writes;
    return true;
}

/* Whether memory may be accessed at once, as far as that is quickly told. */
static inline bool plain_read_quick(const void *p, unsigned size, uint32_t flags)
{
    if ((flags & (HOOK_PLAIN | HOOK_VOLATILE)) != HOOK_PLAIN)
        return false;
    plain_count();
    return plain.quick && detect_known((uint64_t)(uintptr_t)p, size, false);
}

static inline bool plain_write_quick(void *p, unsigned size, uint32_t flags)
{
    if ((flags & (HOOK_PLAIN | HOOK_VOLATILE)) != HOOK_PLAIN)
        return false;
    plain_count();
    if (!plain.quick || !detect_known((uint64_t)(uintptr_t)p, size, true))
        return false;
    __raddle_quick.wrote = 1;
    return true;
}

/* Whether the access is one of those that have been told as a whole, or adds nothing to them (span.c). */
bool spans_told(uint64_t addr, size_t size, bool writes);

/* The running thread gives the block back: whoever still uses it races with that. */
void plain_free(void *block, size_t size);

/* It has given it back: its memory may be handed out again, if that changes nothing for the search. And it gets a block where it has freed another
 * one before. */
void plain_retire(const void *block);
void plain_again(void *block, size_t size);

#endif
