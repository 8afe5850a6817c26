#ifndef DOWNLOADER_SEGMENTS_H
#define DOWNLOADER_SEGMENTS_H

#include <stdbool.h>

/* The pieces of the file to be fetched: each is taken by one thread, and fetched or given back by it. What is fetched is
 * noted in a state file, so that a download that was stopped goes on where it was. */

struct segment {
    unsigned index;
    long long first, size; /* bytes */
};

/* Divides `size` bytes into pieces of `piece` bytes; takes those as fetched that the state file says are. 0, or -1
 * with errno set. */
int segments_open(const char *state_file, long long size, long long piece);

/* Takes the next piece. False if there is none left to take. */
bool segments_take(struct segment *segment);

/* It was fetched. */
void segments_fetched(const struct segment *segment);

/* It could not be fetched; somebody else may try. */
void segments_give_back(const struct segment *segment);

/* Bytes not fetched yet. */
long long segments_missing(void);

/* Removes the state file if all was fetched. */
void segments_close(void);

#endif
