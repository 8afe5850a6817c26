// EXPECT: incomplete .*standard input
// PIPE: lines.txt
// A pipe can be read only once.
#include <stdio.h>

#include "many.h"

int main(void)
{
    getchar();
    many(2);
    return 0;
}
