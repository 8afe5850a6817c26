#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/descriptors/descriptors.h"

/* The numbers of descriptors. What is opened gets the lowest free one, as the system has it. While one thread opens and closes that is the
 * kernel's business. As soon as several do, the number depends on who comes first: then the model keeps which numbers are taken, to open
 * is a step that takes the lowest free one, and to close is one that frees it (model/ops.def). What the kernel has opened waits for
 * that step out of the way.
 *
 * Each two that open are tried in both orders, so that is for a few of them. If more are opened in a run while several threads are there,
 * each thread has numbers of its own, none is used again before the next execution, and that is named. */

#define START_MAX   880 /* where descriptors of ours may begin */
#define START_GROUP 88  /* that are asked for at once */
#define ASIDE       900 /* where descriptors wait for their numbers, if the limit allows */
#define EXACT_MAX   8   /* opened while there are several threads */
#define OWN_FEW     28  /* numbers of each thread that are small, so that select takes them */
#define OWN_LARGE   1024
#define OWN_LARGEST 512 /* of those beyond, for each thread */
#define OWN_FIRST   40  /* below are those that were opened while a thread was alone */

static struct {
    bool taken[START_MAX];          /* at the start */
    enum numbers_by by;             /* in this execution, from its beginning */
    uint32_t opened;                /* while there were several threads */
    uint32_t used[RUNTIME_THREADS]; /* numbers that each thread has had of its own */
} numbers;

/* Of one descriptor a system call tells, too; but there are many that a program starts without. */
static void group_saved(int first)
{
    struct pollfd group[START_GROUP];

    for (int i = 0; i < START_GROUP; i++)
        group[i] = (struct pollfd){.fd = first + i};
    if (syscall(SYS_poll, group, START_GROUP, 0) < 0) /* more than may be open */
        for (int i = 0; i < START_GROUP; i++)
            group[i].revents = syscall(SYS_fcntl, first + i, F_GETFD) < 0 ? POLLNVAL : 0;
    for (int i = 0; i < START_GROUP; i++)
        numbers.taken[first + i] = !(group[i].revents & POLLNVAL) && !state_fd_is_ours(first + i);
}

void numbers_saved(void)
{
    for (int fd = 0; fd < START_MAX; fd += START_GROUP)
        group_saved(fd);
}

static void restart(void)
{
    if (numbers.by == NUMBERS_BY_THREAD)
        for (uint32_t i = 0; i < native.threads.count; i++)
            numbers.used[i] = 0;
    numbers.opened = 0;
    numbers.by = channels_numbers_by();
    for (int fd = 0; numbers.by == NUMBERS_BY_MODEL && fd < START_MAX; fd++)
        if (numbers.taken[fd])
            world_object_set(native.world, OBJECT_CHANNEL, channels_number_name(fd), 1);
}

bool numbers_set(int fd, bool taken)
{
    if (numbers.by != NUMBERS_BY_MODEL)
        return false;
    channels_ask(OP_DESCRIPTOR_SET, channels_number_name(fd), taken, 0, 0);
    return true;
}

/* ---- moving */

/* The limit that the program sees is that of the start; numbers beyond it are ours to use, too, if the system lets us. */
static void limit_raise(void)
{
    struct rlimit limit;

    if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 &&
        limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
        state_note(STATE_LIMITS);
    }
}

/* Another number for what is open as `fd`, the lowest free one from `first` on; -1 if there is none. */
static int number_move(int fd, int first)
{
    int flags = (int)syscall(SYS_fcntl, fd, F_GETFD);
    int how = flags > 0 && flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD;
    int to = (int)syscall(SYS_fcntl, fd, how, first);

    if (to < 0) {
        limit_raise();
        to = (int)syscall(SYS_fcntl, fd, how, first);
    }
    if (to >= 0)
        kernel_close(fd);
    return to;
}

/* Out of the way. A run may end before it has come back: then a restart closes it. */
int numbers_aside(int fd)
{
    int aside = numbers.by == NUMBERS_BY_MODEL ? number_move(fd, ASIDE) : fd;

    if (aside >= 0 && aside != fd)
        state_fd_opened(aside);
    return aside >= 0 ? aside : fd;
}

/* The step. What it gives is free for the kernel, too, unless something was opened that nobody has told us of. */
static int number_ask(int fd, int first)
{
    int aside = fd >= ASIDE ? fd : numbers_aside(fd), to, got;

    if (aside == fd && fd < ASIDE)
        return -1;
    to = first + (int)channels_ask(OP_DESCRIPTOR_OPEN, channels_number_name(first), 0, 0, 0);
    state_fd_closing(aside);
    got = to >= first ? number_move(aside, to) : -1;
    if (got != to)
        native_unsupported("numbers of descriptors that depend on the order of threads");
    return got >= 0 ? got : aside;
}

static int number_own(int fd)
{
    uint32_t thread = native.current->number;
    int to, got = -1;

    native_unsupported("so many descriptors opened by several threads: each thread has numbers of "
                       "its own");
    do {
        uint32_t k = numbers.used[thread]++;

        to = OWN_FIRST + (int)(thread * OWN_FEW + k);
        if (k >= OWN_FEW || to >= START_MAX)
            to = (int)(OWN_LARGE + thread * OWN_LARGEST + k);
    } while (to != fd && syscall(SYS_fcntl, to, F_GETFD) >= 0);
    if (to != fd)
        got = number_move(fd, to);
    return got >= 0 ? got : fd;
}

int files_number_from(int fd, int first)
{
    int saved = errno, to = fd;

    numbers.opened += !native.alone;
    if (numbers.by == NUMBERS_BY_MODEL && numbers.opened > EXACT_MAX)
        channels_numbers_are_many();
    if (numbers.by == NUMBERS_BY_MODEL && first < START_MAX)
        to = number_ask(fd, first);
    else if (numbers.by == NUMBERS_BY_THREAD && !native.alone && first < OWN_FIRST)
        to = number_own(fd);
    if (to < 0) {
        native_unsupported("so many descriptors: their numbers depend on the order of threads");
        to = fd;
    }
    channels_numbered(to);
    errno = saved;
    return to;
}

/* What the model keeps of them is the world's. */
static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return numbers.opened == 0;
}

const struct part numbers_part = {.name = "numbers of descriptors",
                                  .state = &numbers,
                                  .size = sizeof numbers,
                                  .restart = restart,
                                  .fingerprint = fingerprint};
