#ifndef RADDLE_BASE_BYTES_H
#define RADDLE_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Bytes to be kept or sent: numbers go in by seven bits a byte, the low ones first, so that small ones are short and no machine's order of bytes
 * matters. */
struct bytes {
    struct arena *arena;
    VEC(uint8_t) data;
};

void bytes_open(struct bytes *bytes, struct arena *arena);
void bytes_number(struct bytes *bytes, uint64_t number);
void bytes_word(struct bytes *bytes, uint64_t word); /* always eight bytes */
void bytes_add(struct bytes *bytes, const void *at, size_t size);
/* Takes away the first ones. */
void bytes_drop(struct bytes *bytes, uint32_t count);

/* What has been read of some bytes. Once something is missing or too large, `failed` stays set and all that is read is 0. */
struct bytes_reader {
    const uint8_t *at, *end;
    bool failed;
};

/* All of them, from the first one; there may be none. */
struct bytes_reader bytes_read(const struct bytes *bytes);
uint64_t bytes_read_number(struct bytes_reader *reader);
/* One that must be below `limit`. */
uint32_t bytes_read_below(struct bytes_reader *reader, uint64_t limit);
/* How many things follow that take at least `size` bytes each: never more than there is room for. */
uint32_t bytes_read_count(struct bytes_reader *reader, size_t size);
uint64_t bytes_read_word(struct bytes_reader *reader);
/* Where the next `size` bytes are, or NULL if there are fewer. */
const void *bytes_read_raw(struct bytes_reader *reader, size_t size);

#endif
