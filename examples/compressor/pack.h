#ifndef COMPRESSOR_PACK_H
#define COMPRESSOR_PACK_H

#include <stddef.h>
#include <stdint.h>

#define PACK_MAX    65535 /* bytes of a block, at most */
#define PACK_HEADER 12    /* bytes before each block in the file */

/* The file begins with these. */
static const unsigned char pack_magic[4] = {'b', 'l', 'k', '1'};

/* Numbers in the file: four bytes, the low one first. */
void word_put(unsigned char *at, uint32_t word);
uint32_t word_get(const unsigned char *at);

/* Packs `size` bytes of `in` (at most PACK_MAX) into `out`; 0 if that would take `size` bytes or more. */
size_t pack(const unsigned char *in, size_t size, unsigned char *out);

/* Unpacks what pack() made, into exactly `size` bytes of `out`. 0, or -1 if the input is damaged. */
int unpack(const unsigned char *in, size_t in_size, unsigned char *out, size_t size);

/* A check sum, going on from `sum` (0 at first). */
uint32_t checksum(uint32_t sum, const unsigned char *data, size_t size);

#endif
