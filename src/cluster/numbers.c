#include "cluster/numbers.h"

#include <string.h>

#include "cluster/message.h"

void numbers_table_open(struct numbers *numbers, struct arena *arena)
{
    memset(numbers, 0, sizeof *numbers);
    numbers->arena = arena;
    map_open(&numbers->by_name, arena);
}

uint32_t numbers_table_take(struct numbers *numbers, uint32_t parent, uint32_t rank)
{
    uint64_t name = (uint64_t)parent << 32 | rank;
    uint32_t number = map_get(&numbers->by_name, name);

    if (number != MAP_ABSENT)
        return number;
    number = numbers->names.count;
    vec_push(numbers->arena, &numbers->names, name);
    map_add(&numbers->by_name, name, number);
    return number;
}

void numbers_ask_write(uint32_t known, uint32_t parent, uint32_t rank, struct bytes *out)
{
    bytes_number(out, MESSAGE_NAME);
    bytes_number(out, 0); /* no item */
    bytes_number(out, known);
    bytes_number(out, parent);
    bytes_number(out, rank);
}

bool numbers_answer(struct numbers *numbers, const uint8_t *at, uint32_t size, struct bytes *out,
                    bool *failed)
{
    struct bytes_reader in = {.at = at, .end = at + size};
    uint32_t known, parent, rank;

    if (bytes_read_below(&in, MESSAGE_KINDS) != MESSAGE_NAME || in.failed)
        return false;
    bytes_read_number(&in);
    known = bytes_read_below(&in, (uint64_t)numbers->names.count + 1);
    parent = bytes_read_below(&in, UINT32_MAX);
    rank = bytes_read_below(&in, UINT32_MAX);
    *failed = in.failed;
    if (in.failed)
        return true;
    numbers_table_take(numbers, parent, rank);
    bytes_number(out, MESSAGE_NUMBERS);
    bytes_number(out, 0);
    bytes_number(out, known);
    bytes_number(out, numbers->names.count - known);
    for (uint32_t i = known; i < numbers->names.count; i++) {
        bytes_number(out, numbers->names.at[i] >> 32);
        bytes_number(out, (uint32_t)numbers->names.at[i]);
    }
    return true;
}

bool numbers_is_answer(const uint8_t *at, uint32_t size, struct bytes_reader *in)
{
    *in = (struct bytes_reader){.at = at, .end = at + size};
    if (bytes_read_below(in, MESSAGE_KINDS) != MESSAGE_NUMBERS)
        return false;
    bytes_read_number(in);
    return !in->failed;
}
