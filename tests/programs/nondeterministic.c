// A program whose steps depend on something that raddle does not control (shared memory from before main): said, not hidden.
// OPTIONS: --no-commute=increments
// EXPECT: bug kind=nondeterminism says=not deterministic
#include "common.h"
#include <sys/mman.h>

static atomic_int x, y, z;
static volatile char *mark; /* where no restart puts anything back */

static void before(void)
{
    mark = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Before all constructors: those belong to each run. */
__attribute__((section(".preinit_array"), used)) static void (*const begins)(void) = before;

static void *thread(void *_)
{
    *mark ^= 1;
    if (*mark)
        store(y, 1);
    else
        store(z, 1);
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
