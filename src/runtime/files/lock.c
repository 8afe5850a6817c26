#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/files/files.h"

/* Locks of files: flock, and those of fcntl that belong to an open file (F_OFD_SETLK). They keep apart whoever has opened the file by
 * himself, so they are operations of the model, and the kernel is not told. The others of fcntl, and lockf, belong to the process: its
 * threads never wait for each other there. A lock is a channel with room for WHOLE units: who locks alone puts in all, who shares puts in one. */

#define WHOLE 1000

/* A lock that an open file has. Flock locks all of the file: from 0 to FILE_END. */
#define FILE_END INT64_MAX

struct lock {
    struct lock *next;
    uint64_t file, description;
    int64_t first, last;
    bool flock;
    uint32_t units; /* 0: it was given back */
    struct users users;
};

struct process_lock {
    struct process_lock *next;
    uint64_t file;
};

static struct {
    struct lock *locks;
    struct process_lock *of_process;
} file_locks;

static uint64_t object_of(const struct lock *lock)
{
    uint64_t range = mix64((uint64_t)lock->first) ^ mix64(mix64((uint64_t)lock->last));

    return CHANNELS_BY_FILE | (mix64(lock->file ^ range ^ lock->flock) & CHANNELS_NAME_MASK);
}

/* The threads of one open file share its lock: who of them changed it last is not part of the model. */
static void users_check(struct lock *lock)
{
    if (native.alone)
        return;
    if (lock->users.phase != native.phase)
        lock->users = (struct users){.phase = native.phase, .first = native.current->number};
    if (lock->users.first != native.current->number)
        native_unsupported("a lock of one open file that several threads use");
}

/* Ranges that overlap, and are not the same, are not modelled. */
static void overlap_check(const struct lock *lock)
{
    for (const struct lock *other = file_locks.locks; other; other = other->next)
        if (other->file == lock->file && !other->flock && !lock->flock &&
            other->first <= lock->last && lock->first <= other->last &&
            (other->first != lock->first || other->last != lock->last))
            native_unsupported("locks of parts of a file that overlap");
}

static void process_check(uint64_t file, bool mine)
{
    bool other = false;

    for (const struct lock *lock = file_locks.locks; mine && lock; lock = lock->next)
        other |= lock->file == file && !lock->flock;
    for (const struct process_lock *lock = file_locks.of_process; !mine && lock; lock = lock->next)
        other |= lock->file == file;
    if (other)
        native_unsupported("locks of the process and of open files on one file");
}

/* The lock that the open file has or had there, or one that it has not got yet. */
static struct lock *lock_find(const struct lock *wanted)
{
    struct lock *lock = file_locks.locks;

    while (lock && (lock->description != wanted->description || lock->first != wanted->first ||
                    lock->last != wanted->last || lock->flock != wanted->flock))
        lock = lock->next;
    if (!lock) {
        overlap_check(wanted);
        if (!wanted->flock)
            process_check(wanted->file, false);
        lock = channels_alloc(sizeof *lock);
        *lock = *wanted;
        lock->next = file_locks.locks;
        file_locks.locks = lock;
    }
    users_check(lock);
    return lock;
}

static void lock_give_back(struct lock *lock)
{
    uint32_t units = lock->units;

    lock->units = 0;
    if (units)
        channels_ask(OP_FILE_UNLOCK, object_of(lock), units, WHOLE, 0);
}

/* One that is held otherwise is given back first: another thread may come between, as the kernel has it for flock. */
static int lock_take(struct lock *lock, uint32_t units, bool waits, int fd)
{
    int64_t got;

    if (lock->units == units)
        return 0;
    if (lock->units && !lock->flock)
        native_unsupported("a lock of an open file that changes its kind");
    lock_give_back(lock);
    channels_named("lock of the file", object_of(lock), fd);
    got = channels_ask(waits ? OP_FILE_LOCK : OP_FILE_TRYLOCK, object_of(lock), units, WHOLE,
                       CHANNEL_WHOLE);
    if (got < 0)
        return channels_fail((int)-got);
    lock->units = units;
    return 0;
}

/* All that lies within the range; what lies there only in part is not modelled. */
static void locks_give_back(uint64_t description, bool flock, int64_t first, int64_t last)
{
    for (struct lock *lock = file_locks.locks; lock; lock = lock->next) {
        if (lock->description != description || lock->flock != flock || !lock->units ||
            lock->last < first || lock->first > last)
            continue;
        if (lock->first < first || lock->last > last)
            native_unsupported("locks of parts of a file that overlap");
        users_check(lock);
        lock_give_back(lock);
    }
}

void files_lock_closed(uint64_t description)
{
    locks_give_back(description, true, 0, FILE_END);
    locks_give_back(description, false, 0, FILE_END);
}

/* ---- flock */

REAL_CALL(flock)
INTERPOSE int flock(int fd, int operation)
{
    struct lock wanted = {.last = FILE_END, .flock = true};
    int how = operation & ~LOCK_NB;

    if (!native.current)
        return REAL(flock)(fd, operation);
    channels_use(fd);
    if (!files_identity(fd, &wanted.file, &wanted.description)) {
        if (!native.alone && syscall(SYS_fcntl, fd, F_GETFD) >= 0)
            native_unsupported("flock of what is not a file that the program has opened");
        return REAL(flock)(fd, operation | LOCK_NB);
    }
    if (how == LOCK_UN)
        return locks_give_back(wanted.description, true, 0, FILE_END), 0;
    if (how != LOCK_SH && how != LOCK_EX)
        return channels_fail(EINVAL);
    return lock_take(lock_find(&wanted), how == LOCK_EX ? WHOLE : 1, !(operation & LOCK_NB), fd);
}

/* ---- fcntl */

/* The bytes that it means. False if there are none. */
static bool range_of(int fd, const struct flock *asked, int64_t *first, int64_t *last)
{
    struct stat status = {0};
    int64_t start = asked->l_start;

    if (asked->l_whence == SEEK_CUR)
        start += syscall(SYS_lseek, fd, 0L, SEEK_CUR);
    else if (asked->l_whence == SEEK_END && syscall(SYS_fstat, fd, &status) == 0)
        start += status.st_size;
    else if (asked->l_whence != SEEK_SET)
        return false;
    *first = asked->l_len < 0 ? start + asked->l_len : start;
    *last = asked->l_len < 0 ? start - 1 : asked->l_len == 0 ? FILE_END : start + asked->l_len - 1;
    return *first >= 0 && *last >= *first;
}

static bool may_lock(int fd, int type)
{
    int mode = (int)syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;

    return type == F_UNLCK || mode == O_RDWR || mode == (type == F_RDLCK ? O_RDONLY : O_WRONLY);
}

static int open_file_lock(int fd, bool waits, const struct flock *asked)
{
    struct lock wanted = {0};

    if (!files_identity(fd, &wanted.file, &wanted.description)) {
        native_unsupported("a lock of what is not a file that the program has opened");
        return 0;
    }
    if (asked->l_pid != 0 || !range_of(fd, asked, &wanted.first, &wanted.last))
        return channels_fail(EINVAL);
    if (asked->l_type != F_RDLCK && asked->l_type != F_WRLCK && asked->l_type != F_UNLCK)
        return channels_fail(EINVAL);
    if (!may_lock(fd, asked->l_type))
        return channels_fail(EBADF);
    if (asked->l_type == F_UNLCK)
        return locks_give_back(wanted.description, false, wanted.first, wanted.last), 0;
    return lock_take(lock_find(&wanted), asked->l_type == F_WRLCK ? WHOLE : 1, waits, fd);
}

void files_lock_process(int fd)
{
    uint64_t file, description;
    struct process_lock *lock;

    if (!native.current || !files_identity(fd, &file, &description))
        return;
    process_check(file, true);
    lock = channels_alloc(sizeof *lock);
    *lock = (struct process_lock){file_locks.of_process, file};
    file_locks.of_process = lock;
}

bool files_lock_control(int fd, int command, void *argument, int *result)
{
    if (command == F_SETLK || command == F_SETLKW)
        files_lock_process(fd);
    if (command == F_OFD_GETLK)
        native_unsupported("F_OFD_GETLK");
    if ((command != F_OFD_SETLK && command != F_OFD_SETLKW) || syscall(SYS_fcntl, fd, F_GETFD) < 0)
        return false;
    *result = open_file_lock(fd, command == F_OFD_SETLKW, argument);
    return true;
}

PASS_THROUGH(int, lockf, (int fd, int command, off_t size), (fd, command, size), channels_use(fd);
             files_lock_process(fd))
PASS_THROUGH(int, lockf64, (int fd, int command, off64_t size), (fd, command, size),
             channels_use(fd);
             files_lock_process(fd))

/* ---- the part */

static void restart(void)
{
    file_locks.locks = NULL;
    file_locks.of_process = NULL;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !file_locks.locks && !file_locks.of_process;
}

const struct part file_locks_part = {.name = "locks of files",
                                     .state = &file_locks,
                                     .size = sizeof file_locks,
                                     .restart = restart,
                                     .fingerprint = fingerprint};
