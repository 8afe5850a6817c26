// Functions of libc access memory, too.
// EXPECT(all): data-race
// EXPECT(all -DAPART): safe
#include "races.h"

static char text[32] = "some text";
static size_t length;

static void *first(void *_)
{
    length = strlen(text);
    return _;
}

static void *second(void *_)
{
#ifdef APART
    text[20] = 'x';
#else
    text[3] = 'x';
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
