#ifndef COMPRESSOR_RING_H
#define COMPRESSOR_RING_H

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

/* Blocks on their way from one reader over several workers to one writer, who gets them in the order in which they were
 * read. There are only so many slots: the reader waits for the writer when all are in use. */

/* One block. Between a begin and its end it belongs to the caller alone. */
struct slot {
    unsigned char *in, *out; /* of the size given to ring_open */
    size_t in_size, out_size;
    unsigned long long note;  /* whatever the reader wants to tell the worker */
    bool is_end;              /* there is no such block, and none behind it */
    sem_t free, filled, done; /* whose turn it is: the reader's, a worker's, the writer's */
};

/* Makes that many slots. 0, or -1 if there is no memory. */
int ring_open(unsigned slots, size_t size);
void ring_close(void);

/* The reader: a free slot to fill, or NULL if somebody failed. */
struct slot *ring_fill_begin(void);
void ring_fill_end(struct slot *slot);
/* The reader: there will be no more blocks, and the slot it has last begun with stays empty. */
void ring_finish(void);

/* A worker: a filled slot to work at, or NULL if there will be none. */
struct slot *ring_work_begin(void);
void ring_work_end(struct slot *slot);

/* The writer: the next block in order, or NULL after the last one. */
struct slot *ring_drain_begin(void);
void ring_drain_end(struct slot *slot);

/* Anybody: something failed, all others shall stop. */
void ring_fail(void);
bool ring_failed(void);

#endif
