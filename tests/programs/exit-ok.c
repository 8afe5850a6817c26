// A status other than 0 is no bug if the user says so.
// OPTIONS: --exit-ok
// EXPECT: safe
#include "common.h"

int main(void)
{
    return 1;
}
