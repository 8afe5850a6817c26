// A program whose steps depend on something that raddle does not control (a file that it writes): said, not hidden.
// EXPECT: bug kind=nondeterminism says=not deterministic
#include "common.h"
#include <fcntl.h>
#include <unistd.h>

static atomic_int x, y, z;

static void *thread(void *_)
{
    int fd = open("runs", O_RDWR | O_CREAT | O_APPEND, 0600);

    assert(fd >= 0);
    if (lseek(fd, 0, SEEK_END) % 2)
        store(y, 1);
    else
        store(z, 1);
    assert(write(fd, "x", 1) == 1);
    close(fd);
    atomic_fetch_add(&x, 1);
    return NULL;
}

static void *other(void *_)
{
    atomic_fetch_add(&x, 1);
    return NULL;
}

int main(void)
{
    run2(thread, other);
    return 0;
}
