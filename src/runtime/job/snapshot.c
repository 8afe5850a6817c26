#include "runtime/job/snapshot.h"

#include <sys/resource.h>
#include <time.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state_fork.h"
#include "runtime/job/snapshot_kinds.h"
#include "runtime/program/native.h"

bool snapshot_refused(const char *why)
{
    struct session_snapshots *snapshots = &native.session->snapshots;

    if (!snapshots->refused)
        snapshots->refused = native_text(why);
    return false;
}

uint64_t snapshot_time(void)
{
    struct timespec now = {0};

    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t snapshot_faults(void)
{
    struct rusage usage;

    return syscall(SYS_getrusage, RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_minflt : 0;
}

struct snapshots *snapshot_open(struct session *session)
{
    struct session_snapshots *snapshots = &session->snapshots;
    const struct snapshot_ops *ops;

    if (snapshots->kind == SNAPSHOTS_OFF || session->work_fd || fiber_threads)
        return NULL;
    if (!snapshots->opened) { /* else the search begins anew, in the same process */
        state_fork_begins(SESSION_ADDRESS, SESSION_RESERVE);
        snapshots->opened = true;
    }
    ops = snapshots->forks ? NULL : snapshot_in_place();
    if (!ops)
        ops = snapshot_by_forks();
    snapshots->way = native_text(ops->name);
    snapshots_open(&snapshots->table, ops, NULL, snapshots->kind, snapshots->max);
    return &snapshots->table;
}
