#include "runtime/spin.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "model/channel.h"
#include "runtime/native.h"

/* All that decides what the thread does next, apart from what it reads: the stack from here up, where the callers have
 * saved what they need, its thread-local variables, and the registers that survive calls. That includes bytes that
 * mean nothing; then a loop goes unnoticed, but never the other way round. */
static __attribute__((noinline)) void local_state(uint64_t *state)
{
    const struct native_thread *thread = native.current;
    const char *here = __builtin_frame_address(0);
    const char *top = thread->stack.low + thread->stack.size - NATIVE_PRIVATE_SIZE;
    uint64_t registers[5];
    XXH128_hash_t hash;

    __asm__ volatile("movq %%rbx, 0(%0)\n\t"
                     "movq %%r12, 8(%0)\n\t"
                     "movq %%r13, 16(%0)\n\t"
                     "movq %%r14, 24(%0)\n\t"
                     "movq %%r15, 32(%0)"
                     :
                     : "r"(registers)
                     : "memory");
    hash = XXH3_128bits_withSeed(here, (size_t)(top - here),
                                 XXH3_64bits(registers, sizeof registers) ^
                                     XXH3_64bits(top, thread->private_used));
    state[0] = hash.low64;
    state[1] = hash.high64;
}

static void wait_for_change(struct spin *spin)
{
    struct op op = native_op(OP_AWAIT, &spin->waits);

    spin->waits = spin->reads;
    native_ask(&op);
}

/* A handler of a signal may run on another one. */
static bool on_own_stack(void)
{
    const struct native_thread *thread = native.current;

    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)thread->stack.low <
           thread->stack.size - NATIVE_PRIVATE_SIZE;
}

void spin_forget(void)
{
    if (native.current)
        native.current->spin.site = NULL;
}

/* The state is looked at only when the thread comes back for the first time: most reads are in no loop. */
void spin_before(const struct raddle_site *site)
{
    struct spin *spin = &native.current->spin;

    if ((spin->site && spin->site != site) || native.current->sections || !on_own_stack())
        return;
    if (spin->site) {
        local_state(spin->now); /* not onto this stack: it would be part of the next state */
        if (spin->returns > 0 && spin->reads.count > 0 &&
            memcmp(spin->now, spin->state, sizeof spin->now) == 0)
            wait_for_change(spin);
        memcpy(spin->state, spin->now, sizeof spin->now);
        spin->returns++;
    } else {
        spin->returns = 0;
    }
    spin->site = site;
    spin->reads.count = 0;
}

/* An exchange that leaves what was there, or a compare-exchange that fails, only reads. */
static bool only_reads(const struct op *op, cell_value result)
{
    switch (op->kind) {
    case OP_LOAD:
        return true;
    case OP_CAS:
        return result != cell_cut(op->expect, op->size);
    case OP_RMW:
        return rmw_result(op->variant, result, op->value, op->size) == result;
    default:
        return false;
    }
}

/* False if it does not fit. */
static bool note_channel(struct spin *spin, uint64_t name)
{
    struct world *world = native.world;

    if (!name)
        return true;
    if (spin->reads.count == AWAIT_MAX)
        return false;
    spin->reads.reads[spin->reads.count].addr = name;
    spin->reads.reads[spin->reads.count].value =
        world_state(world, world_location(world, OBJECT_CHANNEL, name));
    spin->reads.reads[spin->reads.count].size = 0;
    spin->reads.reads[spin->reads.count].object = OBJECT_CHANNEL;
    spin->reads.count++;
    return true;
}

/* A try that found nothing, and a look at several channels of which none was ready. */
static bool note_channels(struct spin *spin, const struct op *op, cell_value result)
{
    const struct channel_item *items;
    uint32_t count;

    if (op->kind == OP_CHANNEL_TRYGET || op->kind == OP_CHANNEL_TRYPUT)
        return (int64_t)result == -EAGAIN && note_channel(spin, op->addr);
    if (op->kind != OP_CHANNEL_TRYPOLL || result)
        return false;
    items = channel_list_items(&native.world->channel_lists,
                               channel_poll_list(native.world, &view_now, op), &count);
    if (!note_channel(spin, op->addr))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == CHANNEL_IS_SET || items[i].kind == CHANNEL_IS_READY ||
            !note_channel(spin, items[i].in) || !note_channel(spin, items[i].out))
            return false;
    return true;
}

void spin_after(const struct op *op, cell_value result)
{
    struct spin *spin = &native.current->spin;

    if (op->kind == OP_YIELD || op->kind == OP_AWAIT || note_channels(spin, op, result))
        return;
    if (!only_reads(op, result) || op->size > 8 || spin->reads.count == AWAIT_MAX) {
        spin->site = NULL; /* the next read may be the start of a loop */
        return;
    }
    spin->reads.reads[spin->reads.count].addr = op->addr;
    spin->reads.reads[spin->reads.count].value = (uint64_t)result;
    spin->reads.reads[spin->reads.count].size = op->size;
    spin->reads.reads[spin->reads.count].object = OBJECT_CELL;
    spin->reads.count++;
}
