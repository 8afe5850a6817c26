#include "runtime/sync/calls.h"

#include <semaphore.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "runtime/hooks/written.h"

/* Objects that constructors of the program have initialised, before there was a run. */
#define EARLY_OBJECTS 4096

static struct {
    struct {
        const void *addr;
        uint64_t state;
        uint8_t kind;
    } early[EARLY_OBJECTS];
    uint32_t count;
} objects;

static void early_note(uint8_t kind, const void *addr, uint64_t state)
{
    uint32_t i = 0;

    while (i < objects.count && (objects.early[i].addr != addr || objects.early[i].kind != kind))
        i++;
    CHECK(i < EARLY_OBJECTS, "constructors initialise too many objects");
    objects.early[i].addr = addr;
    objects.early[i].kind = kind;
    objects.early[i].state = state;
    if (i == objects.count)
        objects.count++;
}

/* ---- the mark: what a call that initialises leaves in the object, where nothing else is kept. An object that lives and does not bear it has become
 * another one: its memory was used for something else meanwhile. */

#define MARK 0x6c646472u

static const size_t mark_offsets[OBJECT_KIND_COUNT] = {
    [OBJECT_MUTEX] = offsetof(pthread_mutex_t, __data.__list),
    [OBJECT_RWLOCK] = offsetof(pthread_rwlock_t, __data.__pad2),
    [OBJECT_COND] = sizeof(pthread_cond_t) - sizeof(uint32_t),
    [OBJECT_SEM] = sizeof(sem_t) - sizeof(uint32_t),
    [OBJECT_BARRIER] = sizeof(pthread_barrier_t) - sizeof(uint32_t),
    [OBJECT_SPIN] = 0,
};

static bool is_marked(enum object_kind kind, const void *object)
{
    uint32_t mark;

    memcpy(&mark, (const char *)object + mark_offsets[kind], sizeof mark);
    return mark == MARK;
}

void calls_mark(enum object_kind kind, void *object)
{
    uint32_t mark = MARK;

    memcpy((char *)object + mark_offsets[kind], &mark, sizeof mark);
}

void calls_unmark(enum object_kind kind, void *copy)
{
    if (is_marked(kind, copy))
        memset((char *)copy + mark_offsets[kind], 0, sizeof(uint32_t));
}

/* A local variable may be another one each time that its function is called, or its block entered. */
static bool is_local(const void *addr)
{
    uint32_t owner;

    if (native_owner(addr, &owner) != STACK_INSIDE)
        return false;
    return (const char *)addr < native_stack_end(native.threads.at[owner]);
}

/* Whether what lives there, if anything does, is still the same. */
static bool is_same(enum object_kind kind, const void *addr)
{
    loc_id loc = world_location(native.world, kind, (uint64_t)(uintptr_t)addr);

    return !is_local(addr) &&
           (!(world_state(native.world, loc) & OBJECT_MADE) || is_marked(kind, addr));
}

void calls_writes(enum object_kind kind, const void *object)
{
    static const size_t sizes[OBJECT_KIND_COUNT] = {
        [OBJECT_MUTEX] = sizeof(pthread_mutex_t),     [OBJECT_RWLOCK] = sizeof(pthread_rwlock_t),
        [OBJECT_COND] = sizeof(pthread_cond_t),       [OBJECT_SEM] = sizeof(sem_t),
        [OBJECT_BARRIER] = sizeof(pthread_barrier_t), [OBJECT_SPIN] = sizeof(pthread_spinlock_t),
    };

    written_note(object, sizes[kind]);
}

void calls_init(enum op_kind kind, const void *addr, uint64_t value)
{
    struct op op = calls_op(kind, addr, false);

    op.value = value;
    if (native.current && is_same(op_infos[kind].object, addr))
        op.size |= OBJECT_SAME;
    if (native.current)
        native_ask(&op);
    else if (!native.started)
        early_note(op_infos[kind].object, addr, value | OBJECT_MADE);
    calls_writes(op_infos[kind].object, addr); /* the caller's to do */
}

void calls_revive(enum op_kind init, const void *addr)
{
    struct world *world = native.world;
    struct op op = calls_op(init, addr, false);
    loc_id loc;

    if (!native.current)
        return;
    loc = world_location(world, op_infos[init].object, (uint64_t)(uintptr_t)addr);
    op.size = OBJECT_APART;
    if (world_state(world, loc) & OBJECT_DESTROYED)
        native_ask(&op);
}

void calls_section(struct op *op)
{
    switch (op->kind) {
    case OP_MUTEX_TRYLOCK:
    case OP_SPIN_TRYLOCK:
    case OP_RWLOCK_TRYRDLOCK:
    case OP_RWLOCK_TRYWRLOCK:
        spin_tries_to_lock();
        calls_try();
        break;
    case OP_MUTEX_LOCK:
    case OP_SPIN_LOCK:
    case OP_RWLOCK_RDLOCK:
    case OP_RWLOCK_WRLOCK:
        calls_try();
        break;
    case OP_MUTEX_UNLOCK:
    case OP_SPIN_UNLOCK:
    case OP_RWLOCK_UNLOCK:
        op->value = native.current && spin_has_written();
        break;
    default:
        break;
    }
}

/* At the start of each run: what constructors initialised. */
static void restart(void)
{
    for (uint32_t i = 0; i < objects.count; i++)
        world_object_set(native.world, objects.early[i].kind,
                         (uint64_t)(uintptr_t)objects.early[i].addr, objects.early[i].state);
}

bool calls_is_zero(const void *memory, size_t size)
{
    const char *bytes = memory;
    uint64_t any = 0;

    for (; size >= sizeof any; size -= sizeof any, bytes += sizeof any) {
        uint64_t word;

        memcpy(&word, bytes, sizeof word);
        any |= word;
    }
    for (size_t i = 0; i < size; i++)
        any |= (unsigned char)bytes[i];
    return !any;
}

const struct part objects_part = {.name = "objects of constructors",
                                  .state = &objects,
                                  .size = sizeof objects,
                                  .restart = restart,
                                  .stateless = true};
