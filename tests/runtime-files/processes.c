// EXPECT: incomplete .*not modelled: system
// Other processes are named, and fail.
#include <stdio.h>
#include <stdlib.h>

#include "many.h"

int main(void)
{
    assert(system("true") == -1 && !popen("true", "r"));
    many(2);
    return 0;
}
