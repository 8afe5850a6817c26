// An access over the border of two words touches both.
// EXPECT(all): data-race
// EXPECT(all -DBEYOND): safe
#include "races.h"

struct __attribute__((packed)) odd {
    char before[5];
    uint64_t value; /* bytes 5 to 12 */
    char after[3];
};

static _Alignas(16) struct odd odd;

static void *first(void *_)
{
    odd.value = 1;
    return _;
}

static void *second(void *_)
{
#ifdef BEYOND
    odd.after[0] = 1;
    odd.before[4] = 1;
#else
    ((char *)&odd)[12] = 1;
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
