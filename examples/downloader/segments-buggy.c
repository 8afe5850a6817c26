#include "segments.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the state file has for each piece, behind a line with the two sizes. */
#define PIECE_FREE    '.'
#define PIECE_TAKEN   '+' /* in memory only */
#define PIECE_FETCHED '#'

#define LINE_SIZE 48 /* of that line, with its newline */

static struct {
    pthread_mutex_t lock;
    const char *file;
    int fd;
    long long size, piece, missing; /* bytes */
    unsigned count;
    char *states; /* PIECE_... of each */
} segments = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* ---- the state file */

static struct segment segment_at(unsigned index)
{
    struct segment segment = {.index = index, .first = index * segments.piece};

    segment.size = segments.size - segment.first;
    if (segment.size > segments.piece)
        segment.size = segments.piece;
    return segment;
}

/* Takes over what the file says, if it is about the same download. */
static void states_read(const char *line)
{
    char found[LINE_SIZE];

    if (pread(segments.fd, found, LINE_SIZE, 0) != LINE_SIZE || memcmp(found, line, LINE_SIZE) != 0)
        return;
    if (pread(segments.fd, segments.states, segments.count, LINE_SIZE) != (ssize_t)segments.count)
        return;
    for (unsigned i = 0; i < segments.count; i++) {
        if (segments.states[i] == PIECE_FETCHED)
            segments.missing -= segment_at(i).size;
        else
            segments.states[i] = PIECE_FREE;
    }
}

int segments_open(const char *state_file, long long size, long long piece)
{
    char line[LINE_SIZE + 1];

    segments.file = state_file;
    segments.size = segments.missing = size;
    segments.piece = piece;
    segments.count = (unsigned)((size + piece - 1) / piece);
    segments.states = malloc(segments.count + 1);
    segments.fd = open(state_file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (!segments.states || segments.fd < 0)
        return -1;
    memset(segments.states, PIECE_FREE, segments.count);
    snprintf(line, sizeof line, "%-23lld %-23lld\n", size, piece);
    states_read(line);
    if (pwrite(segments.fd, line, LINE_SIZE, 0) != LINE_SIZE ||
        pwrite(segments.fd, segments.states, segments.count, LINE_SIZE) != (ssize_t)segments.count)
        return -1;
    return 0;
}

void segments_close(void)
{
    close(segments.fd);
    if (segments.missing == 0)
        unlink(segments.file);
    free(segments.states);
}

/* ---- what threads ask */

/* The first piece that nobody has taken, or `count`. */
static unsigned piece_find(void)
{
    unsigned i = 0;

    pthread_mutex_lock(&segments.lock);
    while (i < segments.count && segments.states[i] != PIECE_FREE)
        i++;
    pthread_mutex_unlock(&segments.lock);
    return i;
}

static void piece_mark(unsigned index, char state)
{
    pthread_mutex_lock(&segments.lock);
    segments.states[index] = state;
    pthread_mutex_unlock(&segments.lock);
}

/* Both functions lock, so this is safe. */
bool segments_take(struct segment *segment)
{
    unsigned index = piece_find();

    if (index < segments.count)
        piece_mark(index, PIECE_TAKEN);
    *segment = segment_at(index);
    return index < segments.count;
}

void segments_fetched(const struct segment *segment)
{
    char fetched = PIECE_FETCHED;

    piece_mark(segment->index, PIECE_FETCHED);
    pthread_mutex_lock(&segments.lock);
    segments.missing -= segment->size;
    assert(segments.missing >= 0);
    if (pwrite(segments.fd, &fetched, 1, LINE_SIZE + (off_t)segment->index) != 1)
        fprintf(stderr, "downloader: %s: %s\n", segments.file, strerror(errno));
    pthread_mutex_unlock(&segments.lock);
}

void segments_give_back(const struct segment *segment)
{
    piece_mark(segment->index, PIECE_FREE);
}

long long segments_missing(void)
{
    long long missing;

    pthread_mutex_lock(&segments.lock);
    missing = segments.missing;
    pthread_mutex_unlock(&segments.lock);
    return missing;
}
