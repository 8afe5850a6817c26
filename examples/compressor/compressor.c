/* Compresses a file block by block, with several threads; decompresses what it made.
 *
 *     compressor [-d] [-j WORKERS] [-q SLOTS] [-b BLOCK_BYTES] INPUT OUTPUT
 *
 * OUTPUT may be - for standard output. The main thread reads, workers pack, one thread writes; at most SLOTS blocks (4
 * a worker, if not given) are on their way. The file: a magic word; for each block its size, its size in the file and
 * its check sum (4 bytes each, low byte first), and its bytes; then three words: 0, and the number and the check sum
 * of all bytes of blocks. A block that does not become smaller is kept as it is. Exit status: 0 done, 1 an input that
 * cannot be read or is damaged, or an output that cannot be written, 2 wrong usage. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack.h"
#include "ring.h"
#include "writer.h"

#define WORKERS_MAX 64
#define SLOTS_MAX   1024

static FILE *input, *output;
static const char *input_name, *output_name;
static size_t block_size = PACK_MAX;

/* What the end of the file says of all blocks. */
static uint32_t end_size, end_sum;

/* One line says what is wrong; then everybody stops. */
static void fail(const char *name, const char *what)
{
    fprintf(stderr, "compressor: %s: %s\n", name, what);
    ring_fail();
}

/* ---- compressing */

static void plain_read(void)
{
    struct slot *slot;

    while ((slot = ring_fill_begin())) {
        slot->in_size = fread(slot->in, 1, block_size, input);
        if (slot->in_size == 0)
            break;
        ring_fill_end(slot);
    }
    if (ferror(input))
        fail(input_name, "cannot be read");
    ring_finish();
}

static void block_pack(struct slot *slot)
{
    unsigned char *data = slot->out + PACK_HEADER;
    size_t size = pack(slot->in, slot->in_size, data);

    if (size == 0) {
        size = slot->in_size;
        memcpy(data, slot->in, size);
    }
    word_put(slot->out, (uint32_t)slot->in_size);
    word_put(slot->out + 4, (uint32_t)size);
    word_put(slot->out + 8, checksum(0, slot->in, slot->in_size));
    slot->out_size = PACK_HEADER + size;
}

/* ---- decompressing */

/* The next packed block. 1, or 0 at the end, or -1 if the file is damaged. */
static int packed_block_read(struct slot *slot)
{
    unsigned char header[PACK_HEADER];
    uint32_t size, packed;

    if (fread(header, 1, PACK_HEADER, input) != PACK_HEADER)
        return -1;
    size = word_get(header);
    packed = word_get(header + 4);
    slot->note = word_get(header + 8);
    if (size == 0) {
        end_size = packed;
        end_sum = word_get(header + 8);
        return 0;
    }
    if (size > PACK_MAX || packed == 0 || packed > size ||
        fread(slot->in, 1, packed, input) != packed)
        return -1;
    slot->in_size = packed;
    slot->out_size = size;
    return 1;
}

static void packed_read(void)
{
    unsigned char start[sizeof pack_magic];
    uint32_t size = 0, sum = 0;
    struct slot *slot;
    int more = -1;

    if (fread(start, 1, sizeof start, input) != sizeof start ||
        memcmp(start, pack_magic, sizeof start) != 0)
        fail(input_name, "was not made by compressor");
    while ((slot = ring_fill_begin()) && (more = packed_block_read(slot)) == 1) {
        size += (uint32_t)slot->in_size;
        sum = checksum(sum, slot->in, slot->in_size);
        ring_fill_end(slot);
    }
    if (slot && (more != 0 || size != end_size || sum != end_sum))
        fail(input_name, "is damaged");
    ring_finish();
}

static void block_unpack(struct slot *slot)
{
    int status = 0;

    if (slot->in_size == slot->out_size)
        memcpy(slot->out, slot->in, slot->in_size);
    else
        status = unpack(slot->in, slot->in_size, slot->out, slot->out_size);
    if (status != 0 || checksum(0, slot->out, slot->out_size) != slot->note)
        fail(input_name, "has a damaged block");
}

/* ---- threads */

/* What reader, workers and writer do. */
struct way {
    void (*read)(void);
    void (*block)(struct slot *slot);
    void (*write)(FILE *output);
};

static const struct way packing = {plain_read, block_pack, packed_write};
static const struct way unpacking = {packed_read, block_unpack, plain_write};
static const struct way *way = &packing;

static void *work(void *arg)
{
    struct slot *slot;

    while ((slot = ring_work_begin())) {
        way->block(slot);
        ring_work_end(slot);
    }
    return arg;
}

static void *write_all(void *arg)
{
    way->write(output);
    if (fflush(output) != 0 || ferror(output))
        fail(output_name, "cannot be written");
    return arg;
}

static int run(unsigned workers)
{
    pthread_t writer, ids[WORKERS_MAX];
    unsigned started = 0;

    if (pthread_create(&writer, NULL, write_all, NULL) != 0) {
        fprintf(stderr, "compressor: cannot start a thread\n");
        return 1;
    }
    while (started < workers && pthread_create(&ids[started], NULL, work, NULL) == 0)
        started++;
    if (started == 0)
        fail("threads", "cannot start one");
    way->read();
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_join(writer, NULL);
    return ring_failed() ? 1 : 0;
}

/* ---- the command line */

static int usage(void)
{
    fprintf(stderr,
            "usage: compressor [-d] [-j WORKERS] [-q SLOTS] [-b BLOCK_BYTES] INPUT OUTPUT\n");
    return 2;
}

static FILE *file_open(const char *name, const char *mode)
{
    FILE *file = *mode == 'w' && strcmp(name, "-") == 0 ? stdout : fopen(name, mode);

    if (!file)
        fprintf(stderr, "compressor: %s: %s\n", name, strerror(errno));
    return file;
}

/* Opens what is needed, lets `run` do the work, and closes it. */
static int compress_file(unsigned workers, unsigned slots)
{
    int status = 1;

    if (!(input = file_open(input_name, "rb")))
        return 1;
    if ((output = file_open(output_name, "wb"))) {
        if (ring_open(slots, PACK_HEADER + PACK_MAX) == 0)
            status = run(workers);
        else
            fprintf(stderr, "compressor: out of memory\n");
        ring_close();
        if (output != stdout && fclose(output) != 0 && status == 0)
            status = 1;
        if (status != 0 && output != stdout)
            unlink(output_name);
    }
    fclose(input);
    return status;
}

int main(int argc, char **argv)
{
    unsigned long workers = 2, slots = 0;
    int option;

    while ((option = getopt(argc, argv, "dj:q:b:")) != -1) {
        if (option == 'd')
            way = &unpacking;
        else if (option == 'j')
            workers = strtoul(optarg, NULL, 10);
        else if (option == 'q')
            slots = strtoul(optarg, NULL, 10);
        else if (option == 'b')
            block_size = strtoul(optarg, NULL, 10);
        else
            return usage();
    }
    if (slots == 0)
        slots = 4 * workers;
    if (argc - optind != 2 || workers < 1 || workers > WORKERS_MAX || slots > SLOTS_MAX ||
        block_size < 1 || block_size > PACK_MAX)
        return usage();
    input_name = argv[optind];
    output_name = argv[optind + 1];
    return compress_file((unsigned)workers, (unsigned)slots);
}
