#include "runtime/core/fiber.h"

#include <errno.h>

#include "base/check.h"
#include "runtime/core/kernel.h"

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#ifdef FIBER_ASAN
void __asan_unpoison_memory_region(void const volatile *addr, size_t size);
#endif

/* ---- fibers. The layout below is what fiber_x86_64.S pops. */

_Static_assert(offsetof(struct fiber, sp) == 0, "fiber_x86_64.S takes sp as the first field");

void fiber_start(void);              /* in fiber_x86_64.S: calls r12 with r13 */
_Noreturn void fiber_returned(void); /* called from there */

struct fiber_frame {
    uint32_t mxcsr;
    uint16_t fpucw;
    uint16_t unused;
    uint64_t r15;
    uint64_t r14;
    uint64_t r13; /* arg */
    uint64_t r12; /* entry */
    uint64_t rbx;
    uint64_t rbp;
    uint64_t rip;
};

void fiber_prepare(struct fiber *fiber, void *stack_low, size_t size, void (*entry)(void *),
                   void *arg)
{
    uintptr_t top = ((uintptr_t)stack_low + size) & ~(uintptr_t)15;
    struct fiber_frame *frame = (struct fiber_frame *)top - 1;

    CHECK(size >= 4096, "a stack of %zu bytes", size);
#ifdef FIBER_ASAN
    /* An abandoned execution has left its frames marked. */
    __asan_unpoison_memory_region(stack_low, size);
#endif
    *frame = (struct fiber_frame){
        .mxcsr = 0x1f80, /* the state of a new process: all masked, to nearest */
        .fpucw = 0x037f,
        .r13 = (uintptr_t)arg,
        .r12 = (uintptr_t)entry,
        .rip = (uintptr_t)fiber_start, /* with sp == top, aligned to 16 as before a call */
    };
    fiber->sp = frame;
}

struct fiber_floats fiber_floats(void)
{
    struct fiber_floats floats;

    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(floats.mxcsr), "=m"(floats.control));
    return floats;
}

void fiber_inherit(struct fiber *fiber, struct fiber_floats floats)
{
    struct fiber_frame *frame = fiber->sp;

    frame->mxcsr = floats.mxcsr;
    frame->fpucw = floats.control;
}

void fiber_returned(void)
{
    CHECK(0, "the entry of a fiber has returned");
    __builtin_unreachable();
}

/* ---- stacks: thread n owns the slot STACK_BASE + n * STACK_SLOT. Its stack ends STACK_GUARD below
 * the end of the slot; the rest of the slot is never mapped, which makes it the guard. Slots are a power of two apart: if all stacks
 * ended at the same place in them, they would have to share a few entries of the processor's tables of pages. So they do not. */

#define STACK_GUARD   ((uintptr_t)64 << 10)
#define STACK_COLOURS 61u

/* Bytes mapped, from the top; 0: none yet. Outlives a run: what is mapped stays so. */
static size_t stack_sizes[RUNTIME_THREADS];

static uintptr_t stack_top(uint32_t thread)
{
    return STACK_BASE + (thread + 1) * STACK_SLOT - STACK_GUARD - thread % STACK_COLOURS * 4096;
}

struct stack stack_get_sized(uint32_t thread, size_t size)
{
    struct stack none = {NULL, 0};
    size_t have;

    if (thread >= RUNTIME_THREADS || size > STACK_MAX) {
        errno = EAGAIN; /* as pthread_create says */
        return none;
    }
    have = stack_sizes[thread];
    size = (size + 4095) & ~(size_t)4095;
    if (size < STACK_SIZE)
        size = STACK_SIZE;
    if (have < size) {
        if (!kernel_map((void *)(stack_top(thread) - size), size - have))
            return none;
        stack_sizes[thread] = have = size;
    }
    return (struct stack){(char *)(stack_top(thread) - have), have};
}

struct stack stack_get(uint32_t thread)
{
    return stack_get_sized(thread, STACK_SIZE);
}

enum stack_place stack_find(const void *addr, uint32_t *thread)
{
    uintptr_t offset = (uintptr_t)addr - STACK_BASE; /* wraps when below */
    uint32_t n;

    if (offset >= RUNTIME_THREADS * STACK_SLOT)
        return STACK_NOWHERE;
    n = (uint32_t)(offset / STACK_SLOT);
    if (!stack_sizes[n])
        return STACK_NOWHERE;
    *thread = n;
    if ((uintptr_t)addr >= stack_top(n))
        return STACK_ABOVE;
    return (uintptr_t)addr < stack_top(n) - stack_sizes[n] ? STACK_BELOW : STACK_INSIDE;
}
