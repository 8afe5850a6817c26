#include "runtime/program/spin.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include "model/channel.h"
#include "model/object.h"
#include "runtime/program/additions.h"
#include "runtime/program/rounds.h"

/* All that decides what the thread does next, apart from what it reads: the stack from here up, where the callers have
 * saved what they need, its thread-local variables, the registers that survive calls, and the locks that it holds. That includes
 * bytes that mean nothing; then a loop goes unnoticed, but never the other way round. */
static __attribute__((noinline)) void local_state(uint64_t *state)
{
    const struct native_thread *thread = native.current;
    const char *here = __builtin_frame_address(0);
    const char *top = native_stack_end(thread);
    const char *variables_end = __builtin_thread_pointer();
    const struct spin *spin = spin_of(thread);
    struct spin_image *image = spin->images ? &spin->images->now : NULL;
    uint64_t registers[5];
    uint64_t variables = XXH3_64bits(variables_end - tls.below, tls.below) ^ spin->locks;
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
                                 XXH3_64bits(registers, sizeof registers) ^ variables);
    state[0] = hash.low64;
    state[1] = hash.high64;
    if (!image)
        return;
    image->low = (size_t)(top - here) <= SPIN_IMAGE_MAX ? here : NULL;
    image->size = image->low ? (uint32_t)(top - here) : 0;
    image->variables = variables;
    memcpy(image->registers, registers, sizeof registers);
    memcpy(image->bytes, here, image->size);
}

void spin_looks(uint64_t seconds)
{
    struct spin *spin = spin_of(native.current);

    rounds_change();
    if (!spin->images) {
        spin->images = arena_alloc(&native.memory, sizeof *spin->images);
        spin->images->place.low = spin->images->wait.low = NULL;
    }
    spin->passed.looked = spin->wait.passed.looked = true;
    spin->passed.seconds += seconds;
    spin->wait.passed.seconds += seconds;
    spin->probe.elapsed += seconds;
}

static struct spin_image *image_of_place(const struct spin *spin)
{
    return spin->images ? &spin->images->place : NULL;
}

static struct spin_image *image_of_wait(const struct spin *spin)
{
    return spin->images ? &spin->images->wait : NULL;
}

/* Whether the thread, whose state is `spin->now`, has been in that state at the same place, as far as it can tell now. */
static bool is_again(struct spin *spin, const struct raddle_site *site, const uint64_t *state,
                     const struct spin_passed *passed, const struct spin_image *then)
{
    if (!passed->looked)
        return memcmp(spin->now, state, sizeof spin->now) == 0;
    if (!spin_image_moved(then, &spin->images->now, passed->seconds)) {
        if (spin->probe.state == state)
            probe_differs(&spin->probe);
        return false;
    }
    spin->far = passed->seconds < SPIN_FAR;
    if (spin->far) {
        probe_again(&spin->probe, site, state);
        return false;
    }
    return probe_ends(&spin->probe, state);
}

/* The state is to be compared with from now on. */
static void state_keep(const struct spin *spin, uint64_t *state, struct spin_passed *passed,
                       struct spin_image *image)
{
    memcpy(state, spin->now, sizeof spin->now);
    if (passed->looked)
        spin_image_copy(image, &spin->images->now);
    *passed = (struct spin_passed){0};
}

static void wait_for_change(struct spin *spin)
{
    struct op op = native_op(OP_AWAIT, &spin->waits);

    spin->waits = spin->reads;
    additions_await(&spin->waits);
    native_ask(&op);
}

/* A handler of a signal may run on another one. */
static bool on_own_stack(void)
{
    const struct native_thread *thread = native.current;

    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)thread->stack.low <
           thread->stack.size - tls.room;
}

void spin_forget(void)
{
    if (native.current)
        spin_wrote();
}

void spin_wrote(void)
{
    struct spin *spin = spin_of(native.current);

    rounds_change();
    spin->site = NULL;
    spin->longer = 0;
    spin->writes++;
    spin->far = false;
    probe_fails(&spin->probe);
    spin->probe.elapsed = 0;
}

void spin_settle(void)
{
    if (!__raddle_quick.wrote)
        return;
    __raddle_quick.wrote = 0;
    spin_wrote();
}

bool spin_has_written(void)
{
    const struct spin *spin = spin_of(native.current);

    spin_settle();
    return spin->writes != spin->lock_writes;
}

/* The state is looked at only when the thread comes back for the first time: most reads are in no loop. */
void spin_before(const struct raddle_site *site)
{
    struct spin *spin = spin_of(native.current);

    spin_settle();
    if (!site || (spin->site && spin->site != site) || native.current->sections || !on_own_stack())
        return;
    if (spin->site) {
        local_state(spin->now); /* not onto this stack: it would be part of the next state */
        if (spin->returns > 0 && spin->reads.count > 0 &&
            is_again(spin, site, spin->state, &spin->passed, image_of_place(spin)))
            wait_for_change(spin);
        state_keep(spin, spin->state, &spin->passed, image_of_place(spin));
        spin->returns++;
    } else {
        spin->returns = 0;
        spin->passed = (struct spin_passed){0};
    }
    spin->site = site;
    spin->reads.count = 0;
}

/* ---- what counts as reading */

/* Tries that fail, and looks at objects: they read the object, in the state it is in right now. */
static bool object_is_read(const struct op *op, cell_value result, uint64_t *addr)
{
    *addr = op->addr;
    switch (op->kind) {
    case OP_MUTEX_LOCK:
    case OP_MUTEX_TRYLOCK:
    case OP_SPIN_LOCK:
    case OP_SPIN_TRYLOCK:
    case OP_RWLOCK_RDLOCK:
    case OP_RWLOCK_WRLOCK:
    case OP_RWLOCK_TRYRDLOCK:
    case OP_RWLOCK_TRYWRLOCK:
        return result != LOCK_GOT && result != LOCK_GOT_FROM_DEAD;
    case OP_MUTEX_UNLOCK:
        return result != LOCK_GOT;
    case OP_SEM_TRYWAIT:
    case OP_THREAD_TRYJOIN:
        return result == 0;
    case OP_THREAD_TESTCANCEL:
        *addr = thread_cancel_addr(native.current->agent);
        return result == 0;
    case OP_SEM_VALUE:
        return true;
    default:
        return false;
    }
}

/* An exchange that leaves what was there, or a compare-exchange that fails, only reads. */
static bool cell_is_read(const struct op *op, cell_value result)
{
    switch (op->kind) {
    case OP_LOAD:
        return op->size <= 8;
    case OP_CAS:
        return op->size <= 8 && result != cell_cut(op->expect, op->size);
    case OP_RMW:
        return op->size <= 8 && rmw_result(op->variant, result, op->value, op->size) == result;
    default:
        return false;
    }
}

static bool await_add(struct await *await, uint8_t object, uint64_t addr, uint8_t size,
                      uint64_t value)
{
    if (await->count == AWAIT_MAX)
        return false;
    await->reads[await->count].object = object;
    await->reads[await->count].addr = addr;
    await->reads[await->count].size = size;
    await->reads[await->count++].value = value;
    return true;
}

/* A thread that has not come back to its place after some reads may have passed by there before the loop began: the next place is one
 * farther on, and gets twice as many (Brent's way to find cycles). */
static void note_read(struct spin *spin, uint8_t object, uint64_t addr, uint8_t size,
                      uint64_t value)
{
    rounds_read(object, addr, size, value);
    if (spin->site && spin->reads.count == SPIN_READS << spin->longer) {
        spin->site = NULL;
        spin->longer += SPIN_READS << spin->longer < AWAIT_MAX;
    }
    if (spin->site)
        await_add(&spin->reads, object, addr, size, value);
    /* one place is kept for the mutex of the wait */
    if (spin->wait.site && (spin->wait.reads.count == AWAIT_MAX - 1 ||
                            !await_add(&spin->wait.reads, object, addr, size, value)))
        spin->wait.too_many = true;
}

static uint64_t state_of(uint8_t object, uint64_t addr)
{
    return world_state(native.world, world_location(native.world, object, addr));
}

static bool note_channel(struct spin *spin, uint64_t name)
{
    if (name)
        note_read(spin, OBJECT_CHANNEL, name, 0, state_of(OBJECT_CHANNEL, name));
    return true;
}

/* A try that found nothing, and a look at several channels of which none was ready. */
static bool note_channels(struct spin *spin, const struct op *op, cell_value result)
{
    const struct channel_item *items;
    uint32_t count;

    if (op->kind == OP_CHANNEL_TRYGET || op->kind == OP_CHANNEL_TRYPUT ||
        op->kind == OP_FILE_TRYLOCK)
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

static void note_object(struct spin *spin, const struct op *op, uint64_t addr)
{
    uint8_t object = op_infos[op->kind].object;

    note_read(spin, object, addr, 0, state_of(object, addr));
    if (object == OBJECT_RWLOCK && op->variant & OBJECT_WRITERS_FIRST)
        note_read(spin, object, rwlock_wants_addr(addr), 0,
                  state_of(object, rwlock_wants_addr(addr)));
}

/* ---- critical sections that only read: to have been in one more of them makes no difference to anybody, unless somebody tries
 * the lock and fails. A round of a loop that ends with more or fewer locks than it began with is not the same state again. */

static uint64_t lock_name(const struct op *op)
{
    return mix64(op->addr ^ (uint64_t)op_infos[op->kind].object << 56);
}

static bool is_lock(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;

    return object == OBJECT_MUTEX || object == OBJECT_SPIN || object == OBJECT_RWLOCK;
}

/* Each time that a recursive one is taken counts. */
static bool takes_lock(const struct op *op, cell_value result)
{
    return is_lock(op) &&
           (op_infos[op->kind].sync == SYNC_ACQUIRE ||
            op_infos[op->kind].sync == SYNC_ACQUIRE_SHARED) &&
           (result == LOCK_GOT || result == LOCK_GOT_FROM_DEAD);
}

static bool gives_lock(const struct op *op, cell_value result)
{
    return op->kind == OP_RWLOCK_UNLOCK ||
           ((op->kind == OP_MUTEX_UNLOCK || op->kind == OP_SPIN_UNLOCK) && result == LOCK_GOT);
}

static void note_lock(struct spin *spin, const struct op *op, cell_value result)
{
    rounds_change();
    if (spin->held++ == 0)
        spin->lock_writes = spin->writes;
    spin->locks += lock_name(op);
    if (!(op_infos[op->kind].flags & OP_BLOCK) || result != LOCK_GOT)
        spin_wrote(); /* a try that succeeds, what a dead thread has left behind */
}

static void note_unlock(struct spin *spin, const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;

    rounds_change();
    if (spin->held > 0)
        spin->held--;
    spin->locks -= lock_name(op);
    if (op->value || native.session->tries_to_lock) {
        spin_wrote();
        return;
    }
    native.session->looks_by_lock = true;
    note_read(spin, object, op->addr, AWAIT_STAMP,
              state_of(object, lock_stamp_addr(object, op->addr)) & LOCK_STAMP_MASK);
}

void spin_tries_to_lock(void)
{
    struct session *session = native.session;

    if (!native.current || session->tries_to_lock)
        return;
    session->tries_to_lock = true;
    session->begin_anew |= session->looks_by_lock;
}

const struct await *spin_before_wait(const struct raddle_site *site, const void *mutex)
{
    struct spin *spin = spin_of(native.current);
    uint64_t addr = (uint64_t)(uintptr_t)mutex;
    uint64_t stamp = state_of(OBJECT_MUTEX, addr) & LOCK_STAMP_MASK;
    bool again;

    spin_settle();
    local_state(spin->now);
    again = site && on_own_stack() && spin->wait.site == site &&
            spin->wait.writes == spin->writes && !spin->wait.too_many && spin->held == 1 &&
            !native.session->tries_to_lock &&
            is_again(spin, site, spin->wait.state, &spin->wait.passed, image_of_wait(spin));
    spin->waits = spin->wait.reads;
    spin->wait.site = site;
    spin->wait.writes = spin->writes;
    spin->wait.too_many = false;
    spin->wait.reads.count = 0;
    state_keep(spin, spin->wait.state, &spin->wait.passed, image_of_wait(spin));
    if (!again)
        return NULL;
    native.session->looks_by_lock = true;
    additions_await(&spin->waits);
    CHECK(await_add(&spin->waits, OBJECT_MUTEX, addr, AWAIT_STAMP, stamp), "no place for a mutex");
    return &spin->waits;
}

/* What no other thread can notice and the next round does again: it is neither a read nor a write. An assumption or assertion that
 * the thread comes back from has held. Fences are about the accesses around them. */
static bool is_nothing(const struct op *op, cell_value result)
{
    return op->kind == OP_YIELD || op->kind == OP_AWAIT || op->kind == OP_FENCE ||
           op->kind == OP_ASSUME || op->kind == OP_ASSERT ||
           (op->kind == OP_COND_TIMEDWAIT && result == WAIT_TIMED_OUT);
}

static bool order_is_both(uint8_t order)
{
    return order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

/* Whether it tells its thread, or another one, something about threads that it is not ordered with. A read that does not acquire, a write that does not
 * release, and a try that fails do. */
static bool is_informal(const struct op *op, cell_value result)
{
    uint64_t addr;

    switch (op->kind) {
    case OP_LOAD:
        return !(op->variant & OP_VARIANT_PLAIN) && op->order != ORDER_ACQUIRE &&
               !order_is_both(op->order);
    case OP_STORE:
        return !(op->variant & OP_VARIANT_PLAIN) && op->order != ORDER_RELEASE &&
               !order_is_both(op->order);
    case OP_RMW:
        return !order_is_both(op->order);
    case OP_CAS:
        if (result == cell_cut(op->expect, op->size))
            return !order_is_both(op->order);
        return op->variant != ORDER_ACQUIRE && !order_is_both(op->variant);
    default:
        return op_infos[op->kind].object == OBJECT_CHANNEL || object_is_read(op, result, &addr);
    }
}

/* What of that matters to rounds that change nothing. */
static void rounds_after(const struct op *op, cell_value result)
{
    if (is_informal(op, result))
        rounds_informal();
    if (cell_is_read(op, result))
        rounds_source(op, (uint64_t)result);
    else if (op->kind == OP_AWAIT || op->kind == OP_COND_TIMEDWAIT)
        rounds_change();
    else if (is_nothing(op, result) && op->kind != OP_YIELD)
        rounds_between();
}

void spin_after(const struct op *op, cell_value result)
{
    struct spin *spin = spin_of(native.current);
    uint64_t addr;

    /* the usual ones, of which all that follows says no more than that they write */
    if (op->kind == OP_STORE || op->kind == OP_THREAD_CREATE || op->kind == OP_THREAD_JOIN) {
        spin_wrote();
        if (op->kind == OP_STORE && is_informal(op, result))
            rounds_informal();
        return;
    }

    if (note_channels(spin, op, result)) {
        rounds_informal();
        return;
    }
    if (cell_is_read(op, result)) {
        note_read(spin, OBJECT_CELL, op->addr, op->size, (uint64_t)result);
        if (op->kind == OP_RMW && op->expect == RMW_UNUSED)
            rounds_change(); /* what it has found depends on which order of its like was tried */
    } else if (object_is_read(op, result, &addr))
        note_object(spin, op, addr);
    else if (takes_lock(op, result))
        note_lock(spin, op, result);
    else if (gives_lock(op, result))
        note_unlock(spin, op);
    else if (!is_nothing(op, result))
        spin_wrote();
    if ((op->kind == OP_COND_WAIT || op->kind == OP_COND_TIMEDWAIT) && spin->held == 1)
        spin->lock_writes = spin->writes; /* it has just taken its only mutex again */
    rounds_after(op, result);
}

/* What the last run has left on the stack must not make its state another one: in a replay there is nothing. */
static void stack_clear(const struct native_thread *thread)
{
    if (thread->stack.low)
        memset(native_stack_end(thread) - SPIN_IMAGE_MAX, 0, SPIN_IMAGE_MAX);
}

static void thread_begins(struct native_thread *thread)
{
    struct spin *spin = spin_of(thread);
    struct spin_images *images = spin->images;

    memset(spin, 0, offsetof(struct spin, wait.reads));
    spin->wait.reads.count = spin->reads.count = spin->waits.count = 0;
    if (!images)
        return;
    images->place.low = images->wait.low = NULL;
    stack_clear(thread);
}

/* How far the thread is in finding out that it waits: else a round of its loop would look like a cycle, and it would never come to wait. What it has read does
 * not count: if that has changed, it goes round once more. Whether it has written since it took its locks is part of how it gives them back. */
static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct spin *spin = spin_of(thread);

    if (spin->held) {
        fingerprint_word(into, (uint64_t)spin->held << 1 | (spin->writes != spin->lock_writes));
        fingerprint_word(into, spin->locks);
    }
    if (spin->site) {
        fingerprint_word(into, (uint64_t)(uintptr_t)spin->site);
        fingerprint_word(into, (uint64_t)spin->longer << 32 | spin->reads.count << 1 |
                                   (spin->returns > 0));
    }
    return !spin->probe.on && !spin->passed.looked;
}

static bool sites_alike(const struct raddle_site *x, const struct raddle_site *y)
{
    return x == y || (x && y && x->residual && x->residual == y->residual);
}

static bool spins_alike(const struct native_thread *a, const struct native_thread *b)
{
    const struct spin *x = spin_of(a), *y = spin_of(b);

    return !x->probe.on && !y->probe.on && !x->passed.looked && !y->passed.looked &&
           x->held == y->held && !x->held && sites_alike(x->site, y->site) &&
           (!x->site || (x->longer == y->longer && x->reads.count == y->reads.count &&
                         (x->returns > 0) == (y->returns > 0)));
}

const struct part spin_part = {.name = "spin",
                               .thread_size = sizeof(struct spin),
                               .thread_begins = thread_begins,
                               .stateless = true,
                               .fingerprint_thread = fingerprint_thread,
                               .alike = spins_alike};
