// CFLAGS: -fno-builtin
// Functions that copy and fill memory, called as functions.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <strings.h>

static char a[64], b[64];

static void program(void)
{
    memset(a, 'x', 5);
    TEXT(a);
    memcpy(b, a, 6);
    TEXT(b);
    memmove(b + 1, b, 6);
    TEXT(b);
    NUM((char *)mempcpy(b, "qr", 3) - b);
    TEXT(b);
    bcopy("12345", b, 6);
    TEXT(b);
    bzero(b, 3);
    NUM(b[0] + b[1] + b[2]);
    NUM(b[3] == '4');
    explicit_bzero(b, 5);
    NUM(b[4]);
}
