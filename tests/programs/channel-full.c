// A pipe holds so much and no more: the writer waits for the reader. Large writes go in pieces, small ones whole.
// EXPECT: safe
// EXPECT(sc -DNO_READER): deadlock at=write says=waits to write to the pipe
// EXPECT(sc -DNONBLOCK): safe executions=1
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SIZE (65536 + 5000)

static int ends[2];
static char out[SIZE], in[SIZE];

static void *reader(void *_)
{
    size_t n = 0;
    ssize_t got;

    while (n < SIZE) {
        got = read(ends[0], in + n, SIZE - n);
        assert(got > 0);
        n += (size_t)got;
    }
    return NULL;
}

static void fill_without_waiting(void)
{
    assert(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    assert(write(ends[1], out, SIZE) == 65536);
    assert(write(ends[1], out, 1) == -1 && errno == EAGAIN);
    assert(read(ends[0], in, 100) == 100);
    assert(write(ends[1], out, 101) == -1 && errno == EAGAIN); /* whole, or not at all */
    assert(write(ends[1], out, 100) == 100);
    assert(read(ends[0], in, SIZE) == 65536);
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    assert(read(ends[0], in, SIZE) == -1 && errno == EAGAIN);
}

int main(void)
{
    pthread_t thread;

    for (int i = 0; i < SIZE; i++)
        out[i] = (char)(i * 7);
    assert(pipe(ends) == 0);
#ifdef NONBLOCK
    fill_without_waiting();
#elif defined NO_READER
    write(ends[1], out, SIZE); /* write */
#else
    (void)fill_without_waiting;
    assert(pthread_create(&thread, NULL, reader, NULL) == 0);
    assert(write(ends[1], out, SIZE) == SIZE);
    pthread_join(thread, NULL);
    assert(memcmp(in, out, SIZE) == 0);
#endif
    (void)thread;
    return 0;
}
