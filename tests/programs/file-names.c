// Who makes a file first, and what is read from one that another thread writes: both orders are tried.
// EXPECT: safe
// EXPECT(sc -DFIRST): assertion at=first
// EXPECT(sc -DCONTENT): assertion at=content
// EXPECT(sc -DOTHERS): safe
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int makers;
static char directory[] = "raddle-file-names";

static void *maker(void *argument)
{
    char path[64];
    int fd;

#ifdef OTHERS
    snprintf(path, sizeof path, "%s/%d", directory, (int)(intptr_t)argument);
#else
    snprintf(path, sizeof path, "%s/./x/../lock", directory);
#endif
    fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert(fd >= 0 || errno == EEXIST);
#ifdef FIRST
    assert((fd >= 0) == !argument); /* first */
#endif
    if (fd >= 0) {
        assert(write(fd, "held", 4) == 4);
        close(fd);
    }
#ifdef CONTENT
    char got[4];

    if (fd < 0) {
        fd = open(path, O_RDONLY);
        assert(read(fd, got, 4) == 4); /* content */
        close(fd);
    }
#endif
    return NULL;
}

int main(void)
{
    char path[64];

    mkdir(directory, 0700);
    snprintf(path, sizeof path, "%s/x", directory);
    mkdir(path, 0700);
    for (int i = -1; i < 2; i++) {
        snprintf(path, sizeof path, i < 0 ? "%s/lock" : "%s/%d", directory, i);
        unlink(path);
    }
    run(2, maker);
    (void)makers;
    return 0;
}
