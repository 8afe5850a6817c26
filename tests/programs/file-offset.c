// Two threads read from one open file: who gets which half depends on the order; with places of their own it does not.
// EXPECT: safe executions=2
// EXPECT(sc -DFIXED): assertion at=fixed
// EXPECT(sc -DPLACES): safe executions=1
#include "common.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int fd;
static char got[2][4];

static void *reader(void *argument)
{
    intptr_t id = (intptr_t)argument;

#ifdef PLACES
    assert(pread(fd, got[id], 4, 4 * id) == 4);
#else
    assert(read(fd, got[id], 4) == 4);
#endif
    return NULL;
}

int main(void)
{
    fd = open("offset", O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(fd >= 0 && unlink("offset") == 0);
    assert(write(fd, "abcdefgh", 8) == 8 && lseek(fd, 0, SEEK_SET) == 0);
    run(2, reader);
    assert(memcmp(got[0], got[1], 4) != 0);
#ifdef FIXED
    assert(memcmp(got[0], "abcd", 4) == 0); /* fixed */
#endif
    assert(close(fd) == 0);
    return 0;
}
