#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"
#include "runtime/gate/gate.h"
#include "runtime/program/native.h"

/* Objects that live in the kernel: shared memory, semaphores and messages of System V, and queues of POSIX. Those that an execution
 * makes are removed by the restart. What is done to others stays, and is named. */

#define MADE_MAX 256

enum object_family { FAMILY_SHARED_MEMORY, FAMILY_SEMAPHORES, FAMILY_MESSAGES };

static const struct {
    const char *name;
    long control; /* the call with IPC_RMID */
    int command;  /* the number of its argument that says what to do */
} families[] = {
    [FAMILY_SHARED_MEMORY] = {"shared memory of System V", SYS_shmctl, 1},
    [FAMILY_SEMAPHORES] = {"semaphores of System V", SYS_semctl, 2},
    [FAMILY_MESSAGES] = {"messages of System V", SYS_msgctl, 1},
};

/* The objects of this execution. Their numbers are the kernel's, and others each time. */
static struct {
    struct {
        long id;
        enum object_family family;
    } made[MADE_MAX];
    uint32_t count;
} objects;

static void restart(void)
{
    objects.count = 0;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return objects.count == 0;
}

const struct part gate_objects_part = {.name = "objects of the kernel",
                                       .state = &objects,
                                       .size = sizeof objects,
                                       .restart = restart,
                                       .fingerprint = fingerprint};

static bool is_made(enum object_family family, long id)
{
    for (uint32_t i = 0; i < objects.count; i++)
        if (objects.made[i].id == id && objects.made[i].family == family)
            return true;
    return false;
}

static void stays(enum object_family family)
{
    char text[100];

    snprintf(text, sizeof text, "a change of %s that were there before the run",
             families[family].name);
    gate_stays(text);
}

/* Whether the key leads to an object already. */
static bool is_there(const struct gate_call *call)
{
    long key = call->a[0];

    if (key == IPC_PRIVATE)
        return false;
    return call->number == SYS_semget   ? syscall(SYS_semget, key, 0, 0) >= 0
           : call->number == SYS_shmget ? syscall(SYS_shmget, key, 0, 0) >= 0
                                        : syscall(SYS_msgget, key, 0) >= 0;
}

static bool get(struct gate_call *call, enum object_family family, long *result)
{
    bool old = is_there(call);
    struct undo_call undo = {.number = families[family].control, .outlives = true};

    *result = gate_do(call);
    if (*result < 0 || old)
        return true;
    undo.arguments[0] = *result;
    undo.arguments[families[family].command] = IPC_RMID;
    gate_undo(&undo, -1);
    if (objects.count < MADE_MAX)
        objects.made[objects.count++] = (__typeof__(objects.made[0])){*result, family};
    return true;
}

bool gate_shared_memory(struct gate_call *call, long *result)
{
    return get(call, FAMILY_SHARED_MEMORY, result);
}

bool gate_semaphores(struct gate_call *call, long *result)
{
    return get(call, FAMILY_SEMAPHORES, result);
}

bool gate_messages(struct gate_call *call, long *result)
{
    return get(call, FAMILY_MESSAGES, result);
}

static bool is_question(enum object_family family, long command)
{
    static const int questions[] = {IPC_STAT, IPC_INFO, SHM_STAT, SHM_INFO,
                                    SEM_STAT, SEM_INFO, MSG_STAT, MSG_INFO};
    static const int of_semaphores[] = {GETPID, GETVAL, GETALL, GETNCNT, GETZCNT};

    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if ((command & 0xff) == questions[i])
            return true;
    for (size_t i = 0; i < sizeof of_semaphores / sizeof *of_semaphores; i++)
        if (family == FAMILY_SEMAPHORES && (command & 0xff) == of_semaphores[i])
            return true;
    return false;
}

static bool control(struct gate_call *call, enum object_family family, long *result)
{
    *result = gate_do(call);
    if (*result >= 0 && !is_question(family, call->a[families[family].command]) &&
        !is_made(family, call->a[0]))
        stays(family);
    return true;
}

bool gate_shared_memory_control(struct gate_call *call, long *result)
{
    return control(call, FAMILY_SHARED_MEMORY, result);
}

bool gate_semaphores_control(struct gate_call *call, long *result)
{
    return control(call, FAMILY_SEMAPHORES, result);
}

bool gate_messages_control(struct gate_call *call, long *result)
{
    return control(call, FAMILY_MESSAGES, result);
}

static bool used(struct gate_call *call, enum object_family family, long *result)
{
    *result = gate_do(call);
    if (*result >= 0 && !is_made(family, call->a[0]))
        stays(family);
    return true;
}

bool gate_semaphores_used(struct gate_call *call, long *result)
{
    return used(call, FAMILY_SEMAPHORES, result);
}

bool gate_messages_used(struct gate_call *call, long *result)
{
    return used(call, FAMILY_MESSAGES, result);
}

/* ---- queues of POSIX. The kernel's calls take the name without its slash. */

bool gate_queue_open(struct gate_call *call, long *result)
{
    const char *name = (const char *)call->a[0];
    long there = syscall(SYS_mq_open, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0, NULL);
    bool old = there >= 0 || errno != ENOENT;
    struct undo_call undo = {.number = SYS_mq_unlink, .data = (void *)name, .outlives = true};

    if (there >= 0)
        kernel_close((int)there);
    *result = gate_do(call);
    if (*result < 0)
        return true;
    if (old && call->a[1] & (O_WRONLY | O_RDWR))
        gate_stays("a message queue that was there before, or is opened twice");
    undo.data_size = strlen(name) + 1;
    if (!old)
        gate_undo(&undo, 0);
    return true;
}

/* The one that the run has made is gone then; any other stays gone. */
bool gate_queue_gone(struct gate_call *call, long *result)
{
    const struct undo *undo = &native.session->undo;

    *result = gate_do(call);
    if (*result < 0)
        return true;
    for (uint32_t i = 0; i < undo->calls.count; i++)
        if (undo->calls.at[i].number == SYS_mq_unlink &&
            strcmp(undo->calls.at[i].data, (const char *)call->a[0]) == 0)
            return true;
    gate_stays("a message queue that was there before and is removed");
    return true;
}
