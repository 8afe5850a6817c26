// Many descriptors, opened and closed by several threads: their numbers are not tried in every order, which is named.
// EXPECT: incomplete executions=1 says=so many descriptors opened by several threads
#include "common.h"
#include <fcntl.h>
#include <unistd.h>

static void *thread(void *_)
{
    int ends[40][2], file;
    char c;

    for (int i = 0; i < 40; i++)
        assert(pipe(ends[i]) == 0);
    for (int i = 0; i < 40; i++) {
        file = open("/dev/null", O_RDONLY);
        assert(file > 2 && close(file) == 0);
        c = (char)i;
        assert(write(ends[i][1], &c, 1) == 1);
    }
    for (int i = 0; i < 40; i++) {
        assert(read(ends[i][0], &c, 1) == 1 && c == i);
        assert(close(ends[i][0]) == 0 && close(ends[i][1]) == 0);
    }
    return NULL;
}

int main(void)
{
    run(3, thread);
    return 0;
}
