#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/descriptors/descriptors.h"

/* The numbers of descriptors. A thread that is alone gets the lowest free one, as the system has it. While several threads run that
 * number would depend on who opens and closes first, and threads that have nothing to do with each other would have to be tried
 * in every order: so each thread has numbers of its own then, and none is used again before the next execution. Descriptors
 * below FD_SETSIZE for the first of them, so that select takes them. */

#define FEW        28   /* numbers of each thread that are small */
#define SMALL_END  880  /* where descriptors of ours may begin */
#define LARGE      1024 /* where the others begin */
#define LARGE_STEP 512

static struct {
    int base;    /* the first number that no thread had while it was alone */
    int highest; /* of those, in this execution */
    int highest_of_start;
    uint32_t used[RUNTIME_THREADS]; /* numbers that each thread has had */
} numbers;

void numbers_saved(void)
{
    numbers.base = -1;
    numbers.highest_of_start = 2;
    for (int fd = 3; fd < SMALL_END; fd++)
        if (syscall(SYS_fcntl, fd, F_GETFD) >= 0 && !state_fd_is_ours(fd))
            numbers.highest_of_start = fd;
    numbers.highest = numbers.highest_of_start;
}

static void restart(void)
{
    if (numbers.base >= 0)
        for (uint32_t i = 0; i < native.threads.count; i++)
            numbers.used[i] = 0;
    numbers.base = -1;
    numbers.highest = numbers.highest_of_start;
}

static int number_next(void)
{
    uint32_t thread = native.current->number, k = numbers.used[thread]++;

    if (k < FEW && numbers.base + (int)(thread * FEW + k) < SMALL_END)
        return numbers.base + (int)(thread * FEW + k);
    return (int)(LARGE + thread * LARGE_STEP + k);
}

/* The limit that the program sees is that of the start; numbers beyond it are ours to use, too, if the system lets us. */
static void limit_raise(void)
{
    struct rlimit limit;

    if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
        limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
    }
}

static int number_move(int fd, int to)
{
    int flags = (int)syscall(SYS_fcntl, fd, F_GETFD);
    int close_on_exec = flags > 0 && flags & FD_CLOEXEC ? O_CLOEXEC : 0;

    if (syscall(SYS_dup3, fd, to, close_on_exec) == to)
        return 0;
    limit_raise();
    return syscall(SYS_dup3, fd, to, close_on_exec) == to ? 0 : -1;
}

int files_number(int fd)
{
    int saved = errno, to;

    if (native.alone) {
        if (fd > numbers.highest && fd < SMALL_END)
            numbers.highest = fd;
        return fd;
    }
    if (numbers.base < 0)
        numbers.base = numbers.highest + 1;
    do
        to = number_next();
    while (to != fd && syscall(SYS_fcntl, to, F_GETFD) >= 0);
    if (to != fd && number_move(fd, to) != 0) {
        native_unsupported("so many descriptors: their numbers depend on the order of threads");
        to = fd;
    } else if (to != fd) {
        kernel_close(fd);
    }
    errno = saved;
    return to;
}

const struct part numbers_part = {.name = "numbers of descriptors",
                                  .state = &numbers,
                                  .size = sizeof numbers,
                                  .restart = restart};
