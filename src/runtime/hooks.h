#ifndef RADDLE_RUNTIME_HOOKS_H
#define RADDLE_RUNTIME_HOOKS_H

/* What instrumented code and libraddle.so agree on: the tables that the pass writes into the program and the
 * functions that it calls. The room `instrument` includes this header and nothing else of the runtime. */

#include <stddef.h>
#include <stdint.h>

/* How a memory access is done: the low bits are the memory order of model/op.h (0 relaxed, 1 acquire, 2 release,
 * 3 acq_rel, 4 seq_cst), or-ed with: */
enum hook_flag {
    HOOK_ORDER_MASK = 7,
    HOOK_PLAIN = 8, /* not atomic */
    HOOK_VOLATILE = 16,
    HOOK_WEAK = 32,   /* a compare-exchange that may fail for no reason */
    HOOK_UNUSED = 64, /* a load or read-modify-write whose result nothing uses */
};

/* The order of a compare-exchange that fails, in bits 8 to 10 of the flags of __raddle_cas*. */
#define HOOK_FAILURE_SHIFT 8

/* Which read-modify-write, in bits 8 to 15 of the flags of __raddle_rmw*. The first six are those of model/op.h. */
enum hook_rmw {
    HOOK_XCHG,
    HOOK_ADD,
    HOOK_SUB,
    HOOK_AND,
    HOOK_OR,
    HOOK_XOR,
    HOOK_NAND,
    HOOK_MAX, /* signed */
    HOOK_MIN,
    HOOK_UMAX,
    HOOK_UMIN,
    HOOK_FADD, /* the operand is a float or double of that size */
    HOOK_FSUB,
    HOOK_FMAX,
    HOOK_FMIN,
};

/* What __raddle_chance gives. */
enum hook_chance {
    HOOK_CHANCE_NUMBER,
    HOOK_CHANCE_CYCLES,
    HOOK_CHANCE_PROCESSOR, /* on which the thread runs */
};

/* ---- what full debug information (-g) says, for reports; the pointers to it are NULL without */

enum hook_type {
    HOOK_TYPE_OTHER,
    HOOK_TYPE_SIGNED,
    HOOK_TYPE_UNSIGNED,
    HOOK_TYPE_BOOL,
    HOOK_TYPE_FLOAT,
    HOOK_TYPE_ENUM,
    HOOK_TYPE_POINTER,
    HOOK_TYPE_STRUCT, /* or a class or a union */
    HOOK_TYPE_ARRAY,
    HOOK_TYPE_OBJECT, /* a mutex or the like: its members are nobody's business */
};

struct raddle_type {
    const char *name; /* "struct pool"; NULL: it has none */
    uint64_t size;
    uint32_t kind;  /* enum hook_type */
    uint32_t count; /* of members, enumerators or elements; an array of unknown length: 0 */
    const void *
        parts; /* struct raddle_member [], struct raddle_enumerator [], or the type of an element */
};

struct raddle_member {
    const char *
        name; /* NULL: a base class, or a struct or union without a name: its members count as those of the whole */
    uint64_t offset;
    const struct raddle_type *type;
};

struct raddle_enumerator {
    const char *name;
    int64_t value;
};

/* A global or static variable; without an address: none, but there is full debug information. Without a type: a function of C++ that pointers may point to, by
 * its short name. The rows are in the section HOOK_VARIABLES_SECTION. */
struct raddle_variable {
    const void *address;
    const char *name;
    const char *where; /* its function, or the file; NULL without full debug information */
    const struct raddle_type *type;
};

#define HOOK_VARIABLES_SECTION "raddle_variables"

/* How the name begins of the function by which libstdc++ starts what a std::thread runs; behind it is what that is, or what kind of pointer to it the
 * thread's state ends with (base/demangled.h). */
#define HOOK_THREAD_STATE "std::thread of "

/* What a pointer in the code points to: `offset` bytes behind the beginning of an object of that type; the pointer to that beginning is
 * called `name` ("pool", "pool->queue"). */
struct raddle_object {
    const char *name;
    const struct raddle_type *type;
    int64_t offset; /* or HOOK_OFFSET_UNKNOWN */
};

#define HOOK_OFFSET_UNKNOWN INT64_MIN

/* A live value at a site: an SSA value kept in a slot of the function's frame, or a local variable that lives in
 * memory. */
struct raddle_live {
    const char *name; /* of the source variable, or NULL */
    uint32_t slot; /* index into raddle_frame.slots; for `in_memory` the slot holds its address */
    uint32_t
        size; /* bytes; 0 with `in_memory`: a variable-length array, its size is in slots[slot + 1] */
    uint8_t in_memory;
    uint8_t is_pointer;
    uint8_t fresh; /* at a head: comes on every way straight from a read, SITE_SOURCE */
    const struct raddle_type *type; /* of what is in memory, or NULL */
};

/* Local variables in memory up to that size begin with zeros. */
#define HOOK_CLEARED_MAX 512u

/* What is known of a site without running the program. */
enum site_flag {
    SITE_ACCESS = 1, /* one access by one hook, or a fence */
    SITE_INSIDE = 2, /* a call of an instrumented function of the same module */
    SITE_LIVE = 4,   /* `live` has all that the function still needs */
    SITE_KNOWN =
        8, /* a call that is not announced: of a function of the table that does nothing beside what its row says */
    SITE_JOIN =
        16, /* joins a thread; if its function goes on to join another one, it does nothing between that anybody could notice */
    SITE_UNUSED = 32, /* a call whose result nothing uses */
    SITE_SOURCE =
        64, /* a read whose value may be fresh at the head of a loop: nothing visible is done on the way there but fences and giving way */
    SITE_FREE =
        128, /* such a load that could as well be done later: whatever it gives, the code goes on to the head, and nothing there comes from it but fresh values */
};

/* One place in the program where something visible happens, or a call from which something visible may be
 * reached. The rows are in the section "raddle_sites" of the binary; a row's address is the name of the site. */
struct raddle_site {
    const char *file;
    const char *function;
    const char *what; /* the expression or variable, if cheap; else NULL */
    uint32_t line;
    uint32_t column;
    uint32_t live_count;
    uint32_t flags; /* enum site_flag */
    const struct raddle_live
        *live; /* what is live here, in the order of the function's numbering */
    uint64_t
        residual; /* fingerprint of the code of this function that may still run from here; 0 unknown */
    const struct raddle_object *
        objects; /* what is accessed, or what the arguments of the call point to, as far as known */
    const struct raddle_object *result; /* what the result of the call points to, or NULL */
    uint64_t object_count;
};

/* The record of one call of an instrumented function, on the fiber's stack. The pass links it into
 * __raddle_frames at the entry of each function that has sites or calls, unlinks it at each way out, and before each
 * site or call fills in `site` and the slots that are live there. */
struct raddle_frame {
    struct raddle_frame *up;        /* the caller's */
    const struct raddle_site *site; /* where the function is now */
    const struct raddle_site *
        into; /* set by the runtime: the last call that was announced, if it was of code with frames; that and a byte, if of the runtime itself; else NULL */
    uint64_t slots[]; /* as many as the function needs */
};

/* raddle_frame.into for a call of the runtime itself. */
static inline const struct raddle_site *hook_into_runtime(const struct raddle_site *site)
{
    return (const struct raddle_site *)(const void *)((const char *)site + 1);
}

/* The other way round: the site of the call, or NULL if it was of something else. Sites are aligned. */
static inline const struct raddle_site *hook_into_runtime_of(const struct raddle_site *into)
{
    return (uintptr_t)into & 1 ? (const struct raddle_site *)(const void *)((const char *)into - 1)
                               : NULL;
}

/* The innermost frame of the running thread; the runtime swaps it with the fiber. */
extern struct raddle_frame *__raddle_frames;

/* Not 0: the program is being checked. Else every function goes on as code without hooks, if it has such. */
extern const uint8_t __raddle_checks;

/* ---- called by instrumented code. N is the number of bytes. `p` is where, `flags` how, `site` why. */

uint8_t __raddle_load1(const void *p, uint32_t flags, const struct raddle_site *site);
uint16_t __raddle_load2(const void *p, uint32_t flags, const struct raddle_site *site);
uint32_t __raddle_load4(const void *p, uint32_t flags, const struct raddle_site *site);
uint64_t __raddle_load8(const void *p, uint32_t flags, const struct raddle_site *site);
unsigned __int128 __raddle_load16(const void *p, uint32_t flags, const struct raddle_site *site);

void __raddle_store1(void *p, uint8_t value, uint32_t flags, const struct raddle_site *site);
void __raddle_store2(void *p, uint16_t value, uint32_t flags, const struct raddle_site *site);
void __raddle_store4(void *p, uint32_t value, uint32_t flags, const struct raddle_site *site);
void __raddle_store8(void *p, uint64_t value, uint32_t flags, const struct raddle_site *site);
void __raddle_store16(void *p, unsigned __int128 value, uint32_t flags,
                      const struct raddle_site *site);

/* What code looks at before it calls a hook for a plain access of 1, 2, 4 or 8 bytes. There is a cell for each HOOK_GRANULE bytes of memory
 * (detect/shadow.h). If it says that the running thread has accessed those bytes before, in the same way and since it last released anything,
 * memory is accessed at once; else __raddle_read* or __raddle_write* does it. */
struct raddle_quick {
    uint64_t known;            /* how such a cell begins */
    const char *const *chunks; /* cells, by the address >> HOOK_CHUNK_SHIFT & mask, or NULL */
    uint64_t mask;             /* 0, and chunks[0] is NULL: all is for the hooks */
    const uint32_t *vectors;   /* what reads of several threads are kept in */
    int64_t left;              /* accesses until __raddle_spent is to be called */
    uint8_t wrote;             /* set when memory was written at once */
};

extern struct raddle_quick __raddle_quick;

#define HOOK_GRANULE      4
#define HOOK_CHUNK_SHIFT  22 /* bytes of memory that have one chunk of cells, as a power of two */
#define HOOK_CELL         16 /* bytes of a cell, and where in it: */
#define HOOK_CELL_READS   8  /* when it was read, as the upper half of `known` */
#define HOOK_CELL_WRITTEN 12 /* a byte: which bytes of the granule its beginning is about, */
#define HOOK_CELL_READ    13 /* and which ones the former */

/* A moment: a thread, and behind it that many bits of a clock. From HOOK_VECTORS on, in HOOK_CELL_READS, the clock is the number of a vector
 * instead: HOOK_VECTOR_UNIT times that is where it begins, with how many threads it has a clock for, and these. */
#define HOOK_CLOCK_BITS  21
#define HOOK_CLOCK_MASK  ((1u << HOOK_CLOCK_BITS) - 1)
#define HOOK_VECTORS     (2047u << HOOK_CLOCK_BITS)
#define HOOK_VECTOR_UNIT 16

/* They leave all registers alone but for those of floating point: few calls of them are ever made. */
#define HOOK_SPARING __attribute__((preserve_most))

/* Also note in the innermost frame that the thread is at `site`. */
HOOK_SPARING uint8_t __raddle_read1(const void *p, const struct raddle_site *site);
HOOK_SPARING uint16_t __raddle_read2(const void *p, const struct raddle_site *site);
HOOK_SPARING uint32_t __raddle_read4(const void *p, const struct raddle_site *site);
HOOK_SPARING uint64_t __raddle_read8(const void *p, const struct raddle_site *site);
HOOK_SPARING void __raddle_write1(void *p, uint8_t value, const struct raddle_site *site);
HOOK_SPARING void __raddle_write2(void *p, uint16_t value, const struct raddle_site *site);
HOOK_SPARING void __raddle_write4(void *p, uint32_t value, const struct raddle_site *site);
HOOK_SPARING void __raddle_write8(void *p, uint64_t value, const struct raddle_site *site);

/* raddle_quick.left has become negative. Every loop with such accesses, and every function, counts it down. */
HOOK_SPARING void __raddle_spent(void);

/* Before a loop that goes round so often as a value takes to get past a bound, and does nothing visible but plain accesses, whose addresses go
 * on evenly: where they are. (With HOOK_SPAN_REST it has others, too, which keep their hooks.) If __raddle_bare then gives HOOK_BARE, they
 * have been told, and the loop may run without hooks; else it has them. In either case __raddle_span_end follows behind the loop. In this
 * order, the first and the last two once, the others as often as needed: */
void __raddle_span_begin(uint32_t how);

/* What is in memory there, which the loop reads without writing to it; 0 if it cannot be read, or there have been HOOK_GLANCES_MAX of them. */
uint64_t __raddle_glance(const void *p, uint32_t size);

/* In how many rounds the value, which is `first` in the first one and `second` in the next, passes the test: an enum hook_trips and HOOK_TRIPS_SIGNED with its
 * width in bits. Or HOOK_TRIPS_UNKNOWN. It may be wrong, if a glance failed or the value does not go on evenly: see __raddle_bare. */
uint64_t __raddle_trips(uint64_t first, uint64_t second, uint64_t bound, uint32_t how);

/* A value that was widened must go on as if it had not been: what it is in the first and second round, and in the last of them, of which there are `more` than trips. */
void __raddle_even(uint64_t first, uint64_t second, uint64_t last, uint32_t more);

/* An access in each round: where it is in the first and second one. At most HOOK_SPANS_MAX of them. */
void __raddle_span(const void *first, const void *second, uint32_t size, uint32_t how);

/* An enum hook_bare. */
uint32_t __raddle_bare(void);
void __raddle_span_end(void);

enum hook_bare {
    HOOK_BARE_NOT,     /* nothing is known of the loop */
    HOOK_BARE_COUNTED, /* but for how often it goes round */
    HOOK_BARE,
};

enum hook_trips {
    HOOK_TRIPS_LESS,
    HOOK_TRIPS_LESS_EQUAL,
    HOOK_TRIPS_GREATER,
    HOOK_TRIPS_GREATER_EQUAL,
    HOOK_TRIPS_OTHER, /* than the bound */
};

#define HOOK_TRIPS_MASK    7u
#define HOOK_TRIPS_SIGNED  8u
#define HOOK_TRIPS_WIDTH   8 /* how far above */
#define HOOK_TRIPS_UNKNOWN UINT64_MAX
#define HOOK_TRIPS_MAX     ((uint64_t)1 << 30)
#define HOOK_STRIDE_MAX    ((int64_t)1 << 30)
#define HOOK_SPAN_WRITES   1u
#define HOOK_SPAN_MORE     2u /* it is done once more than there are trips */
#define HOOK_SPAN_REST     1u /* to __raddle_span_begin */
#define HOOK_SPANS_MAX     16u
#define HOOK_GLANCES_MAX   8u

/* Return the old value. */
uint8_t __raddle_rmw1(void *p, uint8_t operand, uint32_t flags, const struct raddle_site *site);
uint16_t __raddle_rmw2(void *p, uint16_t operand, uint32_t flags, const struct raddle_site *site);
uint32_t __raddle_rmw4(void *p, uint32_t operand, uint32_t flags, const struct raddle_site *site);
uint64_t __raddle_rmw8(void *p, uint64_t operand, uint32_t flags, const struct raddle_site *site);
unsigned __int128 __raddle_rmw16(void *p, unsigned __int128 operand, uint32_t flags,
                                 const struct raddle_site *site);

/* Return the old value; it was exchanged if that equals `expected`. A weak one that failed for no reason returns
 * something else than `expected`. `flags` carries the order of success. */
uint8_t __raddle_cas1(void *p, uint8_t expected, uint8_t desired, uint32_t flags,
                      const struct raddle_site *site);
uint16_t __raddle_cas2(void *p, uint16_t expected, uint16_t desired, uint32_t flags,
                       const struct raddle_site *site);
uint32_t __raddle_cas4(void *p, uint32_t expected, uint32_t desired, uint32_t flags,
                       const struct raddle_site *site);
uint64_t __raddle_cas8(void *p, uint64_t expected, uint64_t desired, uint32_t flags,
                       const struct raddle_site *site);
unsigned __int128 __raddle_cas16(void *p, unsigned __int128 expected, unsigned __int128 desired,
                                 uint32_t flags, const struct raddle_site *site);

void __raddle_fence(uint32_t flags, const struct raddle_site *site);

/* At the head of a loop, which the code has come back to from inside if `again` is not 0. */
void __raddle_head(uint32_t again, const struct raddle_site *site);

/* Before a load of `how` & 255 bytes, by the order in the three bits above: behind it the code goes straight back to `head`, and all values there are those of the
 * round before, but for fresh ones, which are what is loaded. With HOOK_TURN_EXCHANGE, before a compare-exchange, whose site is `site`: so it does if that
 * fails, and the fresh ones are what it finds. */
#define HOOK_TURN_EXCHANGE ((uint32_t)1 << 16)
void __raddle_turn(const void *p, uint32_t how, const struct raddle_site *head,
                   const struct raddle_site *site);

/* Plain accesses of any size: struct copies, memory intrinsics, values of odd sizes (through a local copy). */
void __raddle_memcpy(void *to, const void *from, size_t n, const struct raddle_site *site);
void __raddle_memmove(void *to, const void *from, size_t n, const struct raddle_site *site);
void __raddle_memset(void *to, int byte, size_t n, const struct raddle_site *site);

/* What stands right in front of the code of every instrumented function. */
#define HOOK_BRAND           "raddle: has hook"
#define HOOK_BRAND_FRAMELESS "raddle: no frame" /* and what it calls may have none */
#define HOOK_BRAND_SIZE      16

/* A function that is called by name and defined elsewhere. */
struct raddle_external {
    const char *name;
    const void *function; /* as the linker found it; NULL: weak, and nobody defines it */
};

#define HOOK_CALL_MAX 32u /* arguments that are passed on; the rest is not looked at */
#define HOOK_CALL_OPEN                                                                             \
    ((uint32_t)1                                                                                   \
     << 31) /* with their number: no hook follows the call, so nothing may be replaced */

/* Before a call of a function defined elsewhere that is not known to access memory. */
void __raddle_external(const struct raddle_external *what, const struct raddle_site *site);

/* Around a call of one that is: the arguments, as 64 bits each, may be replaced before it, and the result behind it. */
void __raddle_call(const struct raddle_external *what, uint64_t *arguments, uint32_t count,
                   const struct raddle_site *site);
uint64_t __raddle_called(const struct raddle_external *what, uint64_t *arguments, uint32_t count,
                         uint64_t result, const struct raddle_site *site);

/* The same around a call through a pointer. */
void __raddle_indirect(const void *function, uint64_t *arguments, uint32_t count,
                       const struct raddle_site *site);
uint64_t __raddle_indirected(const void *function, uint64_t *arguments, uint32_t count,
                             uint64_t result, const struct raddle_site *site);

/* In place of a function that runs before main; the other arguments are those of main, and for that function. */
void __raddle_constructor(void (*function)(int, char **, char **), int argc, char **argv,
                          char **environment);

/* Inline assembly or an intrinsic that was not understood: called before it. */
void __raddle_unseen(const char *name, const struct raddle_site *site);

/* main returns; called before it does. */
void __raddle_main_returns(const struct raddle_site *site);

/* In place of an instruction whose result nobody can foresee; `what` is an enum hook_chance. */
uint64_t __raddle_chance(uint32_t what, const struct raddle_site *site);

#endif
