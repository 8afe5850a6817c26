// One thread closes a descriptor that another one reads from: the read fails, or waits for ever, or got its byte in time.
// EXPECT: deadlock at=read
// EXPECT(sc -DFULL): assertion at=closed
#include "common.h"
#include <errno.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *_)
{
    char c;
    ssize_t n = read(ends[0], &c, 1); /* read */

    assert(n == 1 || errno == EBADF);
#ifdef FULL
    assert(n == 1); /* closed */
#endif
    return NULL;
}

static void *closer(void *_)
{
    close(ends[0]);
    return NULL;
}

int main(void)
{
    assert(pipe(ends) == 0);
#ifdef FULL
    assert(write(ends[1], "x", 1) == 1);
#endif
    run2(reader, closer);
    return 0;
}
