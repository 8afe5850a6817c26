#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/core/kernel.h"
#include "runtime/files/files.h"

/* Names of files that an execution makes: the next one must not find them, or it would not be the same program. Only names
 * are removed that were not there when the execution first touched them. A file that was there and is changed or removed stays so. */

#define PATH_SIZE 4096

struct made {
    uint32_t path; /* absolute, in `texts` */
    bool was_there;
};

static struct {
    VEC(struct made) names; /* those that this execution touched */
    VEC(char) texts;
} made;

/* False if it is too long, or the directory is not known. */
static bool path_absolute(int at, const char *path, char text[2 * PATH_SIZE])
{
    char link[32] = "/proc/self/cwd";
    long length = 0;

    if (*path != '/') {
        if (at != AT_FDCWD)
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        length = syscall(SYS_readlink, link, text, PATH_SIZE);
        if (length <= 0 || length >= PATH_SIZE)
            return false;
        text[length++] = '/';
    }
    if (strlen(path) >= PATH_SIZE)
        return false;
    strcpy(text + length, path);
    return true;
}

static bool is_noted(const char *path)
{
    for (uint32_t i = 0; i < made.names.count; i++)
        if (strcmp(made.texts.at + made.names.at[i].path, path) == 0)
            return true;
    return false;
}

void files_making(int at, const char *path)
{
    static char text[2 * PATH_SIZE]; /* outlives a run: only in its place in memory */
    struct arena *arena = &native.session->arena;
    int error = errno;
    struct stat status;

    if (path && path_absolute(at, path, text) && !is_noted(text)) {
        bool was_there =
            syscall(SYS_newfstatat, AT_FDCWD, text, &status, AT_SYMLINK_NOFOLLOW) == 0 ||
            errno != ENOENT;

        vec_push(arena, &made.names,
                 (struct made){.path = made.texts.count, .was_there = was_there});
        for (const char *c = text; *c; c++)
            vec_push(arena, &made.texts, *c);
        vec_push(arena, &made.texts, 0);
    }
    errno = error;
}

void files_made_restart(void)
{
    while (made.names.count > 0) {
        const struct made *last =
            &made.names.at[--made.names.count]; /* what is in a directory before it */
        const char *path = made.texts.at + last->path;

        if (!last->was_there && syscall(SYS_unlinkat, AT_FDCWD, path, 0) != 0 && errno == EISDIR)
            syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
    }
    made.texts.count = 0;
}

const struct part made_part = {
    .name = "names of files", .state = &made, .size = sizeof made, .restart = files_made_restart};
