// Who the process is stays so; to become who it is already is fine, as servers do that are told to run as their user.
// EXPECT: safe executions=1
// EXPECT(sc -DOTHER): incomplete says=setuid, which fails here
#include "common.h"
#include <errno.h>
#include <unistd.h>

int main(void)
{
    assert(setgid(getgid()) == 0 && setuid(getuid()) == 0);
#ifdef OTHER
    assert(setuid(getuid() + 1) == -1 && errno == EPERM);
#endif
    return 0;
}
