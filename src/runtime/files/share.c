#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/files/files.h"
#include "runtime/gate/chance.h"
#include "runtime/hooks/plain.h"

/* Files that several threads use. What is read from one depends on who wrote to it before, and the descriptors of one description share
 * an offset: so while several threads run, reading and writing a file are steps. Inodes of files that a run makes differ from one
 * execution to the next, so files are told apart by their paths; but a file that is open already under another name is the same, and
 * those with several names are told apart by their inodes otherwise. Standard output and error are only written: their order is
 * nobody's business. */

#define PATH_SIZE 4096
#define PIECE     ((size_t)1 << 20)

struct shared {
    uint64_t file;        /* the object of the model, or 0 */
    uint64_t description; /* the same for what shares the offset */
    uint64_t inode;       /* and its device: of what is open, so it stays */
};

/* A file that is mapped: what is done to that memory is not known to be done to the file. */
struct mapping {
    struct mapping *next;
    uint64_t file;
    const char *start;
    size_t size;
    bool shared, writable;
};

static struct {
    struct shared *table;
    uint32_t size;
    struct mapping *mappings;
    struct users cwd_users; /* the directory where the program is */
} shares;

static struct shared *entry_of(int fd)
{
    uint32_t size = shares.size ? shares.size : 64;
    struct shared *grown;

    if (fd < 0)
        return NULL;
    if ((uint32_t)fd >= shares.size) {
        while (size <= (uint32_t)fd)
            size *= 2;
        grown = channels_alloc(size * sizeof *grown);
        if (shares.table)
            memcpy(grown, shares.table, shares.size * sizeof *grown);
        shares.table = grown;
        shares.size = size;
    }
    return &shares.table[fd];
}

/* ---- names */

static uint64_t name_hash(uint64_t hash, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = mix64(hash ^ (unsigned char)text[i]);
    return hash;
}

/* Takes "." and ".." out of an absolute path, in place. */
static void path_settle(char *path)
{
    char *to = path;
    const char *from = path;

    while (*from) {
        size_t length = strcspn(from, "/");

        if (length == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (length && !(length == 1 && from[0] == '.')) {
            *to++ = '/';
            memmove(to, from, length);
            to += length;
        }
        from += length + (from[length] == '/');
    }
    *to = '\0';
}

static uint64_t path_object(const char *path)
{
    return CHANNELS_BY_FILE | (name_hash(1, path, strlen(path)) & CHANNELS_NAME_MASK);
}

static bool path_whole(int at, const char *path, char *whole)
{
    char place[64];
    long length = 0;

    if (path[0] != '/' && at == AT_FDCWD) {
        length = syscall(SYS_getcwd, whole, PATH_SIZE);
        length = length > 0 ? length - 1 : -1;
    } else if (path[0] != '/') {
        snprintf(place, sizeof place, "/proc/self/fd/%d", at);
        length = syscall(SYS_readlink, place, whole, PATH_SIZE);
    }
    if (length < 0 || (size_t)length + strlen(path) + 2 > PATH_SIZE)
        return false;
    snprintf(whole + length, PATH_SIZE - (size_t)length, "/%s", path);
    path_settle(whole);
    return true;
}

static uint64_t inode_of(const struct stat *status)
{
    return mix64(status->st_dev ^ mix64(status->st_ino));
}

/* The object of the file that `fd` is, with what links to it followed; 0 if it has none, or is no file. */
static uint64_t file_object(int fd, const struct stat *status)
{
    uint64_t inode = inode_of(status), object = 0;
    char place[64], *path;
    long length;

    for (uint32_t i = 0; i < shares.size; i++)
        if (shares.table[i].file && shares.table[i].inode == inode)
            return shares.table[i].file;
    /* A directory has one name; what else links to it is in it. */
    if (status->st_nlink > 1 && !S_ISDIR(status->st_mode))
        return CHANNELS_BY_FILE | (inode & CHANNELS_NAME_MASK);
    path = channels_alloc(PATH_SIZE + 1);
    snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
    length = syscall(SYS_readlink, place, path, PATH_SIZE);
    if (status->st_nlink > 0 && length > 0 && length < PATH_SIZE)
        object = path_object(path);
    channels_free(path, PATH_SIZE + 1);
    return object;
}

/* The object of a file by its name; if there is none yet, of one that would be made there. */
static uint64_t named_object(int at, const char *path)
{
    struct stat status;
    uint64_t object = 0;
    char *whole;
    int fd = (int)syscall(SYS_openat, at, path, O_PATH | O_CLOEXEC);

    if (fd >= 0 && syscall(SYS_fstat, fd, &status) == 0)
        object = file_object(fd, &status);
    if (fd >= 0)
        kernel_close(fd);
    if (object)
        return object;
    whole = channels_alloc(PATH_SIZE + 1);
    if (path_whole(at, path, whole))
        object = path_object(whole);
    channels_free(whole, PATH_SIZE + 1);
    return object;
}

static void mapped_used(uint64_t file, bool writes);

static void named(int at, const char *path, bool writes)
{
    uint64_t object;
    int saved = errno;

    if (native.alone)
        return;
    object = named_object(at, path);
    if (object) {
        channels_ask(writes ? OP_FILE_WRITE : OP_FILE_READ, object, 0, 0, 0);
        mapped_used(object, writes);
    }
    errno = saved;
}

void files_named(int at, const char *path, bool writes)
{
    if (!native.current || !path)
        return;
    named(at, path, writes);
}

void files_changed(int at, const char *path)
{
    if (native.current && path)
        named(at, path, true);
}

/* Not tried in both orders, and so named. */
void files_place(bool changes)
{
    if (native.alone)
        return;
    if (shares.cwd_users.phase != native.phase)
        shares.cwd_users = (struct users){.phase = native.phase, .first = native.current->number};
    shares.cwd_users.several |= shares.cwd_users.first != native.current->number;
    shares.cwd_users.changed |= changes;
    if (shares.cwd_users.several && shares.cwd_users.changed)
        native_unsupported("chdir while other threads use names relative to the directory");
}

/* ---- descriptors */

void files_shared_opened(int fd)
{
    struct shared *entry, opened = {0};
    struct stat status;
    int saved = errno;

    if (!native.current || fd < 0)
        return;
    entry = entry_of(fd);
    memset(entry, 0, sizeof *entry);
    if (syscall(SYS_fstat, fd, &status) == 0)
        chance_device(fd, &status);
    else
        status.st_mode = 0;
    if (S_ISREG(status.st_mode)) {
        opened.description = channels_name();
        opened.inode = inode_of(&status);
        opened.file = file_object(fd, &status);
        if (!opened.file)
            opened.file = opened.description; /* nobody can find it by a name */
        *entry_of(fd) = opened;
    }
    errno = saved;
}

void files_shared_copied(int from, int to)
{
    struct shared copy = *entry_of(from);

    *entry_of(to) = copy;
}

void files_shared_closed(int fd)
{
    uint64_t description;
    bool open = false;

    if (fd < 0 || (uint32_t)fd >= shares.size)
        return;
    description = shares.table[fd].description;
    memset(&shares.table[fd], 0, sizeof shares.table[fd]);
    for (uint32_t i = 0; description && i < shares.size; i++)
        open |= shares.table[i].description == description;
    if (native.current && description && !open)
        files_lock_closed(description);
}

bool files_identity(int fd, uint64_t *file, uint64_t *description)
{
    if (fd < 0 || (uint32_t)fd >= shares.size || !shares.table[fd].file)
        return false;
    *file = shares.table[fd].file;
    *description = shares.table[fd].description;
    return true;
}

/* The step; true if `fd` is still what it was before it. */
static bool shared_step(int fd, bool writes, bool moves)
{
    struct op op = native_op(writes ? OP_FILE_WRITE : OP_FILE_READ, NULL);
    uint64_t number = channels_number(fd);
    uint32_t version = channels_version(fd);
    const struct shared *entry = entry_of(fd);

    if (entry->file && fd != STDOUT_FILENO && fd != STDERR_FILENO) {
        op.addr = entry->file;
        op.mutex = moves ? entry->description : 0;
        op.value = number; /* in one step: else whoever closes it could come between */
        native_ask(&op);
        mapped_used(op.addr, writes);
    } else if (number) {
        channels_ask(OP_CHANNEL_LOOK, number, 0, 0, 0);
    } else if (fd == STDIN_FILENO) {
        channels_ask(OP_CHANNEL_USE, CHANNELS_BY_FILE | (uint64_t)fd, 0, 0, 0);
    }
    return channels_version(fd) == version;
}

/* A number that has come to stand for another file meanwhile is used as that one. */
bool files_shared(int fd, bool writes, bool moves)
{
    int saved = errno;
    bool same = true;

    if (!native.current || native.alone || fd < 0)
        return true;
    do
        same = shared_step(fd, writes, moves);
    while (!same && !channels_find(fd));
    errno = saved;
    return same;
}

/* ---- mapped files */

/* The order of accesses to mapped memory and of reads and writes of the file is not explored. */
static void mapped_used(uint64_t file, bool writes)
{
    for (const struct mapping *m = shares.mappings; m; m = m->next)
        if (m->file == file && (writes || (m->shared && m->writable)))
            native_unsupported("a file that is mapped, and changed, and used otherwise, too");
}

void files_mapped(int fd, const void *start, size_t size, bool shared, bool writable)
{
    const struct shared *entry = fd < 0 ? NULL : entry_of(fd);
    struct mapping *m;

    if (!entry || !entry->file)
        return;
    for (const struct mapping *other = shares.mappings; other; other = other->next)
        if (other->file == entry->file &&
            ((shared && writable) || (other->shared && other->writable)))
            native_unsupported("a file that is mapped twice, and changed");
    m = channels_alloc(sizeof *m);
    *m = (struct mapping){shares.mappings, entry->file, start, size, shared, writable};
    shares.mappings = m;
}

void files_unmapped(const void *start, size_t size)
{
    for (struct mapping **m = &shares.mappings; *m;) {
        if ((*m)->start >= (const char *)start &&
            (*m)->start + (*m)->size <= (const char *)start + size)
            *m = (*m)->next;
        else
            m = &(*m)->next;
    }
}

void files_mapped_writable(const void *start, size_t size)
{
    for (struct mapping *m = shares.mappings; m; m = m->next)
        if (m->start < (const char *)start + size && (const char *)start < m->start + m->size) {
            m->writable = true;
            for (const struct mapping *other = shares.mappings; m->shared && other;
                 other = other->next)
                if (other != m && other->file == m->file)
                    native_unsupported("a file that is mapped twice, and changed");
        }
}

/* ---- the memory on the other side: as it is at the call, and changed by as much as came */

static ssize_t read_at(int fd, void *to, size_t n, int64_t at)
{
    return at == FILES_HERE ? syscall(SYS_read, fd, to, n) : syscall(SYS_pread64, fd, to, n, at);
}

ssize_t files_read_at(int fd, void *to, size_t n, int64_t at)
{
    char *bytes;
    ssize_t got;

    if (native.alone || n > PIECE || n == 0) {
        native_writes(to, n);
        files_touch_read(fd, to, n);
        return read_at(fd, to, n, at);
    }
    bytes = channels_alloc(n);
    got = read_at(fd, bytes, n, at);
    if (got > 0) {
        native_writes(to, (size_t)got);
        memcpy(to, bytes, (size_t)got);
    }
    channels_free(bytes, n);
    return got;
}

/* ---- the part */

static void restart(void)
{
    memset(&shares, 0, sizeof shares);
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !shares.table && !shares.mappings;
}

const struct part shares_part = {.name = "shared files",
                                 .state = &shares,
                                 .size = sizeof shares,
                                 .restart = restart,
                                 .fingerprint = fingerprint};
