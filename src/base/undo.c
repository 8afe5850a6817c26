#include "base/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PATH_SIZE       4096
#define ATTRIBUTES_SIZE 65536
#define PIECE           65536

/* ---- the kernel */

static bool status_of(const char *path, struct stat *status)
{
    return syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* What an open descriptor is called now. False if its file has no name any more. */
static bool path_of_open(long fd, char *path)
{
    char place[32];
    long length;
    struct stat open, named;

    snprintf(place, sizeof place, "/proc/self/fd/%ld", fd);
    length = syscall(SYS_readlink, place, path, PATH_SIZE - 1);
    if (length <= 0 || length >= PATH_SIZE - 1 || path[0] != '/')
        return false;
    path[length] = '\0';
    return syscall(SYS_fstat, fd, &open) == 0 && status_of(path, &named) &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The directory of a name that is not there, and the name. */
static bool path_of_missing(int at, const char *path, char *whole)
{
    char directory[PATH_SIZE];
    size_t length = strlen(path), used;
    long fd;
    bool found;

    while (length > 1 && path[length - 1] == '/')
        length--; /* mkdir takes such a name */
    if (length == 0 || length >= PATH_SIZE)
        return false;
    memcpy(directory, path, length);
    directory[length] = '\0';
    used = (size_t)(last_part(directory) - directory);
    path = path + used;
    length -= used;
    if (used > 0)
        directory[used] = '\0';
    else
        strcpy(directory, ".");
    fd = syscall(SYS_openat, at, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    found = path_of_open(fd, whole) && strlen(whole) + length + 2 < PATH_SIZE;
    syscall(SYS_close, fd);
    used = found ? strlen(whole) : 0;
    used -= used == 1; /* the root */
    if (found)
        snprintf(whole + used, PATH_SIZE - used, "/%.*s", (int)length, path);
    return found;
}

/* A link that leads to nothing: where it leads, relative to the directory of `whole`. */
static bool link_step(char *whole)
{
    char target[PATH_SIZE], next[PATH_SIZE];
    long length = syscall(SYS_readlink, whole, target, sizeof target - 1);
    size_t directory = (size_t)(last_part(whole) - whole);

    if (length <= 0 || directory + (size_t)length + 1 >= PATH_SIZE)
        return false;
    target[length] = '\0';
    snprintf(next, sizeof next, "%.*s%s", target[0] == '/' ? 0 : (int)directory, whole, target);
    return path_of_missing(AT_FDCWD, next, whole);
}

/* What the name is called in full. False if nothing can be done by it. */
static bool path_settle(int at, const char *path, unsigned how, char *whole)
{
    int follow = how & UNDO_FOLLOW ? 0 : O_NOFOLLOW;
    long fd = syscall(SYS_openat, at, path, O_PATH | O_CLOEXEC | follow);
    bool found;

    if (fd >= 0) {
        found = path_of_open(fd, whole);
        syscall(SYS_close, fd);
        return found;
    }
    if (errno != ENOENT || !path_of_missing(at, path, whole))
        return false;
    for (int i = 0; i < 8 && how & UNDO_FOLLOW; i++)
        if (!link_step(whole))
            break;
    return true;
}

/* ---- keeping */

static void *copy(struct arena *arena, const void *from, size_t size)
{
    return size ? memcpy(arena_alloc(arena, size), from, size) : NULL;
}

/* Where the kernel shows itself in files: /proc, /sys and their like. */
static bool is_of_kernel(const char *directory)
{
    static const uint32_t kinds[] = {0x9fa0,     0x62656572, 0x27e0eb,   0x63677270, 0x64626720,
                                     0x74726163, 0x73636673, 0xf97cff8c, 0xcafe4a11, 0x62656570,
                                     0x1cd1,     0x42494e4d, 0xde5e81e4, 0x6165676c, 0x19800202};
    struct statfs system;

    if (syscall(SYS_statfs, directory, &system) != 0)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)system.f_type == kinds[i])
            return true;
    return false;
}

/* Devices that forget what is written to them: null, zero, full; and terminals, where it is output. */
static bool is_harmless(const struct stat *status)
{
    unsigned number = minor(status->st_rdev);

    return S_ISCHR(status->st_mode) &&
           ((major(status->st_rdev) == 1 && (number == 3 || number == 5 || number == 7)) ||
            major(status->st_rdev) == 5 || major(status->st_rdev) == 136);
}

static bool content_keep(struct undo_name *name, struct arena *arena)
{
    long fd, got;
    size_t done = 0;

    name->content = arena_alloc(arena, name->size + 1);
    name->content_size = name->size + 1;
    if (S_ISLNK(name->mode)) {
        got = syscall(SYS_readlink, name->path, name->content, name->size + 1);
        if (got == (long)name->size)
            name->content[name->size] = '\0';
        return got == (long)name->size;
    }
    fd = syscall(SYS_openat, AT_FDCWD, name->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    do {
        got = fd < 0 ? -1 : syscall(SYS_pread64, fd, name->content + done, name->size - done, done);
        done += got > 0 ? (size_t)got : 0;
    } while (got > 0 && done < name->size);
    if (fd >= 0)
        syscall(SYS_close, fd);
    return fd >= 0 && done == name->size;
}

static void attributes_keep(struct undo_name *name, struct arena *arena)
{
    /* outlives a run: only in their place in memory */
    static char names[ATTRIBUTES_SIZE], all[ATTRIBUTES_SIZE];
    long length = syscall(SYS_llistxattr, name->path, names, sizeof names);
    size_t used = 0;

    for (const char *at = names; length > 0 && at < names + length; at += strlen(at) + 1) {
        size_t head = strlen(at) + 1 + sizeof(uint64_t);
        uint64_t size;
        long got;

        if (used + head >= sizeof all)
            break;
        got = syscall(SYS_lgetxattr, name->path, at, all + used + head, sizeof all - used - head);
        if (got < 0)
            continue;
        size = (uint64_t)got;
        memcpy(all + used, at, strlen(at) + 1);
        memcpy(all + used + strlen(at) + 1, &size, sizeof size);
        used += head + size;
    }
    name->attributes = copy(arena, all, used);
    name->attributes_size = used;
}

static void status_keep(struct undo_name *name, const struct stat *status)
{
    name->was_there = true;
    name->mode = status->st_mode;
    name->user = status->st_uid;
    name->group = status->st_gid;
    name->links = (uint32_t)status->st_nlink;
    name->device = status->st_dev;
    name->inode = status->st_ino;
    name->special = status->st_rdev;
    name->size = (size_t)status->st_size;
    name->times[0] = status->st_atim;
    name->times[1] = status->st_mtim;
}

/* Puts the directory of the name into `directory`; false if that has no room. */
static bool parent_of(const char *path, char directory[PATH_SIZE])
{
    size_t length = (size_t)(last_part(path) - path);

    if (length == 0 || length >= PATH_SIZE)
        return false;
    memcpy(directory, path, length);
    directory[length > 1 ? length - 1 : 1] = '\0';
    return true;
}

/* What was kept of the name since the last fence, if it serves for such a change, too. */
static bool is_kept(const struct undo *undo, const char *path, unsigned how)
{
    for (uint32_t i = undo->names.count; i-- > undo->fence;) {
        const struct undo_name *name = &undo->names.at[i];

        if (strcmp(name->path, path) == 0)
            return !name->was_there || name->content || S_ISDIR(name->mode) ||
                   !(how & UNDO_CONTENT);
    }
    return false;
}

/* Whether what is there can be kept at all, before a change of that kind. */
static enum undo_result judge(const struct undo *undo, const char *directory,
                              const struct stat *status, unsigned how)
{
    bool file = S_ISREG(status->st_mode);

    if (is_of_kernel(directory))
        return UNDO_STRANGE;
    if (how & UNDO_CONTENT && !(how & UNDO_NAME) && !file && !S_ISDIR(status->st_mode))
        return is_harmless(status) ? UNDO_KEPT : UNDO_STRANGE;
    if (how & UNDO_NAME && !S_ISDIR(status->st_mode) && status->st_nlink > 1)
        return UNDO_LINKED;
    if (how & UNDO_CONTENT && file &&
        ((size_t)status->st_size > UNDO_FILE_MAX ||
         undo->kept + (size_t)status->st_size > UNDO_TOTAL_MAX))
        return UNDO_TOO_LARGE;
    return UNDO_KEPT;
}

static enum undo_result keep_whole(struct undo *undo, struct arena *arena, const char *path,
                                   unsigned how)
{
    struct undo_name name = {0};
    struct stat status, parent;
    char directory[PATH_SIZE];
    enum undo_result result = UNDO_KEPT;

    if (is_kept(undo, path, how))
        return UNDO_KEPT;
    name.path = copy(arena, path, strlen(path) + 1);
    if (parent_of(path, directory) && status_of(directory, &parent)) {
        name.parent_times[0] = parent.st_atim;
        name.parent_times[1] = parent.st_mtim;
    }
    if (status_of(path, &status)) {
        result = judge(undo, directory, &status, how);
        if (result != UNDO_KEPT || is_harmless(&status)) {
            arena_free(arena, name.path, strlen(path) + 1);
            return result;
        }
        status_keep(&name, &status);
        attributes_keep(&name, arena);
        if (how & UNDO_CONTENT && (S_ISREG(name.mode) || S_ISLNK(name.mode)) &&
            !content_keep(&name, arena))
            result = UNDO_STRANGE;
        undo->kept += name.content_size;
    } else if (is_of_kernel(directory)) {
        result = UNDO_STRANGE;
    }
    undo->outside = true;
    vec_push(arena, &undo->names, name);
    return result;
}

enum undo_result undo_keep(struct undo *undo, struct arena *arena, int at, const char *path,
                           unsigned how)
{
    char whole[PATH_SIZE];
    int error = errno;
    enum undo_result result = UNDO_KEPT;

    if (path_settle(at, path, how, whole))
        result = keep_whole(undo, arena, whole, how);
    else if (errno == EMFILE || errno == ENFILE)
        result = UNDO_STRANGE;
    errno = error;
    return result;
}

enum undo_result undo_keep_open(struct undo *undo, struct arena *arena, int fd, unsigned how)
{
    char whole[PATH_SIZE];
    int error = errno;
    struct stat status;
    enum undo_result result = UNDO_KEPT;

    if (path_of_open(fd, whole))
        result = keep_whole(undo, arena, whole, how);
    else if (syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink)
        result = UNDO_LINKED; /* it has a name that is not known */
    errno = error;
    return result;
}

void undo_move_begins(struct undo *undo, int at, const char *path)
{
    struct stat status;
    int error = errno;

    if (syscall(SYS_newfstatat, at, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(status.st_mode))
        undo->fence = undo->names.count;
    errno = error;
}

void undo_call_add(struct undo *undo, struct arena *arena, const struct undo_call *call,
                   int pointer)
{
    struct undo_call added = *call;

    added.data = copy(arena, call->data, call->data_size);
    if (pointer >= 0)
        added.arguments[pointer] = (long)added.data;
    undo->outside |= added.outlives;
    vec_push(arena, &undo->calls, added);
}

/* ---- putting back */

/* Numbers of files that are gone are used again: a file is taken for the one that was kept only if it could become it. */
static bool is_same(const struct undo_name *name, const struct stat *now)
{
    return name->was_there && now->st_dev == name->device && now->st_ino == name->inode &&
           (now->st_mode & S_IFMT) == (name->mode & S_IFMT);
}

static bool is_in_place(const struct undo_name *name)
{
    struct stat now;
    char target[PATH_SIZE];

    if (!status_of(name->path, &now) || !is_same(name, &now))
        return false;
    return !S_ISLNK(name->mode) || !name->content ||
           (syscall(SYS_readlink, name->path, target, sizeof target) == (long)name->size &&
            memcmp(target, name->content, name->size) == 0);
}

/* A name from before `i` that the file stood for which is now called otherwise; NULL if there is none. */
static const struct undo_name *owner_of(const struct undo *undo, uint32_t i, const struct stat *now)
{
    while (i-- > 0) {
        const struct undo_name *name = &undo->names.at[i];

        if (is_same(name, now))
            return is_in_place(name) ? NULL : name;
    }
    return NULL;
}

/* Takes away what is called so now: back to where it was, or for good. */
static bool clear(const struct undo *undo, uint32_t i)
{
    const char *path = undo->names.at[i].path;
    const struct undo_name *owner;
    struct stat now;

    if (!status_of(path, &now))
        return errno == ENOENT || errno == ENOTDIR;
    owner = owner_of(undo, i, &now);
    if (owner)
        return syscall(SYS_rename, path, owner->path) == 0;
    return syscall(SYS_unlinkat, AT_FDCWD, path, S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0) == 0;
}

static bool make(const struct undo_name *name)
{
    long fd;

    switch (name->mode & S_IFMT) {
    case S_IFREG:
        fd = syscall(SYS_openat, AT_FDCWD, name->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                     0600);
        if (fd >= 0)
            syscall(SYS_close, fd);
        return fd >= 0 && name->content;
    case S_IFLNK:
        return name->content && syscall(SYS_symlink, name->content, name->path) == 0;
    case S_IFDIR:
        return syscall(SYS_mkdir, name->path, 0700) == 0;
    default:
        return syscall(SYS_mknod, name->path, name->mode, name->special) == 0;
    }
}

/* Writes what differs: most often nothing does. */
static bool content_write(const struct undo_name *name, long fd)
{
    char piece[PIECE];
    bool ok = true;
    struct stat now;

    for (size_t done = 0; ok && done < name->size;) {
        size_t size = name->size - done < PIECE ? name->size - done : PIECE;
        long got = syscall(SYS_pread64, fd, piece, size, done);

        if (got != (long)size || memcmp(piece, name->content + done, size) != 0)
            ok = syscall(SYS_pwrite64, fd, name->content + done, size, done) == (long)size;
        done += size;
    }
    if (syscall(SYS_fstat, fd, &now) != 0 || (size_t)now.st_size != name->size)
        ok &= syscall(SYS_ftruncate, fd, name->size) == 0;
    return ok;
}

static bool content_restore(const struct undo_name *name)
{
    long fd = syscall(SYS_openat, AT_FDCWD, name->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    bool ok;

    if (fd < 0) { /* its mode comes later */
        syscall(SYS_chmod, name->path, 0600);
        fd = syscall(SYS_openat, AT_FDCWD, name->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0)
        return false;
    ok = content_write(name, fd);
    syscall(SYS_close, fd);
    return ok;
}

static bool has_attribute(const struct undo_name *name, const char *attribute)
{
    const char *at = name->attributes;

    while (at && at < name->attributes + name->attributes_size) {
        uint64_t size;

        if (strcmp(at, attribute) == 0)
            return true;
        at += strlen(at) + 1;
        memcpy(&size, at, sizeof size);
        at += sizeof size + size;
    }
    return false;
}

static bool attributes_restore(const struct undo_name *name)
{
    static char names[ATTRIBUTES_SIZE]; /* outlives a run: only in its place in memory */
    long length = syscall(SYS_llistxattr, name->path, names, sizeof names);
    const char *at = name->attributes;
    bool ok = true;

    for (const char *now = names; length > 0 && now < names + length; now += strlen(now) + 1)
        if (!has_attribute(name, now))
            ok &= syscall(SYS_lremovexattr, name->path, now) == 0;
    while (at && at < name->attributes + name->attributes_size) {
        const char *value = at + strlen(at) + 1 + sizeof(uint64_t);
        char held[256];
        uint64_t size;

        memcpy(&size, value - sizeof size, sizeof size);
        if (size > sizeof held ||
            syscall(SYS_lgetxattr, name->path, at, held, sizeof held) != (long)size ||
            memcmp(held, value, size) != 0)
            ok &= syscall(SYS_lsetxattr, name->path, at, value, size, 0) == 0;
        at = value + size;
    }
    return ok;
}

static bool status_restore(const struct undo_name *name)
{
    struct stat now;
    bool ok = status_of(name->path, &now);

    if (ok && (now.st_uid != name->user || now.st_gid != name->group))
        ok &= syscall(SYS_lchown, name->path, name->user, name->group) == 0;
    if (ok && !S_ISLNK(name->mode) && (now.st_mode != name->mode || now.st_uid != name->user))
        ok &= syscall(SYS_chmod, name->path, name->mode & 07777) == 0;
    ok &= attributes_restore(name);
    ok &= syscall(SYS_utimensat, AT_FDCWD, name->path, name->times, AT_SYMLINK_NOFOLLOW) == 0;
    return ok;
}

static bool name_restore(const struct undo *undo, uint32_t i)
{
    const struct undo_name *name = &undo->names.at[i];
    char directory[PATH_SIZE];
    bool ok = true;

    if (!name->was_there || !is_in_place(name))
        ok = clear(undo, i) && (!name->was_there || make(name));
    if (ok && name->was_there && name->content && S_ISREG(name->mode))
        ok = content_restore(name);
    if (name->was_there)
        ok &= status_restore(name);
    if (parent_of(name->path, directory))
        syscall(SYS_utimensat, AT_FDCWD, directory, name->parent_times, 0);
    return ok;
}

static void name_free(struct arena *arena, const struct undo_name *name)
{
    arena_free(arena, name->path, strlen(name->path) + 1);
    arena_free(arena, name->content, name->content_size);
    arena_free(arena, name->attributes, name->attributes_size);
}

bool undo_all(struct undo *undo, struct arena *arena, bool died)
{
    bool ok = true;

    while (undo->calls.count > 0) {
        struct undo_call *call = &undo->calls.at[undo->calls.count - 1];
        const long *a = call->arguments;

        if (!died || call->outlives)
            ok &= syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]) >= 0 ||
                  call->outlives; /* it may be gone already */
        arena_free(arena, call->data, call->data_size);
        undo->calls.count--;
    }
    for (uint32_t i = undo->names.count; i-- > 0;) {
        ok &= name_restore(undo, i);
        name_free(arena, &undo->names.at[i]);
        undo->names.count = i;
    }
    undo->fence = 0;
    undo->kept = 0;
    return ok;
}
