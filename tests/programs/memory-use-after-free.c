// One thread frees what another still uses, both under the lock: only the order is wrong.
// EXPECT: memory at=use says=use after free: a read of 4 bytes, 4 bytes into a block that was freed; the block of 12 bytes was allocated by T0 \(main\) at .*, and freed by T1 \([a-z_0-9]+\)
// EXPECT(tso): memory at=use
// EXPECT(sc -DWRITE): memory at=write says=use after free: a write of 4 bytes
// EXPECT(sc -DCOPY): memory at=copy says=use after free: a read of .* 0 bytes into
// EXPECT(sc -DATOMIC): memory at=atomic says=use after free: a (read|write) of 4 bytes
// EXPECT(sc -DMUTEX): memory at=mutex says=use after free
// EXPECT(sc -DCOUNTED): safe
#include "common.h"
#include <stdlib.h>
#include <string.h>

struct item {
    int a, b, c;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *item;
static pthread_mutex_t *inner;
static int users = 2;

static void drop(void)
{
#ifdef COUNTED
    if (--users > 0)
        return;
#endif
    free(item);
    free(inner);
}

static void *frees(void *_)
{
    pthread_mutex_lock(&m);
    drop();
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *uses(void *_)
{
    pthread_mutex_lock(&m);
#if defined WRITE
    item->b = 1; /* write */
#elif defined COPY
    struct item copy;
    memcpy(&copy, item, sizeof copy); /* copy */
    assert(copy.a == 0);
#elif defined ATOMIC
    atomic_fetch_add((_Atomic int *)&item->b, 1); /* atomic */
#elif defined MUTEX
    pthread_mutex_lock(inner); /* mutex */
#else
    assert(item->b == 0); /* use */
#endif
#ifdef COUNTED
    drop();
#endif
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    item = calloc(1, sizeof *item);
    inner = malloc(sizeof *inner);
    pthread_mutex_init(inner, NULL);
    run2(frees, uses);
    return 0;
}
