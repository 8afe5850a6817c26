#include "runtime/job/snapshot_kinds.h"

#include <limits.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state_fork.h"
#include "runtime/gate/gate.h"
#include "runtime/program/native.h"

/* Processes that wait. All are children of the driver (CLONE_PARENT), and end with it. The one that runs has the baton: it tells another one, which waits, to go, that one
 * forks, and the new process takes the baton. Whoever hands over ends when that has happened. If it does not happen, because somebody has killed the one that waits, it takes the
 * baton back, and goes on itself. */

/* For how long to look whether the one that was told to go still lives: in nanoseconds, and how often. */
#define LOOK_NANOSECONDS 20000000
#define LOOKS            250

/* Memory that all of them may have together, in the worst case, and as a part of that of the machine. */
#define MEMORY_MAX  ((size_t)2 << 30)
#define MEMORY_PART 4

/* Until a process that waits has noticed that it is to go on. In nanoseconds. */
#define WAKING 100000u

/* Pages that are written to find out what that costs. */
#define TRIAL_PAGES 8
#define PAGE        4096

/* Outlives a run: it is about this process. */
static struct {
    uint32_t order;  /* the number that it has while it waits, as in session_snapshots */
    uint64_t faults; /* of the process, when it began to run from the last snapshot on */
    uint64_t fault;  /* nanoseconds that one takes */
    char *trial;
} own;

static struct session_snapshots *all(void)
{
    return &native.session->snapshots;
}

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static uint32_t *baton_word(void)
{
    return (uint32_t *)&all()->baton; /* the lower half */
}

static uint64_t baton_of(uint32_t pid, uint32_t number)
{
    return (uint64_t)pid << 32 | number;
}

/* Whom an order is for, without the order. */
static uint32_t number_in(uint32_t order)
{
    return order >> SESSION_ORDER_BITS << SESSION_ORDER_BITS;
}

/* ---- what it costs */

/* Before a fork, so that the pages are there. */
static void trial_prepare(void)
{
    if (!own.trial)
        own.trial = kernel_map(NULL, (size_t)TRIAL_PAGES * PAGE);
    for (int i = 0; own.trial && i < TRIAL_PAGES; i++)
        ((volatile char *)own.trial)[(size_t)i * PAGE]++;
}

/* After it: each of these writes copies a page. */
static void trial_measure(void)
{
    uint64_t before = snapshot_time();

    for (int i = 0; own.trial && i < TRIAL_PAGES; i++)
        ((volatile char *)own.trial)[(size_t)i * PAGE]++;
    own.fault = (snapshot_time() - before) / TRIAL_PAGES;
    own.faults = snapshot_faults();
}

/* In both processes pages have to be copied that are written. */
static uint64_t fork_copying(void *context)
{
    (void)context;
    return own.fault ? 2 * (snapshot_faults() - own.faults) * own.fault : 0;
}

/* ---- processes */

/* As a fork, but the new process is the driver's child, too, and dies with it. Below 0: there is none. */
static long process_fork(void)
{
    long pid;

    __atomic_add_fetch(&all()->started, 1, __ATOMIC_RELAXED);
    pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid < 0)
        __atomic_sub_fetch(&all()->started, 1, __ATOMIC_RELAXED);
    if (pid != 0)
        return pid;
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if ((uint32_t)syscall(SYS_getppid) != all()->driver)
        kernel_exit(0);
    return 0;
}

/* In a new process: runs, if nobody else does by now. */
static void baton_take(uint64_t handed)
{
    uint64_t mine = baton_of((uint32_t)syscall(SYS_getpid), (uint32_t)handed + 1);

    if (!__atomic_compare_exchange_n(&all()->baton, &handed, mine, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        kernel_exit(0);
    native.session->work_waits = false;
    futex(baton_word(), FUTEX_WAKE, INT_MAX, NULL);
}

/* Waits, and returns in a new process each time that the search comes back. */
static void wait_here(uint32_t slot)
{
    uint32_t *order = &all()->waiting[slot].order, now;
    uint64_t handed;

    for (;;) {
        while ((now = __atomic_load_n(order, __ATOMIC_ACQUIRE)) == (own.order | SESSION_WAIT))
            futex(order, FUTEX_WAIT, now, NULL);
        if (now != (own.order | SESSION_GO))
            kernel_exit(0);
        handed = __atomic_load_n(&all()->baton, __ATOMIC_ACQUIRE);
        __atomic_store_n(order, own.order | SESSION_WAIT, __ATOMIC_RELEASE);
        trial_prepare();
        switch (process_fork()) {
        case 0:
            baton_take(handed);
            return;
        case -1:
            __atomic_store_n(order, own.order | SESSION_DIED, __ATOMIC_RELEASE);
            kernel_exit(0);
        }
    }
}

/* ---- what the search asks for */

static bool memory_is_enough(void)
{
    struct sysinfo machine;
    size_t max = MEMORY_MAX;

    if (syscall(SYS_sysinfo, &machine) == 0 &&
        (size_t)machine.totalram * machine.mem_unit / MEMORY_PART < max)
        max = (size_t)machine.totalram * machine.mem_unit / MEMORY_PART;
    return state_fork_bytes() * (all()->table.count + 1) <= max;
}

static bool can_keep(void)
{
    const char *why = "";

    if (!parts_fork(&why))
        return snapshot_refused(why);
    return memory_is_enough() || snapshot_refused("too much memory");
}

static enum snapshot_role fork_keep(void *context, uint32_t slot)
{
    uint32_t *order = &all()->waiting[slot].order;
    long pid;

    (void)context;
    if (!can_keep())
        return SNAPSHOT_NONE;
    own.order = number_in(*order) + (1u << SESSION_ORDER_BITS);
    all()->waiting[slot].pid = 0; /* that one has been told to end, and may just do so */
    __atomic_store_n(order, own.order | SESSION_WAIT, __ATOMIC_RELEASE);
    trial_prepare();
    pid = process_fork();
    if (pid < 0)
        return SNAPSHOT_NONE;
    if (pid > 0) {
        all()->waiting[slot].pid = (uint32_t)pid;
        trial_measure();
        return SNAPSHOT_GOES_ON;
    }
    wait_here(slot);
    if (!state_fork_restores())
        native_unsupported("open files that cannot be brought back to where they were");
    trial_measure();
    return SNAPSHOT_BACK;
}

/* Whether the process that was told to go has taken the baton. It may have been killed. */
static bool is_taken(uint64_t handed, uint32_t slot, uint32_t order)
{
    static const struct timespec look = {.tv_nsec = LOOK_NANOSECONDS};
    uint64_t back = baton_of((uint32_t)(handed >> 32), (uint32_t)handed + 1);

    for (int i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(&all()->baton, __ATOMIC_ACQUIRE) != handed)
            return true;
        if (__atomic_load_n(&all()->waiting[slot].order, __ATOMIC_ACQUIRE) ==
            (order | SESSION_DIED))
            break;
        futex(baton_word(), FUTEX_WAIT, (uint32_t)handed, &look);
    }
    return !__atomic_compare_exchange_n(&all()->baton, &handed, back, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE);
}

static bool fork_go(void *context, uint32_t slot)
{
    uint32_t *order = &all()->waiting[slot].order;
    uint32_t number = number_in(*order);
    uint32_t waits = number | SESSION_WAIT;
    uint64_t handed = all()->baton + 1;

    (void)context;
    gate_restart();                    /* it was so when the state was kept */
    native.session->work_waits = true; /* the driver would think that it is stuck */
    __atomic_store_n(&all()->baton, handed, __ATOMIC_RELEASE);
    if (__atomic_compare_exchange_n(order, &waits, number | SESSION_GO, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        futex(order, FUTEX_WAKE, INT_MAX, NULL);
    if (is_taken(handed, slot, number))
        kernel_exit(0);
    native.session->work_waits = false;
    return false;
}

static void fork_drop(void *context, uint32_t slot)
{
    uint32_t *order = &all()->waiting[slot].order;

    (void)context;
    __atomic_store_n(order, number_in(*order) | SESSION_END, __ATOMIC_RELEASE);
    futex(order, FUTEX_WAKE, INT_MAX, NULL);
}

static uint64_t fork_computed(void *context)
{
    (void)context;
    return snapshot_time();
}

/* That is another fork, and the end of the process that ran, which takes about as long. */
static uint64_t fork_going(void *context, uint64_t making)
{
    (void)context;
    return 2 * making + WAKING;
}

const struct snapshot_ops *snapshot_by_forks(void)
{
    static const struct snapshot_ops ops = {.name = "fork",
                                            .keep = fork_keep,
                                            .go = fork_go,
                                            .drop = fork_drop,
                                            .copying = fork_copying,
                                            .computed = fork_computed,
                                            .going = fork_going,
                                            .guess = 300000};

    if (!all()->baton) /* else the search begins anew, in the same process */
        all()->baton = baton_of((uint32_t)syscall(SYS_getpid), 2);
    return &ops;
}
