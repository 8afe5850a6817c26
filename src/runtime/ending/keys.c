#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "base/fingerprint.h"
#include "runtime/ending/ending.h"

/* Values that each thread has for itself (keys of POSIX), and the end of a thread that they are destroyed at. */

static struct {
    void (*destructors[NATIVE_KEYS])(void *);
    bool free[NATIVE_KEYS];    /* deleted, and to be had again */
    uint32_t of_start;         /* made by constructors */
    void *values[NATIVE_KEYS]; /* that constructors have set in the main thread */
    uint32_t count;
} keys;

static void run_key_destructors(void)
{
    struct keys_thread *own = keys_of(native.current);
    bool again = true;

    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && again; round++) {
        again = false;
        for (uint32_t key = 0; key < keys.count; key++) {
            void *value = own->values[key];

            if (!value || keys.free[key] || !keys.destructors[key])
                continue;
            own->values[key] = NULL;
            keys.destructors[key](value);
            again = true;
        }
    }
}

void native_leave_thread(void *returned)
{
    native.current->leaves = true;
    exit_handlers_thread_variables();
    run_key_destructors();
    exit_handlers_thread_leaves();
    native_exit_thread(returned);
}

/* ---- calls */

static bool is_key(pthread_key_t key)
{
    return key < keys.count && !keys.free[key];
}

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    uint32_t new = keys.of_start; /* those come back as they were */

    while (new < keys.count && !keys.free[new])
        new ++;
    if (new == NATIVE_KEYS)
        return EAGAIN;
    for (uint32_t i = 0; i < native.threads.count; i++)
        keys_of(native.threads.at[i])->values[new] =
            NULL; /* what a deleted key of that number left */
    if (!native.started)
        keys.values[new] = NULL;
    keys.destructors[new] = destructor;
    keys.free[new] = false;
    if (new == keys.count)
        keys.count++;
    if (!native.current)
        keys.of_start = keys.count;
    *key = new;
    return 0;
}

INTERPOSE int pthread_key_delete(pthread_key_t key)
{
    if (!is_key(key))
        return EINVAL;
    keys.free[key] = true;
    return 0;
}

INTERPOSE int pthread_setspecific(pthread_key_t key, const void *value)
{
    struct keys_thread *own;

    if (!is_key(key) || (!native.current && native.started))
        return EINVAL;
    if (!native.current) {
        keys.values[key] = (void *)value;
        return 0;
    }
    own = keys_of(native.current);
    own->values[key] = (void *)value;
    if (key >= own->used)
        own->used = key + 1;
    return 0;
}

INTERPOSE void *pthread_getspecific(pthread_key_t key)
{
    if (!is_key(key))
        return NULL;
    if (native.current)
        return keys_of(native.current)->values[key];
    return native.started ? NULL : keys.values[key];
}

/* ---- the part */

static void restart(void)
{
    keys.count = keys.of_start;
    memset(keys.free, 0, keys.of_start * sizeof *keys.free);
}

static void thread_begins(struct native_thread *thread)
{
    struct keys_thread *own = keys_of(thread);

    memset(own->values, 0, own->used * sizeof *own->values);
    own->used = 0;
    if (thread->start)
        return;
    memcpy(own->values, keys.values, keys.of_start * sizeof *own->values);
    own->used = keys.of_start;
}

static bool fingerprint(struct fingerprint *into)
{
    fingerprint_word(into, keys.count);
    if (keys.count) {
        fingerprint_bytes(into, keys.destructors, keys.count * sizeof *keys.destructors);
        fingerprint_bytes(into, keys.free, keys.count * sizeof *keys.free);
    }
    return true;
}

/* That nothing was ever set is the same as that it is NULL. */
static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct keys_thread *own = keys_of(thread);
    struct fingerprint sum = {0};
    bool any = false;

    for (uint32_t i = 0; i < own->used && i < keys.count; i++)
        if (own->values[i] && !keys.free[i]) {
            fingerprint_plus(&sum, fingerprint_at(i, (uint64_t)(uintptr_t)own->values[i]));
            any = true;
        }
    if (any)
        fingerprint_bytes(into, &sum, sizeof sum);
    return true;
}

const struct part keys_part = {.name = "keys",
                               .state = &keys,
                               .size = sizeof keys,
                               .thread_size = sizeof(struct keys_thread),
                               .restart = restart,
                               .thread_begins = thread_begins,
                               .fingerprint = fingerprint,
                               .fingerprint_thread = fingerprint_thread};
