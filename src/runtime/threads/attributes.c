#include "runtime/threads/attributes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "model/object.h"
#include "runtime/core/kernel.h"
#include "runtime/program/interpose.h"
#include "runtime/signals/signals.h"
#include "runtime/time/time.h"

/* What a thread is told about itself: its name, stack, priority and processors. All of it is kept and told back; nothing of it decides who
 * runs. Attribute objects are libc's own. */

static struct {
    bool set; /* by the program in this execution, for new threads; libc keeps them */
} defaults;

/* ---- names */

INTERPOSE int pthread_setname_np(pthread_t handle, const char *name)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    if (strlen(name) >= sizeof attributes_of(thread)->name)
        return ERANGE;
    strcpy(attributes_of(thread)->name, name);
    return 0;
}

INTERPOSE int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    if (size < sizeof attributes_of(thread)->name)
        return ERANGE;
    strcpy(name, attributes_of(thread)->name);
    return 0;
}

/* ---- priorities */

static bool is_real_time(int policy)
{
    return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool is_policy(int policy)
{
    return is_real_time(policy) || policy == SCHED_OTHER || policy == SCHED_BATCH ||
           policy == SCHED_IDLE;
}

static bool is_priority(int policy, int priority)
{
    return is_real_time(policy) ? priority >= 1 && priority <= 99 : priority == 0;
}

INTERPOSE int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *param)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    *policy = attributes_of(thread)->policy;
    param->sched_priority = attributes_of(thread)->priority;
    return 0;
}

INTERPOSE int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *param)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    if (!is_policy(policy) || !is_priority(policy, param->sched_priority))
        return EINVAL;
    attributes_of(thread)->policy = policy;
    attributes_of(thread)->priority = param->sched_priority;
    return 0;
}

INTERPOSE int pthread_setschedprio(pthread_t handle, int priority)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    if (!is_priority(attributes_of(thread)->policy, priority))
        return EINVAL;
    attributes_of(thread)->priority = priority;
    return 0;
}

/* ---- processors: those of the process, unless the thread was given fewer */

static void process_cpus(cpu_set_t *set)
{
    memset(set, 0, sizeof *set);
    syscall(SYS_sched_getaffinity, 0, sizeof *set, set);
}

INTERPOSE int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *set)
{
    struct native_thread *thread = native_thread_of(handle);
    cpu_set_t all;

    if (!thread)
        return ESRCH;
    process_cpus(&all);
    if (size < 8)
        return EINVAL;
    memset(set, 0, size);
    memcpy(set, attributes_of(thread)->cpus_set ? &attributes_of(thread)->cpus : &all,
           size < sizeof all ? size : sizeof all);
    return 0;
}

INTERPOSE int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *set)
{
    struct native_thread *thread = native_thread_of(handle);
    cpu_set_t all, wanted;

    if (!thread)
        return ESRCH;
    process_cpus(&all);
    memset(&wanted, 0, sizeof wanted);
    memcpy(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
    CPU_AND(&wanted, &wanted, &all);
    if (CPU_COUNT(&wanted) == 0)
        return EINVAL;
    attributes_of(thread)->cpus = wanted;
    attributes_of(thread)->cpus_set = true;
    return 0;
}

/* ---- attributes of a running thread */

INTERPOSE int pthread_getattr_np(pthread_t handle, pthread_attr_t *attributes)
{
    struct native_thread *thread = native_thread_of(handle);
    struct sched_param param;
    loc_id loc;
    int error;

    if (!thread)
        return ESRCH;
    error = pthread_attr_init(attributes);
    if (error)
        return error;
    loc = world_location(native.world, OBJECT_THREAD, thread_handle_addr(thread->agent));
    param.sched_priority = attributes_of(thread)->priority;
    pthread_attr_setstack(attributes, thread->stack.low,
                          attributes_of(thread)->stack_wanted ? attributes_of(thread)->stack_wanted
                                                              : thread->stack.size);
    if (attributes_of(thread)->stack_wanted)
        pthread_attr_setguardsize(attributes, attributes_of(thread)->guard_wanted);
    pthread_attr_setdetachstate(attributes, world_state(native.world, loc) & OBJECT_THREAD_DETACHED
                                                ? PTHREAD_CREATE_DETACHED
                                                : PTHREAD_CREATE_JOINABLE);
    pthread_attr_setschedpolicy(attributes, attributes_of(thread)->policy);
    pthread_attr_setschedparam(attributes, &param);
    return 0;
}

INTERPOSE int pthread_getcpuclockid(pthread_t handle, clockid_t *clock)
{
    struct native_thread *thread = native_thread_of(handle);

    if (!thread)
        return ESRCH;
    *clock = time_thread_clock(thread->number);
    return 0;
}

/* ---- attributes of a new one */

/* The policy and priority that it shall have instead of its creator's. */
static bool is_scheduled(const pthread_attr_t *attributes, int *policy, int *priority)
{
    struct sched_param param;
    int inherit;

    pthread_attr_getinheritsched(attributes, &inherit);
    pthread_attr_getschedpolicy(attributes, policy);
    pthread_attr_getschedparam(attributes, &param);
    *priority = param.sched_priority;
    return inherit == PTHREAD_EXPLICIT_SCHED;
}

/* The processors of the process that they name, if they name any. */
static bool is_bound(const pthread_attr_t *attributes, cpu_set_t *cpus)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof all); /* which is what libc gives if there are none */
    pthread_attr_getaffinity_np(attributes, sizeof *cpus, cpus);
    if (CPU_EQUAL(cpus, &all))
        return false;
    process_cpus(&all);
    CPU_AND(cpus, cpus, &all);
    return true;
}

bool attributes_are_valid(const pthread_attr_t *attributes)
{
    int policy, priority;
    cpu_set_t cpus;

    if (is_bound(attributes, &cpus) && CPU_COUNT(&cpus) == 0)
        return false;
    return !is_scheduled(attributes, &policy, &priority) ||
           (is_policy(policy) && is_priority(policy, priority));
}

void attributes_apply(struct native_thread *thread, const pthread_attr_t *attributes)
{
    cpu_set_t cpus;
    sigset_t mask;
    int policy, priority;

    if (is_bound(attributes, &cpus)) {
        attributes_of(thread)->cpus = cpus;
        attributes_of(thread)->cpus_set = true;
    }
    pthread_attr_getstacksize(attributes, &attributes_of(thread)->stack_wanted);
    pthread_attr_getguardsize(attributes, &attributes_of(thread)->guard_wanted);
    if (pthread_attr_getsigmask_np(attributes, &mask) == 0)
        signals_begin_with(thread->number, &mask);
    if (!is_scheduled(attributes, &policy, &priority))
        return;
    attributes_of(thread)->policy = policy;
    attributes_of(thread)->priority = priority;
}

/* ---- for threads that are given none */

REAL_CALL(pthread_setattr_default_np)
INTERPOSE int pthread_setattr_default_np(const pthread_attr_t *wanted)
{
    defaults.set |= native.current != NULL;
    return REAL(pthread_setattr_default_np)(wanted);
}

const pthread_attr_t *attributes_default(pthread_attr_t *space)
{
    return defaults.set && pthread_getattr_default_np(space) == 0 ? space : NULL;
}

/* ---- the part */

static void restart(void)
{
    defaults.set = false;
}

static void thread_begins(struct native_thread *thread)
{
    struct attributes_thread *new = attributes_of(thread);

    if (native.current) {
        *new = *attributes_of(native.current);
    } else {
        size_t length = strnlen(program_invocation_short_name, sizeof new->name - 1);

        memset(new, 0, sizeof *new);
        memcpy(new->name, program_invocation_short_name, length);
    }
    new->stack_wanted = new->guard_wanted = 0;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !defaults.set;
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct attributes_thread *own = attributes_of(thread);

    fingerprint_bytes(into, own->name, strnlen(own->name, sizeof own->name));
    fingerprint_word(into, (uint64_t)(uint32_t)own->policy << 32 | (uint32_t)own->priority);
    fingerprint_word(into, own->stack_wanted);
    fingerprint_word(into, own->guard_wanted);
    if (own->cpus_set)
        fingerprint_bytes(into, &own->cpus, sizeof own->cpus);
    return true;
}

const struct part attributes_part = {.name = "attributes of threads",
                                     .state = &defaults,
                                     .size = sizeof defaults,
                                     .thread_size = sizeof(struct attributes_thread),
                                     .restart = restart,
                                     .thread_begins = thread_begins,
                                     .fingerprint = fingerprint,
                                     .fingerprint_thread = fingerprint_thread};
