/* The hooks of runtime/hooks.h for the tests of the pass: each does its access at once. They
 * count what they were asked for and check that the frames fit. Environment: STUB_STATS=FILE
 * gets the counts at the end, STUB_LIVE=FILE the live values at each hook, STUB_FRAMES=0 says
 * that the pass made no frames. */
#include "runtime/hooks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


struct raddle_frame *__raddle_frames;

#ifdef STUB_PLAIN
const uint8_t __raddle_checks = 0;
#else
const uint8_t __raddle_checks = 1;
#endif

extern const struct raddle_site __start_raddle_sites[] __attribute__((weak));
extern const struct raddle_site __stop_raddle_sites[] __attribute__((weak));

static const char *const kinds[] = {
    "load1",    "load2", "load4",   "load8",   "load16",  "store1",  "store2", "store4", "store8",
    "store16",  "rmw1",  "rmw2",    "rmw4",    "rmw8",    "rmw16",   "cas1",   "cas2",   "cas4",
    "cas8",     "cas16", "fence",   "memcpy",  "memmove", "memset",  "unseen", "plain",
    "volatile", "weak",  "relaxed", "acquire", "release", "acq_rel", "seq_cst"};
#define KINDS (sizeof kinds / sizeof *kinds)
static unsigned long counts[KINDS];
static FILE *live_log;
static int frames_checked = 1;
static int ended;

static void count(const char *kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i], kind) == 0) {
            counts[i]++;
            return;
        }
    abort();
}

void stub_forget(int forgets);

static void finish(void)
{
    const char *file = getenv("STUB_STATS");
    FILE *out = file ? fopen(file, "w") : NULL;

    ended = 1;
    for (size_t i = 0; out && i < KINDS; i++)
        if (counts[i])
            fprintf(out, " %s=%lu", kinds[i], counts[i]);
    if (out) {
        fputc('\n', out);
        fclose(out);
    }
    if (live_log)
        fclose(live_log);
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *frames = getenv("STUB_FRAMES"), *live = getenv("STUB_LIVE");

    frames_checked = !(frames && *frames == '0');
    live_log = live ? fopen(live, "w") : NULL;
    atexit(finish);
    stub_forget(0);
}

static void fail(const char *what, const struct raddle_site *site)
{
    fprintf(stderr, "stub: %s at %s:%u in %s\n", what, site->file, site->line, site->function);
    abort();
}

static void print_live(const struct raddle_frame *frame)
{
    const struct raddle_site *site = frame->site;

    fprintf(live_log, "%s:%u", site->function, site->line);
    for (uint32_t i = 0; i < site->live_count; i++) {
        const struct raddle_live *live = &site->live[i];
        const void *at = &frame->slots[live->slot];
        size_t size = live->size;
        int64_t value = 0;

        if (live->in_memory) {
            at = (const void *)(uintptr_t)frame->slots[live->slot];
            if (size == 0)
                size = frame->slots[live->slot + 1];
        }
        if (!live->name)
            continue;
        fprintf(live_log, " %s=", live->name);
        if (live->is_pointer) {
            fprintf(live_log, "pointer");
            continue;
        }
        if (size > 8) { /* an array of int, in the programs that ask for it */
            for (size_t k = 0; k < size / sizeof(int); k++)
                fprintf(live_log, "%s%d", k ? "," : "", ((const int *)at)[k]);
            continue;
        }
        memcpy(&value, at, size);
        if (size == 4)
            value = (int32_t)value;
        fprintf(live_log, "%lld", (long long)value);
    }
    fputc('\n', live_log);
}

static void visit(const struct raddle_site *site)
{
    if (!site || !site->file || !site->function)
        abort();
#ifndef STUB_SHARED /* then each part of the program has a section of its own */
    if (__start_raddle_sites && (site < __start_raddle_sites || site >= __stop_raddle_sites))
        fail("a site outside of its section", site);
#endif
    if (!frames_checked || ended)
        return;
    if (!__raddle_frames || __raddle_frames->site != site)
        fail("the frame is not at the site", site);
    for (const struct raddle_frame *f = __raddle_frames; f; f = f->up) {
        volatile uint64_t sum = 0;

        for (uint32_t i = 0; i < f->site->live_count; i++) {
            const struct raddle_live *live = &f->site->live[i];
            uint64_t slot = f->slots[live->slot];
            uint64_t size = live->size ? live->size : f->slots[live->slot + 1];

            sum += live->in_memory && size ? *(const unsigned char *)(uintptr_t)slot +
                                                 ((const unsigned char *)(uintptr_t)slot)[size - 1]
                                           : slot;
        }
    }
    if (live_log) {
        for (const struct raddle_frame *f = __raddle_frames; f; f = f->up)
            print_live(f);
        fprintf(live_log, "--\n");
    }
}

static const char *const orders[8] = {"relaxed", "acquire", "release", "acq_rel",
                                      "seq_cst", "bad",     "bad",     "bad"};

static void access_counted(const char *kind, uint32_t flags, const struct raddle_site *site)
{
    count(kind);
    if (flags & HOOK_PLAIN)
        count("plain");
    else
        count(orders[flags & HOOK_ORDER_MASK]);
    if (flags & HOOK_VOLATILE)
        count("volatile");
    if (flags & HOOK_WEAK)
        count("weak");
    visit(site);
}

static double as_float(const void *bits, size_t size)
{
    float f;
    double d;

    if (size == 4)
        return memcpy(&f, bits, 4), f;
    memcpy(&d, bits, 8);
    return d;
}

static void from_float(void *bits, double value, size_t size)
{
    float f = (float)value;

    memcpy(bits, size == 4 ? (void *)&f : (void *)&value, size);
}

static void float_operation(uint32_t what, void *old, const void *operand, size_t size)
{
    double a = as_float(old, size), b = as_float(operand, size);

    from_float(old,
               what == HOOK_FADD   ? a + b
               : what == HOOK_FSUB ? a - b
               : what == HOOK_FMAX ? (a > b ? a : b)
                                   : (a < b ? a : b),
               size);
}

#define HOOKS(bytes, type, signed_type)                                                            \
    type __raddle_load##bytes(const void *p, uint32_t flags, const struct raddle_site *site)       \
    {                                                                                              \
        type value;                                                                                \
        access_counted("load" #bytes, flags, site);                                                \
        memcpy(&value, p, bytes);                                                                  \
        return value;                                                                              \
    }                                                                                              \
    void __raddle_store##bytes(void *p, type value, uint32_t flags,                                \
                               const struct raddle_site *site)                                     \
    {                                                                                              \
        access_counted("store" #bytes, flags, site);                                               \
        memcpy(p, &value, bytes);                                                                  \
    }                                                                                              \
    type __raddle_rmw##bytes(void *p, type operand, uint32_t flags,                                \
                             const struct raddle_site *site)                                       \
    {                                                                                              \
        type old, fresh;                                                                           \
        access_counted("rmw" #bytes, flags & 255, site);                                           \
        memcpy(&old, p, bytes);                                                                    \
        fresh = old;                                                                               \
        switch (flags >> 8) {                                                                      \
        case HOOK_XCHG:                                                                            \
            fresh = operand;                                                                       \
            break;                                                                                 \
        case HOOK_ADD:                                                                             \
            fresh = (type)(old + operand);                                                         \
            break;                                                                                 \
        case HOOK_SUB:                                                                             \
            fresh = (type)(old - operand);                                                         \
            break;                                                                                 \
        case HOOK_AND:                                                                             \
            fresh = old & operand;                                                                 \
            break;                                                                                 \
        case HOOK_OR:                                                                              \
            fresh = old | operand;                                                                 \
            break;                                                                                 \
        case HOOK_XOR:                                                                             \
            fresh = old ^ operand;                                                                 \
            break;                                                                                 \
        case HOOK_NAND:                                                                            \
            fresh = (type) ~(old & operand);                                                       \
            break;                                                                                 \
        case HOOK_MAX:                                                                             \
            fresh = (signed_type)old > (signed_type)operand ? old : operand;                       \
            break;                                                                                 \
        case HOOK_MIN:                                                                             \
            fresh = (signed_type)old < (signed_type)operand ? old : operand;                       \
            break;                                                                                 \
        case HOOK_UMAX:                                                                            \
            fresh = old > operand ? old : operand;                                                 \
            break;                                                                                 \
        case HOOK_UMIN:                                                                            \
            fresh = old < operand ? old : operand;                                                 \
            break;                                                                                 \
        default:                                                                                   \
            if (bytes != 4 && bytes != 8)                                                          \
                fail("a float of odd size", site);                                                 \
            float_operation(flags >> 8, &fresh, &operand, bytes);                                  \
        }                                                                                          \
        memcpy(p, &fresh, bytes);                                                                  \
        return old;                                                                                \
    }                                                                                              \
    type __raddle_cas##bytes(void *p, type expected, type desired, uint32_t flags,                 \
                             const struct raddle_site *site)                                       \
    {                                                                                              \
        type old;                                                                                  \
        access_counted("cas" #bytes, flags, site);                                                 \
        memcpy(&old, p, bytes);                                                                    \
        if (old == expected)                                                                       \
            memcpy(p, &desired, bytes);                                                            \
        return old;                                                                                \
    }

/* Accesses that code is to check by itself: what comes here is what it finds unknown. With STUB_KNOWN=written, read or many, all
 * cells say that the running thread has done that; else they say nothing. */
static const char *chunks[1];
static const uint32_t vectors[2 * HOOK_VECTOR_UNIT] = {[HOOK_VECTOR_UNIT] = HOOK_VECTOR_UNIT - 1,
                                                       [HOOK_VECTOR_UNIT + 1 + 3] = 5};
struct raddle_quick __raddle_quick = {.chunks = chunks, .vectors = vectors};

#define MOMENT (3u << HOOK_CLOCK_BITS | 5u)

static const char *known_chunk(void)
{
    static char cells[(HOOK_CELL / HOOK_GRANULE) << HOOK_CHUNK_SHIFT];
    const char *what = getenv("STUB_KNOWN");
    bool written = what && strcmp(what, "written") == 0, many = what && strcmp(what, "many") == 0;
    uint32_t cell[HOOK_CELL / 4] = {1, written ? MOMENT : 7, many ? HOOK_VECTORS + 1 : MOMENT};

    if (!what)
        return NULL;
    ((char *)cell)[written ? HOOK_CELL_WRITTEN : HOOK_CELL_READ] = 15;
    for (size_t at = 0; at < sizeof cells; at += HOOK_CELL)
        memcpy(cells + at, cell, sizeof cell);
    __raddle_quick.known = 1 | (uint64_t)MOMENT << 32;
    return cells;
}

void stub_forget(int forgets)
{
    static const char *known;

    if (!known)
        known = known_chunk();
    chunks[0] = forgets ? NULL : known;
}

#define QUICK(bytes, type)                                                                         \
    HOOK_SPARING type __raddle_read##bytes(const void *p, const struct raddle_site *site)          \
    {                                                                                              \
        __raddle_frames->site = site;                                                              \
        return __raddle_load##bytes(p, HOOK_PLAIN, site);                                          \
    }                                                                                              \
    HOOK_SPARING void __raddle_write##bytes(void *p, type value, const struct raddle_site *site)   \
    {                                                                                              \
        __raddle_frames->site = site;                                                              \
        __raddle_store##bytes(p, value, HOOK_PLAIN, site);                                         \
    }

HOOK_SPARING void __raddle_spent(void)
{
    __raddle_quick.left = 1000;
}

HOOKS(1, uint8_t, int8_t)
HOOKS(2, uint16_t, int16_t)
HOOKS(4, uint32_t, int32_t)
HOOKS(8, uint64_t, int64_t)
HOOKS(16, unsigned __int128, __int128)
QUICK(1, uint8_t)
QUICK(2, uint16_t)
QUICK(4, uint32_t)
QUICK(8, uint64_t)

/* With STUB_BARE, loops that could be told as a whole run without hooks. */
void __raddle_span_begin(uint32_t how)
{
    (void)how;
}

uint64_t __raddle_glance(const void *p, uint32_t size)
{
    (void)p, (void)size;
    return 0;
}

uint64_t __raddle_trips(uint64_t first, uint64_t second, uint64_t bound, uint32_t how)
{
    (void)first, (void)second, (void)bound, (void)how;
    return HOOK_TRIPS_UNKNOWN;
}

void __raddle_even(uint64_t first, uint64_t second, uint64_t last, uint32_t more)
{
    (void)first, (void)second, (void)last, (void)more;
}

void __raddle_span(const void *first, const void *second, uint32_t size, uint32_t how)
{
    (void)first, (void)second, (void)size, (void)how;
}

uint32_t __raddle_bare(void)
{
    return getenv("STUB_BARE") ? HOOK_BARE : HOOK_BARE_NOT;
}

void __raddle_span_end(void)
{
}

void __raddle_head(uint32_t again, const struct raddle_site *site)
{
    (void)again;
    (void)site;
}

void __raddle_turn(const void *p, uint32_t how, const struct raddle_site *head,
                   const struct raddle_site *site)
{
    (void)p;
    (void)how;
    (void)head;
    (void)site;
}

void __raddle_fence(uint32_t flags, const struct raddle_site *site)
{
    access_counted("fence", flags, site);
}

void __raddle_memcpy(void *to, const void *from, size_t n, const struct raddle_site *site)
{
    access_counted("memcpy", HOOK_PLAIN, site);
    memmove(to, from, n); /* equal addresses are allowed for llvm.memcpy */
}

void __raddle_memmove(void *to, const void *from, size_t n, const struct raddle_site *site)
{
    access_counted("memmove", HOOK_PLAIN, site);
    memmove(to, from, n);
}

void __raddle_memset(void *to, int byte, size_t n, const struct raddle_site *site)
{
    access_counted("memset", HOOK_PLAIN, site);
    memset(to, byte, n);
}

void __raddle_constructor(void (*function)(int, char **, char **), int argc, char **argv,
                          char **environment)
{
    function(argc, argv, environment);
}

void __raddle_main_returns(const struct raddle_site *site)
{
    if (!site || strcmp(site->function, "main") != 0)
        abort();
}

void __raddle_unseen(const char *name, const struct raddle_site *site)
{
    if (!name)
        abort();
    access_counted("unseen", HOOK_PLAIN, site);
}

/* The runtime's string functions do what libc's do. */
size_t __raddlestr_strlen(const char *s);
size_t __raddlestr_strnlen(const char *s, size_t max);
int __raddlestr_strcmp(const char *a, const char *b);
int __raddlestr_strncmp(const char *a, const char *b, size_t n);
char *__raddlestr_strcpy(char *to, const char *from);
char *__raddlestr_stpcpy(char *to, const char *from);
char *__raddlestr_strncpy(char *to, const char *from, size_t n);
char *__raddlestr_strcat(char *to, const char *from);
char *__raddlestr_strncat(char *to, const char *from, size_t n);
char *__raddlestr_strchr(const char *s, int c);
char *__raddlestr_strrchr(const char *s, int c);
int __raddlestr_memcmp(const void *a, const void *b, size_t n);
void *__raddlestr_memchr(const void *s, int c, size_t n);
char *__raddlestr_strdup(const char *s);
char *__raddlestr_strndup(const char *s, size_t max);
int __raddlestr_atoi(const char *s);
long __raddlestr_atol(const char *s);

size_t __raddlestr_strlen(const char *s)
{
    return strlen(s);
}
size_t __raddlestr_strnlen(const char *s, size_t max)
{
    return strnlen(s, max);
}
int __raddlestr_strcmp(const char *a, const char *b)
{
    return strcmp(a, b);
}
int __raddlestr_strncmp(const char *a, const char *b, size_t n)
{
    return strncmp(a, b, n);
}
char *__raddlestr_strcpy(char *to, const char *from)
{
    return strcpy(to, from);
}
char *__raddlestr_stpcpy(char *to, const char *from)
{
    return stpcpy(to, from);
}
char *__raddlestr_strncpy(char *to, const char *from, size_t n)
{
    return strncpy(to, from, n);
}
char *__raddlestr_strcat(char *to, const char *from)
{
    return strcat(to, from);
}
char *__raddlestr_strncat(char *to, const char *from, size_t n)
{
    return strncat(to, from, n);
}
char *__raddlestr_strchr(const char *s, int c)
{
    return strchr(s, c);
}
char *__raddlestr_strrchr(const char *s, int c)
{
    return strrchr(s, c);
}
int __raddlestr_memcmp(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}
void *__raddlestr_memchr(const void *s, int c, size_t n)
{
    return memchr(s, c, n);
}
char *__raddlestr_strdup(const char *s)
{
    return strdup(s);
}
char *__raddlestr_strndup(const char *s, size_t max)
{
    return strndup(s, max);
}
int __raddlestr_atoi(const char *s)
{
    return atoi(s);
}
long __raddlestr_atol(const char *s)
{
    return atol(s);
}

void __raddle_external(const struct raddle_external *what, const struct raddle_site *site)
{
    (void)what;
    visit(site);
}

void __raddle_call(const struct raddle_external *what, uint64_t *arguments, uint32_t count,
                   const struct raddle_site *site)
{
    (void)what;
    (void)arguments;
    (void)count;
    visit(site);
}

uint64_t __raddle_called(const struct raddle_external *what, uint64_t *arguments, uint32_t count,
                         uint64_t result, const struct raddle_site *site)
{
    (void)what;
    (void)arguments;
    (void)count;
    visit(site);
    return result;
}

void __raddle_indirect(const void *function, uint64_t *arguments, uint32_t count,
                       const struct raddle_site *site)
{
    (void)function;
    (void)arguments;
    (void)count;
    visit(site);
}

uint64_t __raddle_indirected(const void *function, uint64_t *arguments, uint32_t count,
                             uint64_t result, const struct raddle_site *site)
{
    (void)function;
    (void)arguments;
    (void)count;
    visit(site);
    return result;
}
