#include <sched.h>
#include <string.h>
#include <sys/random.h>
#include <x86intrin.h>

#include "plain/plain.h"
#include "runtime/hooks.h"

/* The hooks, for functions of which there is only the code that calls them: each does what the code had in its place. Threads are real
 * ones, so what is atomic must be so here; sequentially consistent is good for every order. */

EXPORTED const uint8_t __raddle_checks = 0;

/* Frames are linked by whoever runs, and nobody looks at them. */
EXPORTED struct raddle_frame *__raddle_frames;

static const char *const no_chunks[1];
EXPORTED struct raddle_quick __raddle_quick = {.chunks = no_chunks, .left = INT64_MAX};

static double as_float(const void *bits, size_t size)
{
    float f;
    double d;

    if (size == sizeof f)
        return memcpy(&f, bits, sizeof f), f;
    memcpy(&d, bits, sizeof d);
    return d;
}

static void float_operation(enum hook_rmw what, void *old, const void *operand, size_t size)
{
    double a = as_float(old, size), b = as_float(operand, size);
    double result = what == HOOK_FADD   ? a + b
                    : what == HOOK_FSUB ? a - b
                    : what == HOOK_FMAX ? (a > b ? a : b)
                                        : (a < b ? a : b);
    float narrow = (float)result;

    memcpy(old, size == sizeof narrow ? (void *)&narrow : (void *)&result, size);
}

/* There is no instruction for so much; memory that can only be read has no such atomics. */
#define WIDE_LOAD(p)   __sync_val_compare_and_swap(p, 0, 0)
#define NARROW_LOAD(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)

#define ACCESSES(bytes, type, signed_type, LOAD)                                                   \
    EXPORTED type __raddle_load##bytes(const void *p, uint32_t flags,                              \
                                       const struct raddle_site *site)                             \
    {                                                                                              \
        type value;                                                                                \
        (void)site;                                                                                \
        if (flags & HOOK_PLAIN)                                                                    \
            return memcpy(&value, p, bytes), value;                                                \
        return LOAD((type *)p);                                                                    \
    }                                                                                              \
    EXPORTED void __raddle_store##bytes(void *p, type value, uint32_t flags,                       \
                                        const struct raddle_site *site)                            \
    {                                                                                              \
        type old = *(volatile type *)p, seen;                                                      \
        (void)site;                                                                                \
        if (flags & HOOK_PLAIN) {                                                                  \
            memcpy(p, &value, bytes);                                                              \
            return;                                                                                \
        }                                                                                          \
        while ((seen = __sync_val_compare_and_swap((type *)p, old, value)) != old)                 \
            old = seen;                                                                            \
    }                                                                                              \
    static type changed##bytes(enum hook_rmw what, type old, type operand)                         \
    {                                                                                              \
        switch (what) {                                                                            \
        case HOOK_XCHG:                                                                            \
            return operand;                                                                        \
        case HOOK_ADD:                                                                             \
            return (type)(old + operand);                                                          \
        case HOOK_SUB:                                                                             \
            return (type)(old - operand);                                                          \
        case HOOK_AND:                                                                             \
            return old & operand;                                                                  \
        case HOOK_OR:                                                                              \
            return old | operand;                                                                  \
        case HOOK_XOR:                                                                             \
            return old ^ operand;                                                                  \
        case HOOK_NAND:                                                                            \
            return (type) ~(old & operand);                                                        \
        case HOOK_MAX:                                                                             \
            return (signed_type)old > (signed_type)operand ? old : operand;                        \
        case HOOK_MIN:                                                                             \
            return (signed_type)old < (signed_type)operand ? old : operand;                        \
        case HOOK_UMAX:                                                                            \
            return old > operand ? old : operand;                                                  \
        case HOOK_UMIN:                                                                            \
            return old < operand ? old : operand;                                                  \
        default:                                                                                   \
            float_operation(what, &old, &operand, bytes);                                          \
            return old;                                                                            \
        }                                                                                          \
    }                                                                                              \
    EXPORTED type __raddle_rmw##bytes(void *p, type operand, uint32_t flags,                       \
                                      const struct raddle_site *site)                              \
    {                                                                                              \
        type old = *(volatile type *)p, seen;                                                      \
        (void)site;                                                                                \
        while ((seen = __sync_val_compare_and_swap(                                                \
                    (type *)p, old, changed##bytes(flags >> 8, old, operand))) != old)             \
            old = seen;                                                                            \
        return old;                                                                                \
    }                                                                                              \
    EXPORTED type __raddle_cas##bytes(void *p, type expected, type desired, uint32_t flags,        \
                                      const struct raddle_site *site)                              \
    {                                                                                              \
        (void)flags;                                                                               \
        (void)site;                                                                                \
        return __sync_val_compare_and_swap((type *)p, expected, desired);                          \
    }

ACCESSES(1, uint8_t, int8_t, NARROW_LOAD)
ACCESSES(2, uint16_t, int16_t, NARROW_LOAD)
ACCESSES(4, uint32_t, int32_t, NARROW_LOAD)
ACCESSES(8, uint64_t, int64_t, NARROW_LOAD)
ACCESSES(16, unsigned __int128, __int128, WIDE_LOAD)

#define QUICK(bytes, type)                                                                         \
    EXPORTED HOOK_SPARING type __raddle_read##bytes(const void *p, const struct raddle_site *site) \
    {                                                                                              \
        type value;                                                                                \
        (void)site;                                                                                \
        __builtin_memcpy(&value, p, bytes);                                                        \
        return value;                                                                              \
    }                                                                                              \
    EXPORTED HOOK_SPARING void __raddle_write##bytes(void *p, type value,                          \
                                                     const struct raddle_site *site)               \
    {                                                                                              \
        (void)site;                                                                                \
        __builtin_memcpy(p, &value, bytes);                                                        \
    }

QUICK(1, uint8_t)
QUICK(2, uint16_t)
QUICK(4, uint32_t)
QUICK(8, uint64_t)

EXPORTED HOOK_SPARING void __raddle_spent(void)
{
    __raddle_quick.left = INT64_MAX;
}

EXPORTED void __raddle_fence(uint32_t flags, const struct raddle_site *site)
{
    (void)flags;
    (void)site;
    __sync_synchronize();
}

EXPORTED void __raddle_span_begin(uint32_t how)
{
    (void)how;
}

EXPORTED uint64_t __raddle_glance(const void *p, uint32_t size)
{
    (void)p, (void)size;
    return 0;
}

EXPORTED uint64_t __raddle_trips(uint64_t first, uint64_t second, uint64_t bound, uint32_t how)
{
    (void)first, (void)second, (void)bound, (void)how;
    return HOOK_TRIPS_UNKNOWN;
}

EXPORTED void __raddle_even(uint64_t first, uint64_t second, uint64_t last, uint32_t more)
{
    (void)first, (void)second, (void)last, (void)more;
}

EXPORTED void __raddle_span(const void *first, const void *second, uint32_t size, uint32_t how)
{
    (void)first, (void)second, (void)size, (void)how;
}

EXPORTED uint32_t __raddle_bare(void)
{
    return HOOK_BARE;
}

EXPORTED void __raddle_span_end(void)
{
}

EXPORTED void __raddle_head(uint32_t again, const struct raddle_site *site)
{
    (void)again;
    (void)site;
}

EXPORTED void __raddle_turn(const void *p, uint32_t how, const struct raddle_site *head,
                            const struct raddle_site *site)
{
    (void)p;
    (void)how;
    (void)head;
    (void)site;
}

EXPORTED void __raddle_memcpy(void *to, const void *from, size_t n, const struct raddle_site *site)
{
    (void)site;
    memmove(to, from, n); /* equal addresses are allowed for llvm.memcpy */
}

EXPORTED void __raddle_memmove(void *to, const void *from, size_t n, const struct raddle_site *site)
{
    (void)site;
    memmove(to, from, n);
}

EXPORTED void __raddle_memset(void *to, int byte, size_t n, const struct raddle_site *site)
{
    (void)site;
    memset(to, byte, n);
}

/* ---- announcements that nobody needs */

EXPORTED void __raddle_external(const struct raddle_external *what, const struct raddle_site *site)
{
    (void)what;
    (void)site;
}

EXPORTED void __raddle_call(const struct raddle_external *what, uint64_t *arguments, uint32_t count,
                            const struct raddle_site *site)
{
    (void)what;
    (void)arguments;
    (void)count;
    (void)site;
}

EXPORTED uint64_t __raddle_called(const struct raddle_external *what, uint64_t *arguments,
                                  uint32_t count, uint64_t result, const struct raddle_site *site)
{
    (void)what;
    (void)arguments;
    (void)count;
    (void)site;
    return result;
}

EXPORTED void __raddle_indirect(const void *function, uint64_t *arguments, uint32_t count,
                                const struct raddle_site *site)
{
    (void)function;
    (void)arguments;
    (void)count;
    (void)site;
}

EXPORTED uint64_t __raddle_indirected(const void *function, uint64_t *arguments, uint32_t count,
                                      uint64_t result, const struct raddle_site *site)
{
    (void)function;
    (void)arguments;
    (void)count;
    (void)site;
    return result;
}

EXPORTED void __raddle_unseen(const char *name, const struct raddle_site *site)
{
    (void)name;
    (void)site;
}

EXPORTED void __raddle_main_returns(const struct raddle_site *site)
{
    (void)site;
}

EXPORTED void __raddle_constructor(void (*function)(int, char **, char **), int argc, char **argv,
                                   char **environment)
{
    function(argc, argv, environment);
}

EXPORTED uint64_t __raddle_chance(uint32_t what, const struct raddle_site *site)
{
    uint64_t number = 0;

    (void)site;
    if (what == HOOK_CHANCE_CYCLES)
        return __rdtsc();
    if (what == HOOK_CHANCE_PROCESSOR)
        return (uint64_t)sched_getcpu();
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = __rdtsc();
    return number;
}
