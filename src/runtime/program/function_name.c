#include <stdint.h>
#include <string.h>

#include "base/demangled.h"
#include "base/mangled.h"
#include "runtime/core/heap.h"
#include "runtime/core/symbols.h"
#include "runtime/hooks.h"
#include "runtime/program/native.h"

/* What functions that pointers point to are called: those of C++ by the rows that the pass has made, others by their symbols. */

const char *native_function_name(uint64_t addr)
{
    const struct raddle_variable *rows;
    uint64_t count;

    for (unsigned i = 0; symbols_section(i, HOOK_VARIABLES_SECTION, (const void **)&rows, &count);
         i++)
        for (uint64_t k = 0; k < count / sizeof *rows; k++)
            if (rows[k].address && !rows[k].type && (uint64_t)(uintptr_t)rows[k].address == addr)
                return rows[k].name;
    return NULL;
}

static const char *symbol_name(uint64_t addr, char *buffer, size_t size)
{
    uint64_t offset;
    const char *name = native_function_name(addr);

    return name ? name : mangled_name(symbols_find(addr, &offset), buffer, size);
}

/* ---- what a std::thread runs */

/* Of a polymorphic class: two destructors, then _M_run. */
#define STATE_RUN 2

/* What _M_run of the thread's state is called, or NULL if it is no such state. */
static const char *state_name(const struct heap_block *block)
{
    const uint64_t *table;
    const char *name;

    if (!block || block->size < 2 * sizeof(uint64_t))
        return NULL;
    memcpy(&table, block->start, sizeof table);
    if (!symbols_in_section((uint64_t)(uintptr_t)table, ".data.rel.ro") &&
        !symbols_in_section((uint64_t)(uintptr_t)table, ".rodata"))
        return NULL;
    name = native_function_name(table[STATE_RUN]);
    return name && strncmp(name, HOOK_THREAD_STATE, strlen(HOOK_THREAD_STATE)) == 0
               ? name + strlen(HOOK_THREAD_STATE)
               : NULL;
}

/* libstdc++ lays out a tuple from its end: what is called comes last. */
static const char *callable_name(const void *argument, char *buffer, size_t size)
{
    const struct heap_block *block = heap_find(argument);
    const char *name = block && block->start == argument ? state_name(block) : NULL;
    size_t back = !name                                         ? 0
                  : strcmp(name, DEMANGLED_POINTER) == 0        ? sizeof(uint64_t)
                  : strcmp(name, DEMANGLED_MEMBER_POINTER) == 0 ? 2 * sizeof(uint64_t)
                                                                : 0;
    uint64_t target;

    if (!back)
        return name;
    memcpy(&target, (const char *)block->start + block->size - back, sizeof target);
    name = symbol_name(target, buffer, size); /* a virtual one has none: it is a number */
    return name ? name : "std::thread";
}

const char *native_start_name(void *(*start)(void *), const void *argument, char *buffer,
                              size_t size)
{
    const char *name = start ? symbol_name((uint64_t)(uintptr_t)start, buffer, size) : NULL;

    if (name && strcmp(name, "execute_native_thread_routine") != 0)
        return name;
    return start ? callable_name(argument, buffer, size) : NULL;
}
