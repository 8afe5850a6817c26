#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/channels.h"
#include "runtime/files.h"
#include "runtime/kernel.h"
#include "runtime/plain.h"

/* Files that several threads use. What is read from one depends on who wrote to it before, and the descriptors of one description share
 * an offset: so while several threads run, reading and writing a file are steps. Files are told apart by their paths (those with several
 * names by their inodes); symbolic links within a path are not followed for files that are emptied or asked for by name. Standard output and error are only written: their order is nobody's business. */

#define PATH_SIZE 4096
#define PIECE     ((size_t)1 << 20)

struct shared {
    uint64_t file;        /* the object of the model, or 0 */
    uint64_t description; /* the same for what shares the offset */
};

static struct shared *table;
static uint32_t table_size;

void files_share_restart(void)
{
    table = NULL;
    table_size = 0;
}

static struct shared *entry_of(int fd)
{
    uint32_t size = table_size ? table_size : 64;
    struct shared *grown;

    if (fd < 0)
        return NULL;
    if ((uint32_t)fd >= table_size) {
        while (size <= (uint32_t)fd)
            size *= 2;
        grown = channels_alloc(size * sizeof *grown);
        if (table)
            memcpy(grown, table, table_size * sizeof *grown);
        table = grown;
        table_size = size;
    }
    return &table[fd];
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

void files_named(int at, const char *path, bool writes)
{
    char *whole;
    int saved = errno;

    if (!native.current || !path)
        return;
    if (writes)
        files_making(at, path);
    if (native.alone)
        return;
    whole = channels_alloc(PATH_SIZE + 1);
    if (path_whole(at, path, whole))
        channels_ask(writes ? OP_FILE_WRITE : OP_FILE_READ, path_object(whole), 0, 0, 0);
    channels_free(whole, PATH_SIZE + 1);
    errno = saved;
}

/* ---- descriptors */

void files_shared_opened(int fd)
{
    struct stat status;
    char place[64], *path;
    struct shared *entry;
    long length;
    int saved = errno;

    if (!native.current || fd < 0)
        return;
    entry = entry_of(fd);
    memset(entry, 0, sizeof *entry);
    if (syscall(SYS_fstat, fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        errno = saved;
        return;
    }
    entry->description = channels_name();
    entry->file = entry->description;
    if (status.st_nlink == 1) {
        path = channels_alloc(PATH_SIZE + 1);
        snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
        length = syscall(SYS_readlink, place, path, PATH_SIZE);
        if (length > 0 && length < PATH_SIZE)
            entry->file = path_object(path);
        channels_free(path, PATH_SIZE + 1);
    } else if (status.st_nlink > 1) {
        entry->file =
            CHANNELS_BY_FILE | (mix64(status.st_dev ^ mix64(status.st_ino)) & CHANNELS_NAME_MASK);
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
    if (fd >= 0 && (uint32_t)fd < table_size)
        memset(&table[fd], 0, sizeof table[fd]);
}

void files_shared(int fd, bool writes, bool moves)
{
    struct op op = native_op(writes ? OP_FILE_WRITE : OP_FILE_READ, NULL);
    const struct shared *entry;
    int saved = errno;

    if (!native.current || native.alone || fd < 0 || fd == STDOUT_FILENO || fd == STDERR_FILENO)
        return;
    entry = entry_of(fd);
    if (entry->file) {
        op.addr = entry->file;
        op.mutex = moves ? entry->description : 0;
        native_ask(&op);
    } else if (fd == STDIN_FILENO) {
        channels_ask(OP_CHANNEL_USE, CHANNELS_BY_FILE | (uint64_t)fd, 0, 0, 0);
    }
    errno = saved;
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
