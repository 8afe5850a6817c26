// Two threads and a file: whether it is there when the second one asks depends on who came first, and both are tried.
// EXPECT(sc -DLOOK=1): assertion
// EXPECT(sc -DLOOK=2): assertion
// EXPECT(sc -DLOOK=3): assertion
// EXPECT(sc -DLOOK=4): assertion
// EXPECT(sc -DLOOK=5): assertion
// EXPECT(sc -DLOOK=6): safe executions=1
// EXPECT(sc -DBOTH): safe executions=2
// EXPECT(sc -DEXCLUSIVE): safe
#include "common.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "tree-of-paths", path[64], below[80], other[64];
static int made[2], opened[2];

static int listed(void)
{
    DIR *d = opendir(directory);
    int found = 0;

    for (struct dirent *e; (e = readdir(d)) != NULL;)
        found |= strcmp(e->d_name, "file") == 0;
    closedir(d);
    return found;
}

static void *removes(void *_)
{
    unlink(below);
    rmdir(path);
    return NULL;
}

static void *looks(void *_)
{
#ifdef LOOK
    switch (LOOK) {
    case 1: made[0] = access(path, F_OK) == 0; break;
    case 2: made[0] = open(path, O_RDONLY) >= 0; break;
    case 3: made[0] = fopen(path, "r") != NULL; break;
    case 4: made[0] = listed(); break;
    case 5: made[0] = open(below, O_RDONLY) >= 0; break;
    case 6: made[0] = access(other, F_OK) == 0; break;
    }
#endif
    return NULL;
}

static void *opens(void *argument)
{
    int i = (int)(intptr_t)argument;

    opened[i] = open(other, O_RDWR | O_CREAT, 0600);
    return NULL;
}

static void *is_first(void *argument)
{
    made[(intptr_t)argument] = open(other, O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0;
    return NULL;
}

int main(void)
{
    assert(mkdir(directory, 0700) == 0);
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(below, sizeof below, "%s/file/below", directory);
    snprintf(other, sizeof other, "%s/another", directory);
    mkdir(path, 0700);
    close(open(below, O_WRONLY | O_CREAT, 0600));
    close(open(other, O_WRONLY | O_CREAT, 0600));
#ifdef BOTH
    run(2, opens);
    assert(opened[0] >= 0 && opened[1] >= 0);
#elif defined EXCLUSIVE
    unlink(other);
    run(2, is_first);
    assert(made[0] + made[1] == 1);
#else
    run2(removes, looks);
#endif
    unlink(other);
    unlink(below);
    rmdir(path);
    rmdir(directory);
#ifdef LOOK
    assert(made[0]);
#endif
    return 0;
}
