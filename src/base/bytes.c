#include "base/bytes.h"

#include <string.h>

void bytes_open(struct bytes *bytes, struct arena *arena)
{
    memset(bytes, 0, sizeof *bytes);
    bytes->arena = arena;
}

void bytes_number(struct bytes *bytes, uint64_t number)
{
    vec_reserve(bytes->arena, &bytes->data, 10);
    for (; number >= 0x80; number >>= 7)
        bytes->data.at[bytes->data.count++] = (uint8_t)(number | 0x80);
    bytes->data.at[bytes->data.count++] = (uint8_t)number;
}

void bytes_word(struct bytes *bytes, uint64_t word)
{
    vec_reserve(bytes->arena, &bytes->data, 8);
    for (unsigned i = 0; i < 8; i++)
        bytes->data.at[bytes->data.count++] = (uint8_t)(word >> (8 * i));
}

void bytes_add(struct bytes *bytes, const void *at, size_t size)
{
    if (size == 0)
        return;
    vec_reserve(bytes->arena, &bytes->data, size);
    memcpy(bytes->data.at + bytes->data.count, at, size);
    bytes->data.count += (uint32_t)size;
}

static void reader_fail(struct bytes_reader *reader)
{
    reader->failed = true;
    reader->at = reader->end;
}

void bytes_drop(struct bytes *bytes, uint32_t count)
{
    if (count == 0)
        return; /* there may be none at all */
    memmove(bytes->data.at, bytes->data.at + count, bytes->data.count - count);
    bytes->data.count -= count;
}

struct bytes_reader bytes_read(const struct bytes *bytes)
{
    struct bytes_reader reader = {.at = bytes->data.at, .end = bytes->data.at};

    if (bytes->data.count)
        reader.end += bytes->data.count;
    return reader;
}

uint64_t bytes_read_number(struct bytes_reader *reader)
{
    uint64_t number = 0;

    for (unsigned shift = 0; reader->at < reader->end && shift < 64; shift += 7) {
        uint8_t byte = *reader->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80) && (shift < 63 || byte <= 1))
            return number;
    }
    reader_fail(reader);
    return 0;
}

uint32_t bytes_read_below(struct bytes_reader *reader, uint64_t limit)
{
    uint64_t number = bytes_read_number(reader);

    if (number >= limit || number > UINT32_MAX) {
        reader_fail(reader);
        return 0;
    }
    return (uint32_t)number;
}

uint32_t bytes_read_count(struct bytes_reader *reader, size_t size)
{
    uint64_t number = bytes_read_number(reader);

    if (number > (size_t)(reader->end - reader->at) / size || number > UINT32_MAX) {
        reader_fail(reader);
        return 0;
    }
    return (uint32_t)number;
}

uint64_t bytes_read_word(struct bytes_reader *reader)
{
    const uint8_t *at = bytes_read_raw(reader, 8);
    uint64_t word = 0;

    for (unsigned i = 0; at && i < 8; i++)
        word |= (uint64_t)at[i] << (8 * i);
    return word;
}

const void *bytes_read_raw(struct bytes_reader *reader, size_t size)
{
    const void *at = reader->at;

    if ((size_t)(reader->end - reader->at) < size) {
        reader_fail(reader);
        return NULL;
    }
    reader->at += size;
    return at;
}
