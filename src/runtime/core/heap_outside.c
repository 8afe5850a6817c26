#include "runtime/core/heap_outside.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/core/kernel.h"

/* The addresses are cut into chunks of 64 KiB. A chunk holds blocks of one class; a larger block is
 * a row of chunks, of which the first carries the class. So the class of a block follows from its
 * address, without a header. */
#define OUTSIDE_BASE  0x118000000000u
#define OUTSIDE_SPACE ((uintptr_t)64 << 30)
#define CHUNK_SHIFT   16
#define CHUNK         ((uintptr_t)1 << CHUNK_SHIFT)
#define CLASS_MIN     4  /* 16 bytes */
#define CLASS_MAX     34 /* 16 GiB */

static struct {
    uint8_t *classes; /* 0: no block starts in this chunk */
    uintptr_t used;   /* bytes of chunks in use; mapped up to there */
    void *freed[CLASS_MAX + 1];
} outside; /* outlives a run: it is the engine's memory */

/* A fresh row of chunks for class `class`, at a multiple of the block size. */
static char *chunks_take(unsigned class)
{
    uintptr_t size = (uintptr_t)1 << (class < CHUNK_SHIFT ? CHUNK_SHIFT : class);
    uintptr_t at = (outside.used + size - 1) & ~(size - 1);

    if (!outside.classes)
        outside.classes = kernel_map(NULL, OUTSIDE_SPACE >> CHUNK_SHIFT);
    if (!outside.classes || at + size > OUTSIDE_SPACE ||
        !kernel_map((char *)OUTSIDE_BASE + at, size)) {
        errno = ENOMEM;
        return NULL;
    }
    outside.used = at + size;
    outside.classes[at >> CHUNK_SHIFT] = (uint8_t)class;
    return (char *)OUTSIDE_BASE + at;
}

static void freed_push(unsigned class, void *block)
{
    memcpy(block, &outside.freed[class], sizeof(void *));
    outside.freed[class] = block;
}

void *outside_alloc(size_t size, size_t align)
{
    unsigned class = CLASS_MIN;
    char *block;

    if (size < align)
        size = align; /* a block is aligned to its size */
    while (class <= CLASS_MAX && ((size_t)1 << class) < size)
        class ++;
    if (class > CLASS_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    if (outside.freed[class]) {
        block = outside.freed[class];
        memcpy(&outside.freed[class], block, sizeof(void *));
        memset(block, 0, size);
        return block;
    }
    block = chunks_take(class);
    for (uintptr_t at = CHUNK; block && class < CHUNK_SHIFT && at > (uintptr_t)1 << class;) {
        at -= (uintptr_t)1 << class;
        freed_push(class, block + at);
    }
    return block;
}

bool outside_owns(const void *ptr)
{
    return (uintptr_t)ptr - OUTSIDE_BASE < OUTSIDE_SPACE;
}

size_t outside_size(const void *ptr)
{
    uintptr_t offset = (uintptr_t)ptr - OUTSIDE_BASE;
    unsigned class;

    if (offset >= outside.used)
        return 0;
    class = outside.classes[offset >> CHUNK_SHIFT];
    return class && !(offset & (((uintptr_t)1 << class) - 1)) ? (size_t)1 << class : 0;
}

bool outside_free(void *ptr)
{
    size_t size = outside_size(ptr);

    if (!size)
        return false;
    if (size > CHUNK)
        kernel_discard(ptr, size);
    freed_push((unsigned)__builtin_ctzl(size), ptr);
    return true;
}
