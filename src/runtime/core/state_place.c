#include "runtime/core/state_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "runtime/core/kernel.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define HOLD_FIRST 900 /* as other descriptors of ours */

#define KCMP_FILE 0

/* Whether two numbers stand for the same open file, with one offset. If the kernel does not tell: no. */
static bool is_same_file(uint32_t process, int a, int b)
{
    return syscall(SYS_kcmp, process, process, KCMP_FILE, a, b) == 0;
}

/* Makes number `i` a duplicate of `fd`; it is not used, or a new one. */
static bool hold_make(struct state_holds *holds, uint32_t i, int fd)
{
    long got = i < holds->count ? syscall(SYS_dup3, fd, holds->at[i].number, O_CLOEXEC)
                                : syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HOLD_FIRST);

    if (got < 0)
        return false;
    if (got >= STATE_FILES_NUMBERS) {
        kernel_close((int)got);
        return false;
    }
    holds->at[i].number = (int)got;
    holds->count += i == holds->count;
    state_fd_reserve((int)got);
    return true;
}

/* A duplicate of `fd`: its index, or STATE_HOLDS_MAX if there can be none. */
static uint32_t hold_take(struct state_holds *holds, int fd)
{
    uint32_t i = holds->last[fd];

    if (holds->at[i].uses == 0 || !is_same_file(holds->process, fd, holds->at[i].number)) {
        for (i = 0; i < holds->count && holds->at[i].uses > 0;)
            i++;
        if (i == STATE_HOLDS_MAX || !hold_make(holds, i, fd))
            return STATE_HOLDS_MAX;
        holds->last[fd] = (uint8_t)i;
    }
    holds->at[i].uses++;
    return i;
}

bool state_place_keep(struct state_place *into, struct state_holds *holds)
{
    const struct state_files *seen = state_fork_seen();
    int error = errno;
    bool good = !seen->beyond;

    if (!holds->process)
        holds->process = (uint32_t)syscall(SYS_getpid);
    state_place_drop(into, holds);
    into->files = *seen;
    while (good && into->held < seen->count) {
        uint32_t hold = hold_take(holds, seen->at[into->held].fd);

        good = hold < STATE_HOLDS_MAX;
        into->holds[into->held] = (uint8_t)hold;
        into->held += good;
    }
    errno = error;
    return good && state_signals_keep(&into->signals);
}

void state_place_drop(struct state_place *then, struct state_holds *holds)
{
    while (then->held > 0)
        holds->at[then->holds[--then->held]].uses--;
}

/* Closes what is open from `low` to before `high`. */
static void numbers_close(unsigned low, unsigned high)
{
    if (low < high)
        syscall(SYS_close_range, low, high - 1, 0);
}

/* All numbers between those that were open then, or are ours since. */
static void others_close(const struct state_place *then, const struct state_holds *holds)
{
    uint64_t stays[STATE_FILES_NUMBERS / 64];
    unsigned low = 0;

    memcpy(stays, then->files.open, sizeof stays);
    for (uint32_t i = 0; i < holds->count; i++)
        stays[holds->at[i].number / 64] |= (uint64_t)1 << (holds->at[i].number % 64);
    for (unsigned word = 0; word < STATE_FILES_NUMBERS / 64; word++)
        for (; stays[word]; stays[word] &= stays[word] - 1) {
            unsigned number = word * 64 + (unsigned)__builtin_ctzll(stays[word]);

            numbers_close(low, number);
            low = number + 1;
        }
    numbers_close(low, UINT_MAX);
}

/* Whatever the numbers stand for by now. */
bool state_place_back(const struct state_place *then, struct state_holds *holds)
{
    bool good = state_signals_back(&then->signals);

    for (uint32_t i = 0; good && i < then->files.count; i++) {
        const struct state_file *file = &then->files.at[i];

        good = syscall(SYS_dup3, holds->at[then->holds[i]].number, file->fd,
                       file->own_flags & FD_CLOEXEC ? O_CLOEXEC : 0) == file->fd;
        holds->last[file->fd] = then->holds[i];
    }
    if (good)
        others_close(then, holds);
    return good;
}

void state_place_reserve(const struct state_holds *holds)
{
    for (uint32_t i = 0; i < holds->count; i++)
        if (!state_fd_is_ours(holds->at[i].number))
            state_fd_reserve(holds->at[i].number);
}
