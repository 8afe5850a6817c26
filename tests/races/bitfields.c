// Bit-fields of one unit share memory; a zero-length one between keeps them apart.
// EXPECT(all): data-race
// EXPECT(all -DAPART): safe
#include "races.h"

static struct {
    unsigned a : 3;
#ifdef APART
    unsigned : 0;
#endif
    unsigned b : 3;
} fields;

static void *first(void *_)
{
    fields.a = 1;
    return _;
}

static void *second(void *_)
{
    fields.b = 1;
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
