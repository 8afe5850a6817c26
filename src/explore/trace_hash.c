#include "explore/trace_hash.h"

void trace_hash_open(struct trace_hash *hash, struct arena *arena)
{
    memset(hash, 0, sizeof *hash);
    hash->arena = arena;
}

void trace_hash_begin(struct trace_hash *hash)
{
    hash->run++;
    hash->sum = 0;
}

static struct trace_place *place_of(struct trace_hash *hash, loc_id loc)
{
    struct trace_place *place;

    while (hash->places.count <= loc)
        vec_push(hash->arena, &hash->places, (struct trace_place){0});
    place = &hash->places.at[loc];
    if (place->run != hash->run) {
        place->run = hash->run;
        memset(place->mode, ACCESS_NONE, sizeof place->mode);
    }
    return place;
}

/* Adds an access to a byte; what it comes after there, as a number. */
static uint64_t byte_touch(struct trace_place *place, unsigned i, uint8_t mode, uint64_t name)
{
    struct trace_byte *byte = &place->bytes[i];

    if (place->mode[i] == ACCESS_NONE) {
        *byte = (struct trace_byte){0};
    } else if (modes_conflict(place->mode[i], mode)) {
        byte->before = byte->members;
        byte->members = 0;
    }
    place->mode[i] = mode;
    byte->members += name;
    return byte->before;
}

void trace_hash_add(struct trace_hash *hash, const struct event *event,
                    const struct access *accesses, uint32_t count)
{
    uint64_t name = mix64(((uint64_t)event->agent << 32) + event->step);
    uint64_t after = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct trace_place *place = place_of(hash, accesses[i].loc);
        uint64_t here = 0;

        for (unsigned bytes = accesses[i].bytes; bytes; bytes &= bytes - 1) {
            unsigned byte = (unsigned)__builtin_ctz(bytes);

            here += byte_touch(place, byte, accesses[i].mode, name) * (2 * byte + 1);
        }
        after += mix64(here + accesses[i].loc);
    }
    hash->sum += mix64(name + after + ((uint64_t)event->outcome << 20));
}
