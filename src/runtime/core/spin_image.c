#include "runtime/core/spin_image.h"

#include <stddef.h>
#include <string.h>

/* How much a second is in what programs reckon in: seconds, ticks of times(), milliseconds, microseconds, nanoseconds. */
static const uint64_t units[] = {1, 100, 1000, 1000000, 1000000000};

static bool half_moved(uint32_t then, uint32_t now, uint64_t seconds)
{
    if (then == now)
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (now - then == (uint32_t)(seconds * units[i]))
            return true;
    return false;
}

static bool word_moved(uint64_t then, uint64_t now, uint64_t seconds)
{
    if (then == now)
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (now - then == seconds * units[i])
            return true;
    return half_moved((uint32_t)then, (uint32_t)now, seconds) &&
           half_moved((uint32_t)(then >> 32), (uint32_t)(now >> 32), seconds);
}

static bool words_moved(const void *then, const void *now, size_t size, uint64_t seconds)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t a = 0, b = 0;

        memcpy(&a, (const char *)then + at, sizeof a);
        memcpy(&b, (const char *)now + at, sizeof b);
        if (!word_moved(a, b, seconds))
            return false;
    }
    return true;
}

bool spin_image_moved(const struct spin_image *then, const struct spin_image *now, uint64_t seconds)
{
    return seconds > 0 && then->low && then->low == now->low && then->size == now->size &&
           then->variables == now->variables &&
           words_moved(then->registers, now->registers, sizeof then->registers, seconds) &&
           words_moved(then->bytes, now->bytes, now->size, seconds);
}

void spin_image_copy(struct spin_image *to, const struct spin_image *from)
{
    memcpy(to, from, offsetof(struct spin_image, bytes) + from->size);
}
