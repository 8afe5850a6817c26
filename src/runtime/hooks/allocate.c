#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/core/heap.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/races.h"
#include "runtime/hooks/written.h"
#include "runtime/program/memory_bug.h"
#include "runtime/program/native.h"
#include "runtime/program/spin.h"

/* malloc and its family, on the program's heap. */

static uint32_t who(void)
{
    spin_forget();
    if (native.current)
        return native.current->number;
    return native.started ? HEAP_OUTSIDE : HEAP_INITIAL;
}

/* One of the program's own. */
static bool is_live(const void *block)
{
    const struct heap_block *found = heap_find(block);

    return found && found->start == block && found->state == HEAP_LIVE;
}

/* A new block, or NULL. */
static void block_begins(void *block, size_t size, size_t filled)
{
    const struct heap_block *new = heap_find(block);

    if (new && new->again)
        plain_again(block, size);
    races_note_block(block, size);
    written_block_begins(block, size, filled);
}

/* There is no block for it. What is not absurd might have had one elsewhere: the limit is ours. */
static void block_lacks(size_t size, size_t align)
{
    if (native.current && size <= HEAP_BLOCK_MAX && align <= HEAP_BLOCK_MAX)
        native_unsupported("a thread that takes more memory than its heap has addresses for");
}

static void *allocate(size_t size, size_t align)
{
    void *block = heap_alloc(who(), size, align, native_site());

    if (!block)
        block_lacks(size, align);
    block_begins(block, size, 0);
    return block;
}

INTERPOSE void *malloc(size_t size)
{
    return allocate(size, 16);
}

INTERPOSE void *calloc(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(bytes, 16);
}

INTERPOSE void free(void *block)
{
    int error = errno;
    enum heap_status status;

    if (!block)
        return;
    plain_free(block, heap_usable(block));
    if (is_live(block))
        written_block_ends(block, heap_usable(block));
    status = heap_free(who(), block, native_site());
    if (status == HEAP_OK)
        plain_retire(block);
    else if (native.current)
        memory_bug_free(block, status, "free");
    errno = error;
}

INTERPOSE void cfree(void *block)
{
    free(block);
}

INTERPOSE void *realloc(void *block, size_t size)
{
    void *bigger = NULL;
    size_t old = heap_usable(block);
    enum heap_status status;

    if (!block)
        return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    plain_free(block, old);
    if (is_live(block))
        written_block_ends(block, old);
    status = heap_realloc(who(), block, size, native_site(), &bigger);
    if (status == HEAP_NO_MEMORY) {
        block_lacks(size, 16);
        errno = ENOMEM;
        return NULL;
    }
    block_begins(bigger, size, old < size ? old : size);
    if (status == HEAP_OK)
        plain_retire(block);
    else if (native.current)
        memory_bug_free(block, status, "realloc");
    return bigger;
}

INTERPOSE void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

INTERPOSE int posix_memalign(void **block, size_t align, size_t size)
{
    if (align < sizeof(void *) || (align & (align - 1)))
        return EINVAL;
    written_note(block, sizeof *block);
    *block = allocate(size, align);
    return *block ? 0 : ENOMEM;
}

INTERPOSE void *aligned_alloc(size_t align, size_t size)
{
    if (align == 0 || (align & (align - 1))) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(size, align);
}

INTERPOSE void *memalign(size_t align, size_t size)
{
    return aligned_alloc(align, size);
}

INTERPOSE void *valloc(size_t size)
{
    return aligned_alloc(4096, size);
}

INTERPOSE size_t malloc_usable_size(void *block)
{
    return block ? heap_usable(block) : 0;
}
