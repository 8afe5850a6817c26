#include "pack.h"

#include <string.h>

/* A packed block is a row of pieces. A byte c below 128 says that c + 1 bytes follow as they are; any other, that
 * (c & 127) + MATCH_MIN bytes are the same as those a distance before, which follows in two bytes. */

#define MATCH_MIN    4
#define MATCH_MAX    (127 + MATCH_MIN)
#define LITERALS_MAX 128
#define TABLE_BITS   10

struct output {
    unsigned char *at;
    size_t used, limit;
};

static unsigned slot_of(const unsigned char *at)
{
    uint32_t four;

    memcpy(&four, at, sizeof four);
    return (four * 2654435761u) >> (32 - TABLE_BITS);
}

static int literals_put(struct output *output, const unsigned char *from, size_t count)
{
    while (count > 0) {
        size_t now = count < LITERALS_MAX ? count : LITERALS_MAX;

        if (output->used + 1 + now >= output->limit)
            return -1;
        output->at[output->used++] = (unsigned char)(now - 1);
        memcpy(output->at + output->used, from, now);
        output->used += now;
        from += now;
        count -= now;
    }
    return 0;
}

static int match_put(struct output *output, size_t length, size_t distance)
{
    if (output->used + 3 >= output->limit)
        return -1;
    output->at[output->used++] = (unsigned char)(128 | (length - MATCH_MIN));
    output->at[output->used++] = (unsigned char)(distance & 255);
    output->at[output->used++] = (unsigned char)(distance >> 8);
    return 0;
}

static size_t match_length(const unsigned char *in, size_t size, size_t old, size_t at)
{
    size_t length = 0;

    while (length < MATCH_MAX && at + length < size && in[old + length] == in[at + length])
        length++;
    return length;
}

size_t pack(const unsigned char *in, size_t size, unsigned char *out)
{
    uint16_t last[1 << TABLE_BITS] = {0}; /* where four such bytes were last seen, plus 1 */
    struct output output = {.at = out, .limit = size};
    size_t done = 0, at = 0;

    while (at + MATCH_MIN <= size) {
        uint16_t *seen = &last[slot_of(in + at)];
        size_t old = *seen, length = old ? match_length(in, size, old - 1, at) : 0;

        *seen = (uint16_t)(at + 1);
        if (length < MATCH_MIN) {
            at++;
            continue;
        }
        if (literals_put(&output, in + done, at - done) != 0 ||
            match_put(&output, length, at - (old - 1)) != 0)
            return 0;
        at += length;
        done = at;
    }
    return literals_put(&output, in + done, size - done) == 0 ? output.used : 0;
}

int unpack(const unsigned char *in, size_t in_size, unsigned char *out, size_t size)
{
    size_t at = 0, used = 0;

    while (at < in_size) {
        size_t code = in[at++], length = (code & 127) + (code < 128 ? 1 : MATCH_MIN);

        if (length > size - used)
            return -1;
        if (code < 128) {
            if (length > in_size - at)
                return -1;
            memcpy(out + used, in + at, length);
            at += length;
            used += length;
        } else {
            size_t distance = at + 2 <= in_size ? in[at] | (size_t)in[at + 1] << 8 : 0;

            if (distance == 0 || distance > used)
                return -1;
            at += 2;
            while (length-- > 0) { /* one by one: the two may overlap */
                out[used] = out[used - distance];
                used++;
            }
        }
    }
    return used == size ? 0 : -1;
}

uint32_t checksum(uint32_t sum, const unsigned char *data, size_t size)
{
    uint32_t low = sum & 0xffff, high = sum >> 16;

    for (size_t i = 0; i < size; i++) {
        low = (low + data[i] + 1) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

void word_put(unsigned char *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> (8 * i));
}

uint32_t word_get(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
