#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/gate/gate.h"
#include "runtime/program/native.h"
#include "runtime/threads/attributes.h"

/* Attributes of the process: what they were is asked before each change, and set again by the restart. */

#define GROUPS_MAX 1024

/* As the kernel has it; libc has no such struct everywhere. */
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* What holds for one thread of the system holds for all threads of the program here. */
static void of_thread(const char *name)
{
    char text[100];

    if (native.alone)
        return;
    snprintf(text, sizeof text, "%s while there are other threads", name);
    native_unsupported(text);
}

bool gate_directory(struct gate_call *call, long *result)
{
    (void)call, (void)result;
    state_note(STATE_CWD);
    return false;
}

bool gate_umask(struct gate_call *call, long *result)
{
    (void)call, (void)result;
    state_note(STATE_UMASK);
    return false;
}

bool gate_priority(struct gate_call *call, long *result)
{
    long before = syscall(SYS_getpriority, call->a[0], call->a[1]); /* 20 - it */
    struct undo_call undo = {.number = SYS_setpriority,
                             .arguments = {call->a[0], call->a[1], 20 - before},
                             .outlives = call->a[1] != 0};

    (void)result;
    of_thread("setpriority");
    if (before >= 0)
        gate_undo(&undo, -1);
    return false;
}

bool gate_io_priority(struct gate_call *call, long *result)
{
    long before = syscall(SYS_ioprio_get, call->a[0], call->a[1]);
    struct undo_call undo = {.number = SYS_ioprio_set,
                             .arguments = {call->a[0], call->a[1], before},
                             .outlives = call->a[1] != 0};

    (void)result;
    of_thread("ioprio_set");
    if (before >= 0)
        gate_undo(&undo, -1);
    return false;
}

/* ---- limits */

/* A limit on memory or time would hit the engine. */
static bool limit_is_ours(long what)
{
    return what == RLIMIT_AS || what == RLIMIT_DATA || what == RLIMIT_CPU || what == RLIMIT_STACK ||
           what == RLIMIT_FSIZE;
}

bool gate_limit(struct gate_call *call, long *result)
{
    struct rlimit before;
    struct undo_call undo = {.number = SYS_prlimit64,
                             .arguments = {call->a[0], call->a[1]},
                             .data = &before,
                             .data_size = sizeof before,
                             .outlives = call->a[0] != 0};

    if (!call->a[2])
        return false;
    if (limit_is_ours(call->a[1])) {
        gate_stays("a limit on memory, time or the size of files");
        *result = 0;
        return true;
    }
    if (syscall(SYS_prlimit64, call->a[0], call->a[1], NULL, &before) == 0)
        gate_undo(&undo, 2);
    return false;
}

bool gate_old_limit(struct gate_call *call, long *result)
{
    struct gate_call new = {SYS_prlimit64, {0, call->a[0], call->a[1], 0}};

    *result = gate_pass(&new);
    return true;
}

/* ---- scheduling */

bool gate_affinity(struct gate_call *call, long *result)
{
    static unsigned char before[1024]; /* outlives a run: only in its place in memory */
    long size = syscall(SYS_sched_getaffinity, call->a[0], sizeof before, before);
    struct undo_call undo = {.number = SYS_sched_setaffinity,
                             .arguments = {call->a[0], size},
                             .data = before,
                             .data_size = size > 0 ? (size_t)size : 0,
                             .outlives = call->a[0] != 0};

    (void)result;
    of_thread("sched_setaffinity");
    if (size > 0)
        gate_undo(&undo, 2);
    return false;
}

bool gate_scheduler(struct gate_call *call, long *result)
{
    struct scheduling before = {0};
    struct undo_call undo = {.number = SYS_sched_setattr,
                             .arguments = {call->a[0]},
                             .data = &before,
                             .data_size = sizeof before,
                             .outlives = call->a[0] != 0};

    (void)result;
    of_thread("a change of scheduling");
    if (syscall(SYS_sched_getattr, call->a[0], &before, sizeof before, 0) == 0)
        gate_undo(&undo, 1);
    return false;
}

bool gate_personality(struct gate_call *call, long *result)
{
    long before = syscall(SYS_personality, 0xffffffff);
    struct undo_call undo = {.number = SYS_personality, .arguments = {before}};

    (void)result;
    if ((uint32_t)call->a[0] != 0xffffffff && before >= 0)
        gate_undo(&undo, -1);
    return false;
}

bool gate_process_group(struct gate_call *call, long *result)
{
    *result = gate_do(call);
    if (*result >= 0)
        gate_stays("what setpgid leaves behind, which is not put back");
    return true;
}

/* ---- prctl: each request that sets something has one that asks for it */

static const struct {
    int set, get;
    enum {
        PRCTL_RETURNS,
        PRCTL_WRITES
    } how; /* the answer is the result, or an int where the argument points */
} requests[] = {
    {PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PRCTL_WRITES},
    {PR_SET_DUMPABLE, PR_GET_DUMPABLE, PRCTL_RETURNS},
    {PR_SET_KEEPCAPS, PR_GET_KEEPCAPS, PRCTL_RETURNS},
    {PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PRCTL_RETURNS},
    {PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER, PRCTL_WRITES},
    {PR_SET_TSC, PR_GET_TSC, PRCTL_WRITES},
    {PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, PRCTL_RETURNS},
};

static bool prctl_asks(long request)
{
    static const int others[] = {PR_CAPBSET_READ,     PR_GET_SECCOMP,     PR_GET_SECUREBITS,
                                 PR_GET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS, PR_MCE_KILL_GET,
                                 PR_GET_UNALIGN,      PR_GET_FPEMU,       PR_GET_FPEXC,
                                 PR_GET_TIMING,       PR_GET_ENDIAN,      PR_GET_SPECULATION_CTRL,
                                 PR_GET_IO_FLUSHER};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (request == others[i])
            return true;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (request == requests[i].get)
            return true;
    return false;
}

static bool prctl_remember(long request)
{
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct undo_call undo = {.number = SYS_prctl, .arguments = {requests[i].set}};
        int written = 0;
        long got;

        if (request != requests[i].set)
            continue;
        got = syscall(SYS_prctl, requests[i].get,
                      requests[i].how == PRCTL_WRITES ? (long)&written : 0L, 0L, 0L, 0L);
        undo.arguments[1] = requests[i].how == PRCTL_WRITES ? written : got;
        if (got >= 0)
            gate_undo(&undo, -1);
        return got >= 0;
    }
    return false;
}

/* The name of a thread is the program's own (pthread_setname_np). */
static bool prctl_name(struct gate_call *call, long *result)
{
    struct attributes_thread *own = attributes_of(native.current);

    if (call->a[0] == PR_SET_NAME) {
        memset(own->name, 0, sizeof own->name);
        strncpy(own->name, (const char *)call->a[1], sizeof own->name - 1);
    } else if (call->a[0] == PR_GET_NAME) {
        memcpy((char *)call->a[1], own->name, sizeof own->name);
    } else {
        return false;
    }
    *result = 0;
    return true;
}

bool gate_prctl(struct gate_call *call, long *result)
{
    char text[80];

    if (prctl_name(call, result))
        return true;
    if (call->a[0] == PR_GET_NO_NEW_PRIVS && gate_gave_up_rights) {
        *result = 0;
        return true;
    }
    if (prctl_asks(call->a[0]) || prctl_remember(call->a[0]))
        return false;
    *result = gate_do(call);
    snprintf(text, sizeof text, "what prctl %d leaves behind, which is not put back",
             (int)call->a[0]);
    if (*result >= 0)
        gate_stays(text);
    return true;
}

/* ---- ids: whoever gives up a right for good cannot get it back, and the restart says so */

bool gate_user(struct gate_call *call, long *result)
{
    uid_t real, effective, saved;
    struct undo_call undo = {.number = SYS_setresuid};

    (void)call, (void)result;
    if (syscall(SYS_getresuid, &real, &effective, &saved) == 0) {
        undo.arguments[0] = (long)real;
        undo.arguments[1] = (long)effective;
        undo.arguments[2] = (long)saved;
        gate_undo(&undo, -1);
    }
    return false;
}

bool gate_group(struct gate_call *call, long *result)
{
    gid_t real, effective, saved;
    struct undo_call undo = {.number = SYS_setresgid};

    (void)call, (void)result;
    if (syscall(SYS_getresgid, &real, &effective, &saved) == 0) {
        undo.arguments[0] = (long)real;
        undo.arguments[1] = (long)effective;
        undo.arguments[2] = (long)saved;
        gate_undo(&undo, -1);
    }
    return false;
}

bool gate_groups(struct gate_call *call, long *result)
{
    static gid_t before[GROUPS_MAX]; /* outlives a run: only in its place in memory */
    long count = syscall(SYS_getgroups, GROUPS_MAX, before);
    struct undo_call undo = {.number = SYS_setgroups,
                             .arguments = {count},
                             .data = before,
                             .data_size = count > 0 ? (size_t)count * sizeof *before : 0};

    *result = gate_do(call);
    if (*result < 0)
        return true; /* who may not do it could not take it back, either */
    if (count >= 0)
        gate_undo(&undo, count > 0 ? 1 : -1);
    return true;
}

/* ---- timers: those that come by libc's functions never get here */

bool gate_timer(struct gate_call *call, long *result)
{
    (void)call, (void)result;
    state_note(STATE_TIMERS);
    gate_stays("a timer of the system");
    return false;
}

bool gate_alarm(struct gate_call *call, long *result)
{
    return gate_timer(call, result);
}

/* ---- memory that stays: to lock it changes nothing that the program computes */

bool gate_lock_memory(struct gate_call *call, long *result)
{
    struct undo_call undo = {.number = SYS_munlockall};

    (void)call, (void)result;
    gate_undo(&undo, -1);
    return false;
}

/* All that is mapped would be the engine's memory, too. So nothing is locked; whether it may be is asked. */
bool gate_lock_all(struct gate_call *call, long *result)
{
    struct rlimit limit = {0};

    syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, NULL, &limit);
    *result = 0;
    if (call->a[0] & ~(long)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) || call->a[0] == 0 ||
        call->a[0] == MCL_ONFAULT)
        *result = -EINVAL;
    else if (limit.rlim_cur == 0 && geteuid() != 0)
        *result = -EPERM;
    return true;
}
