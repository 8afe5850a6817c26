#include "runtime/hooks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "model/buffer.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/written.h"
#include "runtime/program/additions.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/native.h"
#include "runtime/program/rounds.h"
#include "runtime/program/spin.h"

/* What instrumented code calls. As long as a thread is alone, nothing it does can matter to another one: then memory is
 * accessed at once. */

#define HOOK __attribute__((visibility("default")))

HOOK const uint8_t __raddle_checks = 1;

/* Whether an access is one that the detector checks. Volatile ones count as relaxed atomics. */
static inline bool is_plain(uint32_t flags)
{
    return native.detects && (flags & (HOOK_PLAIN | HOOK_VOLATILE)) == HOOK_PLAIN;
}

/* Inside an atomic section plain accesses are atomic. */
static inline uint8_t access_variant(uint32_t flags)
{
    return is_plain(flags) && (!native.current->sections || plain.touching) ? OP_VARIANT_PLAIN : 0;
}

static inline struct op memory_op(enum op_kind kind, const void *p, unsigned size, uint32_t flags,
                                  const struct raddle_site *site)
{
    if (kind == OP_STORE && !(flags & (HOOK_ORDER_MASK | HOOK_PLAIN | HOOK_VOLATILE)))
        native.session->relaxed = true;
    return (struct op){.kind = (uint8_t)kind,
                       .size = (uint8_t)size,
                       .order = (uint8_t)(flags & HOOK_ORDER_MASK),
                       .variant = access_variant(flags),
                       .addr = (uint64_t)(uintptr_t)p,
                       .site = (uint64_t)(uintptr_t)site};
}

/* While the thread waited for its turn, another one may have freed what it accesses. */
static cell_value ask_access(const struct op *op, bool writes)
{
    cell_value result = native_ask(op);

    memory_check((const void *)(uintptr_t)op->addr, op->size, writes);
    return result;
}

static cell_value memory_load(const void *p, unsigned size, uint32_t flags,
                              const struct raddle_site *site)
{
    struct op op = memory_op(OP_LOAD, p, size, flags, site);

    if (flags & HOOK_UNUSED)
        op.variant |= OP_VARIANT_UNUSED;
    (void)*(volatile const char *)p; /* a wild pointer must fault here, not in the engine */
    plain_foreign_stack(p);
    spin_before(site);
    return ask_access(&op, false);
}

/* The same for what will be written: nobody else runs meanwhile, so writing back what was there is nothing. */
static void probe_write(void *p)
{
    volatile char *byte = p;

    *byte = *byte;
    plain_foreign_stack(p);
}

static void memory_store(void *p, cell_value value, unsigned size, uint32_t flags,
                         const struct raddle_site *site)
{
    struct op op = memory_op(OP_STORE, p, size, flags, site);

    op.value = value;
    probe_write(p);
    if (!world_buffer_store(native.world, native.current->agent, &op)) {
        ask_access(&op, true);
        return;
    }
    if (__builtin_expect(plain_stored != NULL, 0))
        plain_stored(&op);
    buffer_show_newest(native.world, native.current->agent, op.addr);
    spin_after(&op, 0);
}

static cell_value memory_rmw(void *p, cell_value operand, unsigned size, uint32_t flags,
                             const struct raddle_site *site)
{
    struct op op = memory_op(OP_RMW, p, size, flags, site);

    op.variant = (uint8_t)(flags >> 8);
    op.value = operand;
    if (flags & HOOK_UNUSED && additions_commute(p))
        op.expect = RMW_UNUSED;
    probe_write(p);
    spin_before(site);
    return ask_access(&op, true);
}

static cell_value memory_cas(void *p, cell_value expected, cell_value desired, unsigned size,
                             uint32_t flags, const struct raddle_site *site)
{
    struct op op = memory_op(OP_CAS, p, size, flags, site);

    op.variant = (uint8_t)(flags >> HOOK_FAILURE_SHIFT & HOOK_ORDER_MASK);
    op.expect = expected;
    op.value = desired;
    op.mutex = (uint64_t)(uintptr_t)rounds_retry(site);
    probe_write(p);
    spin_before(site);
    return ask_access(&op, true);
}

/* A handler interrupts its thread before operations only: between two plain accesses it could find the memory half changed. */
static void handler_check(uint32_t flags)
{
    if (native.current->handlers && is_plain(flags))
        native_unsupported(
            "plain memory in a handler of signals, which may come between two accesses");
}

/* A locked instruction (an atomic store that is sequentially consistent is one, too) empties the store buffer, whatever it works on. */
static void locked_direct(const struct raddle_site *site)
{
    struct op op = {
        .kind = OP_FENCE, .variant = OP_VARIANT_LOCKED, .site = (uint64_t)(uintptr_t)site};

    if (native.current && !native.alone && !native.current->sections &&
        world_is_buffered(native.world))
        native_ask(&op);
}

static inline bool is_locked_store(uint32_t flags)
{
    return (flags & (HOOK_PLAIN | HOOK_ORDER_MASK)) == ORDER_SEQ_CST;
}

/* An atomic access leaves memory as it was that is the thread's own as far as is known. Whether it is to be visible: a thread that does that
 * again and again, and nothing visible, waits for one that has not come to its stack yet. So its stack counts as shared from then on. */
static inline bool waits_alone(void)
{
    if (native.alone || !native.current || __builtin_expect(plain.looks++ < PLAIN_BUDGET, 1))
        return false;
    native_share_stack(native.current->number);
    return true;
}

static inline bool load_direct(const void *p, uint32_t flags)
{
    return native_direct(p) &&
           ((flags & (HOOK_PLAIN | HOOK_VOLATILE)) == HOOK_PLAIN || !waits_alone());
}

/* What is left when the quick checks fail; out of line, so that they cost no saved registers. */
#define SLOW static __attribute__((noinline))

/* memcpy, since the program may access what is not aligned */
#define ACCESSES(size, type)                                                                       \
    SLOW type load_slow##size(const void *p, uint32_t flags, const struct raddle_site *site)       \
    {                                                                                              \
        bool direct = load_direct(p, flags);                                                       \
        type value;                                                                                \
                                                                                                   \
        memory_check(p, size, false);                                                              \
        if (!direct)                                                                               \
            handler_check(flags);                                                                  \
        if (!direct &&                                                                             \
            !(is_plain(flags) && (plain_was_known(p, size, false) || plain_read_slow(p, size))))   \
            return (type)memory_load(p, size, flags, site);                                        \
        memcpy(&value, p, size);                                                                   \
        return value;                                                                              \
    }                                                                                              \
                                                                                                   \
    HOOK type __raddle_load##size(const void *p, uint32_t flags, const struct raddle_site *site)   \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        if (__builtin_expect(!plain_read_quick(p, size, flags), 0))                                \
            return load_slow##size(p, flags, site);                                                \
        memcpy(&value, p, size);                                                                   \
        return value;                                                                              \
    }                                                                                              \
                                                                                                   \
    SLOW void store_slow##size(void *p, type value, uint32_t flags,                                \
                               const struct raddle_site *site)                                     \
    {                                                                                              \
        memory_check(p, size, true);                                                               \
        if (!native_direct(p))                                                                     \
            handler_check(flags);                                                                  \
        else if (is_locked_store(flags))                                                           \
            locked_direct(site);                                                                   \
        if (native_direct(p)) {                                                                    \
            rounds_scribble();                                                                     \
            written_note(p, size);                                                                 \
            memcpy(p, &value, size);                                                               \
        } else if (is_plain(flags) &&                                                              \
                   (plain_was_known(p, size, true) || plain_write_slow(p, size))) {                \
            memcpy(p, &value, size);                                                               \
        } else {                                                                                   \
            memory_store(p, value, size, flags, site);                                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    HOOK void __raddle_store##size(void *p, type value, uint32_t flags,                            \
                                   const struct raddle_site *site)                                 \
    {                                                                                              \
        if (__builtin_expect(!plain_write_quick(p, size, flags), 0))                               \
            store_slow##size(p, value, flags, site);                                               \
        else                                                                                       \
            memcpy(p, &value, size);                                                               \
    }                                                                                              \
                                                                                                   \
    HOOK type __raddle_rmw##size(void *p, type operand, uint32_t flags,                            \
                                 const struct raddle_site *site)                                   \
    {                                                                                              \
        type old, new;                                                                             \
                                                                                                   \
        memory_check(p, size, true);                                                               \
        if (!native_direct(p))                                                                     \
            return (type)memory_rmw(p, operand, size, flags, site);                                \
        memcpy(&old, p, size);                                                                     \
        new = (type)rmw_result((flags >> 8) & 0xff, old, operand, size);                           \
        if (new == old && waits_alone())                                                           \
            return (type)memory_rmw(p, operand, size, flags, site);                                \
        locked_direct(site); /* in which others may run */                                         \
        rounds_scribble();                                                                         \
        written_note(p, size);                                                                     \
        memcpy(&old, p, size);                                                                     \
        new = (type)rmw_result((flags >> 8) & 0xff, old, operand, size);                           \
        memcpy(p, &new, size);                                                                     \
        return old;                                                                                \
    }                                                                                              \
                                                                                                   \
    HOOK type __raddle_cas##size(void *p, type expected, type desired, uint32_t flags,             \
                                 const struct raddle_site *site)                                   \
    {                                                                                              \
        type old;                                                                                  \
                                                                                                   \
        memory_check(p, size, true);                                                               \
        if (!native_direct(p))                                                                     \
            return (type)memory_cas(p, expected, desired, size, flags, site);                      \
        memcpy(&old, p, size);                                                                     \
        if (old != expected && waits_alone())                                                      \
            return (type)memory_cas(p, expected, desired, size, flags, site);                      \
        locked_direct(site);                                                                       \
        rounds_scribble();                                                                         \
        written_note(p, size);                                                                     \
        memcpy(&old, p, size);                                                                     \
        if (old == expected)                                                                       \
            memcpy(p, &desired, size);                                                             \
        return old;                                                                                \
    }

/* A call that nothing is left to do behind: whoever makes it need not save registers for it. */
#if __has_attribute(musttail)
#define LAST_CALL __attribute__((musttail))
#else
#define LAST_CALL
#endif

/* What code does not do by itself. It has counted the access. What is most likely comes first, and calls nothing; the slow ways spare registers, too, so
 * that it need not. */
#define QUICK(size, type)                                                                          \
    SLOW HOOK_SPARING type read_slow##size(const void *p, const struct raddle_site *site)          \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        if (!plain.quick || !detect_known((uint64_t)(uintptr_t)p, size, false))                    \
            return load_slow##size(p, HOOK_PLAIN, site);                                           \
        memcpy(&value, p, size);                                                                   \
        return value;                                                                              \
    }                                                                                              \
                                                                                                   \
    SLOW HOOK_SPARING void write_slow##size(void *p, type value, const struct raddle_site *site)   \
    {                                                                                              \
        store_slow##size(p, value, HOOK_PLAIN, site);                                              \
    }                                                                                              \
                                                                                                   \
    HOOK HOOK_SPARING type __raddle_read##size(const void *p, const struct raddle_site *site)      \
    {                                                                                              \
        type value;                                                                                \
                                                                                                   \
        __raddle_frames->site = site;                                                              \
        if (!plain.quick || !detect_recent((uint64_t)(uintptr_t)p, size, false))                   \
            LAST_CALL return read_slow##size(p, site);                                             \
        memcpy(&value, p, size);                                                                   \
        return value;                                                                              \
    }                                                                                              \
                                                                                                   \
    HOOK HOOK_SPARING void __raddle_write##size(void *p, type value,                               \
                                                const struct raddle_site *site)                    \
    {                                                                                              \
        __raddle_frames->site = site;                                                              \
        if (!plain.quick || !detect_recent((uint64_t)(uintptr_t)p, size, true))                    \
            LAST_CALL return write_slow##size(p, value, site);                                     \
        __raddle_quick.wrote = 1;                                                                  \
        memcpy(p, &value, size);                                                                   \
    }

ACCESSES(1, uint8_t)
ACCESSES(2, uint16_t)
ACCESSES(4, uint32_t)
ACCESSES(8, uint64_t)
QUICK(1, uint8_t)
QUICK(2, uint16_t)
QUICK(4, uint32_t)
QUICK(8, uint64_t)
ACCESSES(16, unsigned __int128)

HOOK void __raddle_fence(uint32_t flags, const struct raddle_site *site)
{
    struct op op = {.kind = OP_FENCE,
                    .order = (uint8_t)(flags & HOOK_ORDER_MASK),
                    .site = (uint64_t)(uintptr_t)site};

    if (!native.alone && native.current)
        native_ask(&op);
}

HOOK void __raddle_head(uint32_t again, const struct raddle_site *site)
{
    if (native.alone || !native.current)
        return;
    rounds_head(again != 0, site);
    spin_wipe();
}

HOOK void __raddle_turn(const void *p, uint32_t how, const struct raddle_site *head,
                        const struct raddle_site *site)
{
    struct rounds_read read = {(uint64_t)(uintptr_t)p, (uint8_t)how,
                               (uint8_t)(how >> 8 & HOOK_ORDER_MASK)};

    if (native.alone || !native.current)
        return;
    rounds_turn(&read, how & HOOK_TURN_EXCHANGE ? site : NULL, head);
    spin_wipe();
}

/* ---- plain accesses of any size: as many single ones, since nothing makes them atomic */

/* The largest power of two, up to 8, that `addr` is a multiple of and that fits into `n`. */
static unsigned piece_size(uintptr_t addr, size_t n)
{
    unsigned size = 8;

    while (size > 1 && (addr % size || size > n))
        size /= 2;
    return size;
}

static void copy_piece(char *to, const char *from, unsigned size, const struct raddle_site *site)
{
    cell_value value = 0;

    if (native_direct(from))
        memcpy(&value, from, size);
    else
        value = memory_load(from, size, HOOK_PLAIN, site);
    if (native_direct(to)) {
        rounds_scribble();
        written_note(to, size);
        memcpy(to, &value, size);
    } else {
        memory_store(to, value, size, HOOK_PLAIN, site);
    }
}

/* A range that may be accessed at once: checked, or nobody else's. Looks at its start only to see whose stack it is: no object
 * lies on two. */
/* A length below 0, mostly: libc's functions may well come back from it, having written somewhere else. */
static void range_check(const void *at, size_t n, bool writes)
{
    if (__builtin_expect(n > PTRDIFF_MAX, 0) && native.current)
        memory_bug_length(n, writes);
    memory_check(at, n, writes);
}

static bool range_reads(const void *from, size_t n)
{
    range_check(from, n, false);
    if (n == 0 || native_direct(from))
        return true;
    plain_count();
    return native.detects && plain_read_slow(from, n);
}

static bool range_writes(void *to, size_t n)
{
    range_check(to, n, true);
    if (n == 0)
        return true;
    if (native_direct(to)) {
        rounds_scribble();
        written_note(to, n);
        return true;
    }
    return native.detects && plain_write_slow(to, n);
}

static void copy_forwards(char *to, const char *from, size_t n, const struct raddle_site *site)
{
    for (size_t done = 0; done < n;) {
        unsigned size = piece_size((uintptr_t)to + done, n - done);

        copy_piece(to + done, from + done, size, site);
        done += size;
    }
}

static void copy_backwards(char *to, const char *from, size_t n, const struct raddle_site *site)
{
    while (n > 0) {
        unsigned size = (uintptr_t)to % 8 == 0 && (uintptr_t)from % 8 == 0 && n % 8 == 0 ? 8 : 1;

        n -= size;
        copy_piece(to + n, from + n, size, site);
    }
}

HOOK void __raddle_memmove(void *to, const void *from, size_t n, const struct raddle_site *site)
{
    bool reads = range_reads(from, n), writes = range_writes(to, n);

    if (reads && writes)
        memmove(to, from, n);
    else if ((uintptr_t)to - (uintptr_t)from >= n)
        copy_forwards(to, from, n, site);
    else
        copy_backwards(to, from, n, site);
}

HOOK void __raddle_memcpy(void *to, const void *from, size_t n, const struct raddle_site *site)
{
    __raddle_memmove(to, from, n, site);
}

HOOK void __raddle_memset(void *to, int byte, size_t n, const struct raddle_site *site)
{
    uint64_t value = 0x0101010101010101u * (uint8_t)byte;

    if (range_writes(to, n)) {
        memset(to, byte, n);
        return;
    }
    for (size_t done = 0; done < n;) {
        unsigned size = piece_size((uintptr_t)to + done, n - done);

        memory_store((char *)to + done, cell_cut(value, size), size, HOOK_PLAIN, site);
        done += size;
    }
}

HOOK void __raddle_main_returns(const struct raddle_site *site)
{
    native.main_left = site;
}

HOOK void __raddle_unseen(const char *name, const struct raddle_site *site)
{
    const char *slash = site && site->file ? strrchr(site->file, '/') : NULL;
    char text[200];

    if (!native.current)
        return;
    if (!native.unseen)
        native.unseen = site;
    snprintf(text, sizeof text, "%s at %s:%" PRIu32, name ? name : "an indirect call",
             slash                ? slash + 1
             : site && site->file ? site->file
                                  : "?",
             site ? site->line : 0);
    native_unsupported(text);
}
