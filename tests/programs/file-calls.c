// Names and files by one thread, and by a second one that only looks at others.
// EXPECT: safe
// EXPECT(sc -DSAME): safe
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 32
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[] = "raddle-file-calls", a[64], b[64], other[64];

static void *worker(void *_)
{
    int fd = open(a, O_CREAT | O_RDWR | O_TRUNC, 0600);
    char got[4];

    assert(fd >= 0 && pwrite(fd, "abcd", 4, 0) == 4 && pwrite64(fd, "ef", 2, 4) == 2);
    assert(pread(fd, got, 4, 1) == 4 && memcmp(got, "bcde", 4) == 0);
    assert(pread64(fd, got, 4, 4) == 2);
    assert(ftruncate(fd, 3) == 0 && lseek(fd, 0, SEEK_END) == 3);
    assert(close(fd) == 0 && truncate(a, 1) == 0);
    assert(link(a, b) == 0 && unlink(b) == 0);
    assert(symlink(a, b) == 0 && unlinkat(AT_FDCWD, b, 0) == 0);
    assert(rename(a, b) == 0 && access(a, F_OK) == -1 && errno == ENOENT);
    assert(remove(b) == 0);
    assert(mkdir(b, 0700) == 0 && rmdir(b) == 0);
    return NULL;
}

static void *looker(void *_)
{
    struct stat status;

#ifdef SAME
    assert(stat(place, &status) == 0 && S_ISDIR(status.st_mode));
    assert(access(other, F_OK) == -1);
    assert(open(other, O_CREAT | O_EXCL, 0600) >= 0);
#else
    assert(stat("/", &status) == 0 && S_ISDIR(status.st_mode));
    (void)other;
#endif
    return NULL;
}

#ifdef SAME
static void *remover(void *_)
{
    unlink(other);
    return NULL;
}
#endif

int main(void)
{
    mkdir(place, 0700);
    snprintf(a, sizeof a, "%s/a", place);
    snprintf(b, sizeof b, "%s/b", place);
    snprintf(other, sizeof other, "%s/other", place);
    unlink(other);
#ifdef SAME
    (void)worker;
    run2(looker, remover);
#else
    run2(worker, looker);
#endif
    return 0;
}
