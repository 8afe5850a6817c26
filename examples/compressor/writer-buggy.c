#include "writer.h"

#include "pack.h"
#include "ring.h"

/* Number and check sum of all bytes need the blocks in order, so they are counted here. */
void packed_write(FILE *output)
{
    unsigned char end[PACK_HEADER] = {0};
    uint32_t size = 0, sum = 0;
    struct slot *slot;

    fwrite(pack_magic, 1, sizeof pack_magic, output);
    while ((slot = ring_drain_begin())) {
        sum = checksum(sum, slot->out + PACK_HEADER, slot->out_size - PACK_HEADER);
        fwrite(slot->out, 1, slot->out_size, output);
        ring_drain_end(slot); /* as early as possible: the reader waits for it */
        size += (uint32_t)(slot->out_size - PACK_HEADER);
    }
    word_put(end + 4, size);
    word_put(end + 8, sum);
    fwrite(end, 1, sizeof end, output);
}

void plain_write(FILE *output)
{
    struct slot *slot;

    while ((slot = ring_drain_begin())) {
        fwrite(slot->out, 1, slot->out_size, output);
        ring_drain_end(slot);
    }
}
