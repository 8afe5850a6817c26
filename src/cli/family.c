#include "cli/family.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For processes that were told to end. In milliseconds. */
#define PATIENCE 2000

void family_prepare(struct session *session)
{
    session->snapshots.baton = 0;
    session->snapshots.opened = false;
    session->snapshots.driver = (uint32_t)getpid();
    snapshots_forget(&session->snapshots.table);
    for (int i = 0; i < SNAPSHOTS_MAX; i++)
        session->snapshots.waiting[i].pid = 0;
}

void family_begin(struct family *family, struct session *session, pid_t first)
{
    *family =
        (struct family){.session = session, .first = first, .started = session->snapshots.started};
}

pid_t family_runner(const struct family *family)
{
    uint64_t baton = __atomic_load_n(&family->session->snapshots.baton, __ATOMIC_ACQUIRE);

    return baton >> 32 ? (pid_t)(baton >> 32) : family->first;
}

/* A process that waited has died: the one that runs may be about to hand over to it. */
static void waiting_died(struct session_snapshots *snapshots, pid_t pid)
{
    for (int i = 0; i < SNAPSHOTS_MAX; i++) {
        uint32_t *order = &snapshots->waiting[i].order;
        uint32_t was = __atomic_load_n(order, __ATOMIC_ACQUIRE);
        uint32_t number = was >> SESSION_ORDER_BITS;

        if (snapshots->waiting[i].pid != (uint32_t)pid)
            continue;
        snapshots->waiting[i].pid = 0;
        while (was >> SESSION_ORDER_BITS == number && /* else another one waits there now */
               !__atomic_compare_exchange_n(order, &was,
                                            number << SESSION_ORDER_BITS | SESSION_DIED, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            ;
        syscall(SYS_futex, &snapshots->baton, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* Nobody takes the baton any more, if the process that has ended had it. */
static bool runner_ended(struct family *family, pid_t pid)
{
    uint64_t *baton = &family->session->snapshots.baton, had;

    do {
        had = __atomic_load_n(baton, __ATOMIC_ACQUIRE);
        if (had == 0)
            return pid == family->first;
        if (had >> 32 != (uint64_t)pid)
            return false;
    } while (!__atomic_compare_exchange_n(baton, &had, (uint64_t)pid << 32 | 1, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return true;
}

bool family_reap(struct family *family)
{
    pid_t pid;
    int status;
    bool alone = family->session->snapshots.kind == SNAPSHOTS_OFF;

    while ((pid = waitpid(alone ? family->first : -1, &status, WNOHANG)) > 0) {
        family->ended += pid != family->first;
        if (!family->over && runner_ended(family, pid)) {
            family->over = true;
            family->status = status;
        } else {
            waiting_died(&family->session->snapshots, pid);
        }
        if (alone)
            break;
    }
    return family->over;
}

void family_end(struct family *family)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct session_snapshots *snapshots = &family->session->snapshots;

    for (int i = 0; i < SNAPSHOTS_MAX; i++) {
        pid_t pid = (pid_t)snapshots->waiting[i].pid;

        pid_t gone = pid ? waitpid(pid, NULL, WNOHANG) : 0;

        if (pid && gone == 0) /* else it is no child of ours any more */
            kill(pid, SIGKILL);
        family->ended += gone > 0;
    }
    for (int i = 0; i < PATIENCE && family->ended < snapshots->started - family->started; i++) {
        nanosleep(&pause, NULL);
        family_reap(family);
    }
    snapshots_forget(&snapshots->table);
}
