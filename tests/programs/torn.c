// 16 bytes in one atomic access are never seen half; in two 8-byte ones they are. A struct copy is not atomic either.
// EXPECT: safe
// EXPECT(sc -mcx16 -O2): safe
// EXPECT(sc -DTWO): assertion at=half
#include "common.h"

struct wide {
    uint64_t a, b;
};

#ifdef TWO
static struct {
    _Atomic uint64_t a, b;
} shared;

static void put(uint64_t v)
{
    store(shared.a, v);
    store(shared.b, v);
}

static struct wide get(void)
{
    return (struct wide){load(shared.a), load(shared.b)};
}
#else
static _Atomic struct wide shared;

static void put(uint64_t v)
{
    store(shared, ((struct wide){v, v}));
}

static struct wide get(void)
{
    return load(shared);
}
#endif

static void *writer(void *_)
{
    put(1);
    put(2);
    return NULL;
}

static void *reader(void *_)
{
    struct wide w = get();

    assert(w.a == w.b); /* half */
    return NULL;
}

int main(void)
{
    run2(writer, reader);
    return 0;
}
