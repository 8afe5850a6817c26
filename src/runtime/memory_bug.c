#include "runtime/memory_bug.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "detect/detect.h"
#include "runtime/native.h"

static char text[1200];
static size_t used;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    if (length > 0)
        used += (size_t)length;
    if (used >= sizeof text)
        used = sizeof text - 1;
}

static void add_place(const void *place)
{
    const struct raddle_site *site = place;

    if (site && site->file)
        add(" at %s:%" PRIu32, site->file, site->line);
    if (site && site->function)
        add(" in %s", site->function);
}

/* Where it came from, and where it went. */
static void add_block(const struct heap_block *block)
{
    if (block->thread == HEAP_INITIAL)
        add("; the block of %zu bytes was allocated before main", block->size);
    else
        add("; the block of %zu bytes was allocated by thread %" PRIu32, block->size,
            block->thread);
    add_place(block->alloc_site);
    if (block->state != HEAP_FREED)
        return;
    add(", and freed by thread %" PRIu32, block->free_thread);
    add_place(block->free_site);
}

static void add_where(const struct heap_block *block, const void *p, size_t n)
{
    const char *at = p, *end = block->start + block->size;

    if (at >= end)
        add(", %zu bytes behind the end of a block", (size_t)(at - end));
    else if (at < block->start)
        add(", %zu bytes before the start of a block", (size_t)(block->start - at));
    else if (at + n > end)
        add(", %zu bytes beyond the end of a block", (size_t)(at + n - end));
    else
        add(", %zu bytes into a block that was freed", (size_t)(at - block->start));
}

static _Noreturn void report(void)
{
    session_text message = native_text(text);

    used = 0;
    native_crash(BUG_MEMORY, message);
}

void memory_bug_access(const void *p, size_t n, bool writes)
{
    const struct heap_block *block = heap_find(p);
    bool outside;

    if (!native.current)
        return;
    outside = !block || (const char *)p < block->start ||
              (const char *)p + n > block->start + block->size;

    if (!outside && native.detects && !native.alone) /* a race with free is the better story */
        (writes ? detect_write_range : detect_read_range)((uint64_t)(uintptr_t)p, n);
    used = 0;
    add("%s: a %s of %zu byte%s",
        !block    ? "an invalid access"
        : outside ? "a heap overflow"
                  : "use after free",
        writes ? "write" : "read", n, n == 1 ? "" : "s");
    if (block) {
        add_where(block, p, n);
        add_block(block);
    } else {
        add(" to %p, where there never was a block", p);
    }
    report();
}

void memory_bug_stack(uint32_t owner)
{
    used = 0;
    add("use of the stack of thread %" PRIu32 ", which has ended", owner);
    report();
}

void memory_bug_free(const void *p, enum heap_status status, const char *function)
{
    const struct heap_block *block = heap_find(p);

    used = 0;
    if (status == HEAP_DOUBLE_FREE)
        add("%s gets a block that was freed before", function);
    else if (status == HEAP_INTERIOR && block)
        add("%s gets a pointer that is not the start of a block", function);
    else
        add("%s gets a pointer that malloc did not give", function);
    if (block)
        add_block(block);
    report();
}
