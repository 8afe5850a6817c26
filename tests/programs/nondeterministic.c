// A program whose steps depend on something that raddle does not control (a directory that it makes): said, not hidden.
// EXPECT: bug kind=nondeterminism says=not deterministic
#include "common.h"
#include <sys/stat.h>
#include <unistd.h>

static atomic_int x, y, z;

static void *thread(void *_)
{
    if (mkdir("mark", 0700) == 0) {
        store(y, 1);
    } else {
        store(z, 1);
        rmdir("mark");
    }
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
