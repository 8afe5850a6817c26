// A reader waits for the end of the file: that comes when all descriptors of the write end are closed, duplicates, too.
// EXPECT(all): safe executions=1
// EXPECT(sc -DFORGET): deadlock at=read says=T1 \([a-z_0-9]+\) waits to read from the pipe \(fd [0-9]+\) made at channel-end-of-file.c:[0-9]+
// EXPECT(sc -DFORGET_COPY): deadlock at=read
#include "common.h"
#include <unistd.h>

static int ends[2];

static void *reader(void *_)
{
    char got[16];
    ssize_t n;

    do
        n = read(ends[0], got, sizeof got); /* read */
    while (n > 0);
    assert(n == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int copy;

    assert(pipe(ends) == 0);
    copy = dup(ends[1]);
    assert(copy > ends[1]);
    assert(pthread_create(&thread, NULL, reader, NULL) == 0);
#ifndef FORGET
    assert(close(ends[1]) == 0);
#endif
#ifndef FORGET_COPY
    assert(close(copy) == 0);
#endif
    pthread_join(thread, NULL);
    return 0;
}
