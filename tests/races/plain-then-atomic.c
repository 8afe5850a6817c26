// A plain initialisation that comes before the atomic accesses, or not.
// EXPECT(all): safe
// EXPECT(all -DINSIDE): data-race
#include "races.h"

static int data;
static struct {
    atomic_int x;
} *object;

static void *first(void *_)
{
#ifdef INSIDE
    memset(object, 0, sizeof *object);
#endif
    data = 1;
    store(object->x, 1, release);
    return _;
}

static void *second(void *_)
{
    if (load(object->x, acquire))
        data = 2;
    return _;
}

int main(void)
{
    object = malloc(sizeof *object);
    memset(object, 0, sizeof *object);
    run2(first, second);
    return 0;
}
