// EXPECT: safe: 120 executions
// INPUT: lines.txt
// Standard descriptors closed and replaced: there again, at the same place, in the next execution.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "many.h"

int main(void)
{
    char c;

    assert(read(0, &c, 1) == 1 && c == 'o');
    assert(dup(0) == 3 && read(3, &c, 1) == 1 && c == 'n');
    assert(close(0) == 0 && close(0) == -1);
    assert(open("/dev/null", O_RDONLY) == 0 && read(0, &c, 1) == 0);
    assert(!freopen("/dev/zero", "r", stdin) || getchar() == 0);
    assert(printf("text\n") == 5 && fflush(stdout) == 0 && fclose(stdout) == 0 &&
           write(1, "", 1) == -1);
    assert(close(2) == 0);
    assert(fcntl(3, F_SETFL, O_NONBLOCK) == 0);
    many(5);
    return 0;
}
