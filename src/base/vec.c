#include "base/vec.h"

#include <string.h>

#include "base/check.h"

void *vec_enlarge(struct arena *arena, void *at, size_t element, uint32_t count, uint32_t *room,
                  uint32_t more)
{
    uint64_t wanted = (uint64_t)*room * 2;
    void *bigger;

    if (wanted < (uint64_t)count + more)
        wanted = (uint64_t)count + more;
    if (wanted < 8)
        wanted = 8;
    CHECK(wanted <= UINT32_MAX / 2, "a vector of %llu elements", (unsigned long long)wanted);
    bigger = arena_alloc(arena, wanted * element);
    if (count)
        memcpy(bigger, at, count * element);
    arena_free(arena, at, *room * element);
    *room = (uint32_t)wanted;
    return bigger;
}
