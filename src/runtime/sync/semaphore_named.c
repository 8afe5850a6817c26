#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/sync/calls.h"

/* Semaphores with a name. They live in this process, for one run; the names of the system are not looked at, except to notice a
 * program that counts on another process. A lock of its own orders the calls. */

#define NAMED_MAX 64

/* The nth semaphore of that name in a run is always at the same place. */
struct named {
    char name[NAME_MAX + 1];
    uint32_t nth;
    uint32_t opened; /* how often it is open */
    bool made;       /* in this run */
    bool linked;     /* its name still leads to it */
    sem_t sem;
};

static struct {
    struct named at[NAMED_MAX];
    pthread_mutex_t lock;
    bool used; /* in this run */
} named;

static void names_leave(void)
{
    struct op op = native_op(OP_MUTEX_UNLOCK, &named.lock);

    op.value = 1; /* the names may have changed */
    calls_ask(&op, 0);
}

static sem_t *no_semaphore(int error)
{
    errno = error;
    return SEM_FAILED;
}

static int failed(int error)
{
    errno = error;
    return -1;
}

static void restart(void)
{
    if (!named.used)
        return;
    named.used = false;
    for (uint32_t i = 0; i < NAMED_MAX; i++) {
        named.at[i].opened = 0;
        named.at[i].made = named.at[i].linked = false;
    }
}

/* Without the slashes in front; NULL if there can be no such name. */
static const char *plain_name(const char *name)
{
    while (*name == '/')
        name++;
    return *name && !strchr(name, '/') && strlen(name) < NAME_MAX - 4 ? name : NULL;
}

static struct named *named_find(const char *name)
{
    for (uint32_t i = 0; i < NAMED_MAX; i++)
        if (named.at[i].linked && strcmp(named.at[i].name, name) == 0)
            return &named.at[i];
    return NULL;
}

static struct named *named_of(const sem_t *sem)
{
    for (uint32_t i = 0; i < NAMED_MAX; i++)
        if (named.at[i].opened > 0 && &named.at[i].sem == sem)
            return &named.at[i];
    return NULL;
}

/* A place for one more semaphore of that name, or NULL. */
static struct named *named_place(const char *name)
{
    uint32_t nth = 0;

    for (uint32_t i = 0; i < NAMED_MAX; i++)
        nth += named.at[i].made && strcmp(named.at[i].name, name) == 0;
    for (uint32_t i = 0; i < NAMED_MAX; i++) {
        if (!named.at[i].name[0]) {
            strcpy(named.at[i].name, name);
            named.at[i].nth = nth;
        }
        if (named.at[i].nth == nth && !named.at[i].made && strcmp(named.at[i].name, name) == 0)
            return &named.at[i];
    }
    return NULL;
}

static bool is_of_system(const char *name)
{
    char path[NAME_MAX + 32];

    snprintf(path, sizeof path, "/dev/shm/sem.%s", name);
    return access(path, F_OK) == 0;
}

static sem_t *named_open(const char *name, int flags, unsigned value)
{
    struct named *found = named_find(name);

    if (found && (flags & O_CREAT) && (flags & O_EXCL))
        return no_semaphore(EEXIST);
    if (!found && is_of_system(name))
        native_unsupported("named semaphores that other processes have made");
    if (!found && !(flags & O_CREAT))
        return no_semaphore(ENOENT);
    if (!found) {
        if (value > SEM_VALUE_MAX)
            return no_semaphore(EINVAL);
        found = named_place(name);
        if (!found) {
            native_unsupported("so many named semaphores");
            return no_semaphore(ENOSPC);
        }
        calls_init(OP_SEM_INIT, &found->sem, value);
        found->made = found->linked = named.used = true;
    }
    found->opened++;
    return &found->sem;
}

INTERPOSE sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned value = 0;
    va_list arguments;
    sem_t *sem;

    if (flags & O_CREAT) {
        va_start(arguments, flags);
        (void)va_arg(arguments, mode_t);
        value = va_arg(arguments, unsigned);
        va_end(arguments);
    }
    name = plain_name(name);
    if (!name)
        return no_semaphore(EINVAL);
    native_call(OP_MUTEX_LOCK, &named.lock);
    sem = named_open(name, flags, value);
    names_leave();
    return sem;
}

/* The end of one that nobody has open and no name leads to. */
static void named_end(struct named *end)
{
    struct op op = calls_op(OP_SEM_DESTROY, &end->sem, true);

    if (end->opened == 0 && !end->linked)
        calls_ask(&op, 0);
}

INTERPOSE int sem_close(sem_t *sem)
{
    struct named *found;
    int result = 0;

    native_call(OP_MUTEX_LOCK, &named.lock);
    found = named_of(sem);
    if (found) {
        found->opened--;
        named_end(found);
    } else {
        result = failed(EINVAL);
    }
    names_leave();
    return result;
}

INTERPOSE int sem_unlink(const char *name)
{
    struct named *found;
    int result = 0;

    name = plain_name(name);
    if (!name)
        return failed(ENOENT);
    native_call(OP_MUTEX_LOCK, &named.lock);
    found = named_find(name);
    if (found) {
        found->linked = false;
        named_end(found);
    } else {
        result = failed(ENOENT);
    }
    names_leave();
    return result;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !named.used;
}

const struct part named_part = {.name = "named semaphores",
                                .state = &named,
                                .size = sizeof named,
                                .restart = restart,
                                .fingerprint = fingerprint};
