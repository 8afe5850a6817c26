#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/files/files.h"
#include "runtime/library/library.h"
#include "runtime/program/native.h"

/* Names in the file system. A cell stands for all files with names of one length, whatever directory they are in: so it does not matter where
 * paths start, nor that parts of names are drawn by lot (mkdtemp) and differ in each execution. A path is looked up by reading the cells of all its parts; making or removing a file changes that of its last part. One more cell stands for what
 * directories hold: who makes or removes reads it, as the order of two that do so does not show there, and who lists a directory changes it. */

#define NAME_CELLS 256

/* Of the part, but apart: reports name what is read and changed by its symbol. */
static uint64_t state_of_files[NAME_CELLS];
static uint64_t state_of_directories; /* of the part, but apart: the same */

static struct {
    bool used;
} paths;

static void restart(void)
{
    if (!paths.used)
        return;
    memset(state_of_files, 0, sizeof state_of_files);
    state_of_directories = 0;
    paths.used = false;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !paths.used;
}

const struct part paths_part = {.name = "paths",
                                .state = &paths,
                                .size = sizeof paths,
                                .restart = restart,
                                .fingerprint = fingerprint};

static void cell_read(const struct library_call *call, uint64_t *cell)
{
    __raddle_load8(cell, 4, call->site);
}

static void cell_change(const struct library_call *call, uint64_t *cell)
{
    paths.used = true;
    __raddle_rmw8(cell, 1, 4 | HOOK_ADD << 8, call->site);
}

static uint64_t *cell_of(size_t length)
{
    return &state_of_files[length % NAME_CELLS];
}

/* The next part of a path; its length is 0 at the end. */
static const char *part_next(const char *at, size_t *length)
{
    at += strspn(at, "/");
    *length = strcspn(at, "/");
    return at;
}

static void path_walk(const struct library_call *call, const char *path, bool changes)
{
    size_t length, next_length;
    const char *part = part_next(path, &length);

    while (length > 0) {
        const char *next = part_next(part + length, &next_length);

        if (next_length == 0 && changes)
            cell_change(call, cell_of(length));
        else
            cell_read(call, cell_of(length));
        part = next;
        length = next_length;
    }
    if (changes)
        cell_read(call, &state_of_directories);
}

/* A file that is there already is not made. Asked when the cells have been read: nobody has come between. */
static bool is_there(const char *path)
{
    return syscall(SYS_faccessat, AT_FDCWD, path, F_OK, 0) == 0;
}

static void path_open(const struct library_call *call, const char *path, bool makes, bool empties)
{
    path_walk(call, path, false);
    if (empties || (makes && !is_there(path)))
        path_walk(call, path, true);
}

void library_path_use(const struct library_call *call, const struct library_access *access)
{
    const char *path = library_pointer(call, access->arg);
    uint64_t flags = library_argument(call, access->a);
    const char *mode = library_pointer(call, access->a);

    if (!path)
        return;
    if (*path != '/')
        files_place(false);
    switch ((enum library_access_kind)access->kind) {
    case ACCESS_OPENS:
        path_open(call, path, flags & O_CREAT, flags & O_TRUNC);
        break;
    case ACCESS_OPENS_STREAM:
        path_open(call, path, mode && *mode != 'r', mode && *mode == 'w');
        break;
    case ACCESS_LISTS:
        path_walk(call, path, false);
        cell_change(call, &state_of_directories);
        break;
    default:
        path_walk(call, path, access->kind == ACCESS_CHANGES);
    }
}

void library_file_use(const struct library_call *call, const struct library_access *access)
{
    int fd = (int)library_argument(call, access->arg);

    if (access->kind == ACCESS_CHANGES_FILE) {
        fd = access->a == LIBRARY_NO_ARG ? AT_FDCWD : (int)library_argument(call, access->a);
        files_changed(fd, library_pointer(call, access->arg));
        return;
    }
    if (access->kind == ACCESS_USES_FILE)
        channels_use(fd);
    else if (!channels_or_file(fd))
        files_shared(fd, true, false);
}
