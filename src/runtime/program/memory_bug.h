#ifndef RADDLE_RUNTIME_PROGRAM_MEMORY_BUG_H
#define RADDLE_RUNTIME_PROGRAM_MEMORY_BUG_H

#include <stdbool.h>

#include "runtime/core/fiber.h"
#include "runtime/core/guard.h"
#include "runtime/core/heap.h"
#include "runtime/hooks.h"

/* What a program does wrong with its heap, in words. */

/* The running thread accesses `n` bytes that guard_allows forbids: a bug. Returns if it was reported for that place and the thread may go on there; not if the bytes are those of an object that
 * raddle or libc has to rely on. Outside of program threads nothing is a bug. */
void memory_bug_access(const void *p, size_t n, bool writes, bool is_object);

struct native_thread;

/* The thread has died of such an access, and the bug is told: from now on it goes on there, if it may. */
void memory_bug_pass(const struct native_thread *thread);

/* It accesses more bytes than any object has. */
_Noreturn void memory_bug_length(size_t n, bool writes);

/* It accesses the stack of a thread that has ended. */
_Noreturn void memory_bug_stack(uint32_t owner);

/* It frees, or enlarges, what is no live block. */
_Noreturn void memory_bug_free(const void *p, enum heap_status status, const char *function);

/* It accesses a stack, maybe that of a thread that has ended while no other one is left. */
void memory_check_stack(const void *p);

/* Before an access; and after one that others may have come before. */
static inline void memory_check(const void *p, size_t n, bool writes)
{
    if (__builtin_expect(!guard_allows(p, n), 0))
        memory_bug_access(p, n, writes, false);
    if (__builtin_expect((uintptr_t)p - STACK_BASE < STACK_SPAN, 0))
        memory_check_stack(p);
}

/* The same for a mutex or a stream. */
static inline void memory_check_object(const void *p, size_t n, bool writes)
{
    if (__builtin_expect(!guard_allows(p, n), 0))
        memory_bug_access(p, n, writes, true);
    if (__builtin_expect((uintptr_t)p - STACK_BASE < STACK_SPAN, 0))
        memory_check_stack(p);
}

/* The name of that memory in the source, for a room above that knows; 0: it has none. */
typedef size_t memory_bug_teller(uint64_t addr, unsigned bytes, const struct raddle_site *site,
                                 char *text, size_t size);
extern memory_bug_teller *memory_bug_name;

#endif
