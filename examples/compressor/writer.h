#ifndef COMPRESSOR_WRITER_H
#define COMPRESSOR_WRITER_H

#include <stdio.h>

/* What the writing thread does: takes all blocks from the ring, in order. Whether it worked, the stream knows. */

/* Packed blocks, between the magic word and the end record. */
void packed_write(FILE *output);

/* The bytes of blocks, and nothing else. */
void plain_write(FILE *output);

#endif
