#ifndef RADDLE_RUNTIME_THREADS_ATTRIBUTES_H
#define RADDLE_RUNTIME_THREADS_ATTRIBUTES_H

#include <pthread.h>
#include <sched.h>

#include "runtime/program/native.h"

/* What a thread is told about itself. Of each thread: */
struct attributes_thread {
    char name[16];
    int policy, priority; /* as it was told */
    cpu_set_t cpus;
    bool cpus_set;
    size_t stack_wanted, guard_wanted; /* by its attributes, or 0 */
};

static inline struct attributes_thread *attributes_of(const struct native_thread *thread)
{
    return thread->own[PART_ATTRIBUTES];
}

/* Whether a thread can have these attributes, as far as the system would look at them. */
bool attributes_are_valid(const pthread_attr_t *attributes);

/* Before it starts: what the attributes say in place of its creator, who runs now. */
void attributes_apply(struct native_thread *thread, const pthread_attr_t *attributes);

/* Attributes for a thread that was given none, in `space`, or NULL: only if the program has set some. */
const pthread_attr_t *attributes_default(pthread_attr_t *space);

#endif
