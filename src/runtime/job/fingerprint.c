#include "runtime/job/fingerprint.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "runtime/core/image.h"
#include "runtime/hooks/written.h"
#include "runtime/program/native.h"
#include "runtime/signals/signals.h"

/* The local state of a thread is what is live in the functions that it is inside of. Instrumented ones say what that is (hooks.h). Where other code is
 * on the stack, or where an instrumented function cannot say it, the bytes of the stack are taken as they are, from where the thread has stopped
 * up to the next instrumented function beyond: in them are all that this code needs, registers included, and bytes that mean
 * nothing, so equal states may look different there, but never the other way round. */

static struct native_thread *thread_of(agent_id agent)
{
    return native.threads.at[native.world->agents.at[agent].key];
}

/* ---- what the runtime itself still has to do */

/* Whether the address is in memory of the runtime, which knows more about such an object than its operation says. */
static bool is_ours(uint64_t addr)
{
    static struct dl_find_object own; /* outlives a run: modules stay where they are */

    if (!own.dlfo_map_end)
        _dl_find_object(&native, &own);
    return addr >= (uint64_t)(uintptr_t)own.dlfo_map_start &&
           addr < (uint64_t)(uintptr_t)own.dlfo_map_end;
}

/* Operations of calls that do nothing behind them but return what came of it, or what follows from that and from their arguments, which
 * are live before the call. */
static bool is_last_of_call(uint8_t kind)
{
    switch (kind) {
    case OP_MUTEX_LOCK:
    case OP_MUTEX_TRYLOCK:
    case OP_MUTEX_UNLOCK:
    case OP_SPIN_LOCK:
    case OP_SPIN_TRYLOCK:
    case OP_SPIN_UNLOCK:
    case OP_RWLOCK_RDLOCK:
    case OP_RWLOCK_WRLOCK:
    case OP_RWLOCK_TRYRDLOCK:
    case OP_RWLOCK_TRYWRLOCK:
    case OP_RWLOCK_UNLOCK:
    case OP_COND_WAIT:
    case OP_COND_RELOCK:
    case OP_COND_SIGNAL:
    case OP_COND_BROADCAST:
    case OP_SEM_WAIT:
    case OP_SEM_TRYWAIT:
    case OP_SEM_POST:
    case OP_BARRIER_WAIT:
    case OP_BARRIER_LEAVE:
    case OP_THREAD_JOIN:
    case OP_YIELD:
        return true;
    default:
        return false;
    }
}

/* Whether the function of the frame has called the runtime, with no other code between that would go on behind it. */
static bool calls_runtime(const struct raddle_frame *frame, const struct op *op)
{
    return frame->into == hook_into_runtime(frame->site) ||
           (frame->site->flags & SITE_KNOWN &&
            (op->kind == OP_YIELD || op->kind == OP_SECTION_BEGIN));
}

/* Whether nothing is on the stack of the thread, above its innermost frame, that counts. */
static bool is_at_site(const struct native_thread *thread, const struct op *op)
{
    const struct raddle_frame *frame = thread->frames;

    if (signals_sent || native.session->cancels || thread->handlers)
        return false;
    if (op->kind == OP_SECTION_BEGIN)
        return op->variant == OP_VARIANT_ANNOTATED && thread->sections == 1 &&
               calls_runtime(frame, op);
    if (thread->sections)
        return false;
    if (frame->site->flags & SITE_ACCESS)
        return op->kind == OP_LOAD || op->kind == OP_STORE || op->kind == OP_RMW ||
               op->kind == OP_CAS || op->kind == OP_FENCE || op->kind == OP_AWAIT;
    return is_last_of_call(op->kind) && !is_ours(op->addr) && calls_runtime(frame, op);
}

/* ---- frames */

#define FRAMES_MAX 100000u

/* It lies in what the thread uses of its stack. Frames of functions that were inlined lie next to that of their caller, in any order. */
static bool is_frame(const struct native_thread *thread, const struct raddle_frame *frame)
{
    uintptr_t low = (uintptr_t)thread->fiber.sp, end = (uintptr_t)native_stack_end(thread);

    return (uintptr_t)frame >= low && (uintptr_t)frame < end - sizeof *frame &&
           (uintptr_t)frame % sizeof(void *) == 0;
}

/* Whether the frame below was made by a function that this one has called itself. */
static bool calls_directly(const struct raddle_frame *frame)
{
    return frame->site->flags & SITE_INSIDE || frame->into == frame->site;
}

#define KNOWN 64

static bool begins_instrumented(const struct native_thread *thread)
{
    static const void *known[KNOWN]; /* outlives a run: some that were found to be so */
    const void *function = thread->start ? (const void *)thread->start : (const void *)native.main;
    const void **place = &known[mix64((uint64_t)(uintptr_t)function) % KNOWN];

    if (function != *place && image_is_framed_code(function))
        *place = function;
    return function == *place;
}

/* Up to where bytes must be taken as they are. NULL: what looks like frames is not what is on the stack. */
const char *fingerprint_bytes_end(const struct native_thread *thread, const struct op *op)
{
    const char *sp = thread->fiber.sp, *end = sp, *top = native_stack_end(thread);
    const struct raddle_frame *frame = thread->frames;
    uint32_t count = 0;

    if (sp < thread->stack.low || sp >= top)
        return NULL; /* on a stack for handlers */
    if (!frame || thread->leaves)
        return top;
    if (!is_frame(thread, frame))
        return NULL;
    if (!is_at_site(thread, op))
        end = (const char *)frame;
    for (; frame; frame = frame->up) {
        if (count++ == FRAMES_MAX || !is_frame(thread, frame))
            return NULL;
        if (!(frame->site->flags & SITE_LIVE))
            return top;
        if (frame != thread->frames && !calls_directly(frame) && (const char *)frame > end)
            end = (const char *)frame;
    }
    return begins_instrumented(thread) ? end : top;
}

static void live_add(const struct raddle_frame *frame, const struct raddle_live *live,
                     struct fingerprint *into)
{
    uint64_t slot = frame->slots[live->slot];

    if (live->in_memory)
        fingerprint_bytes(into, (const void *)(uintptr_t)slot,
                          live->size ? live->size : frame->slots[live->slot + 1]);
    else if (live->size > 8)
        fingerprint_bytes(into, &frame->slots[live->slot], 16);
    else
        fingerprint_word(into, slot);
}

static void frame_add(const struct raddle_frame *frame, struct fingerprint *into)
{
    const struct raddle_site *site = frame->site;

    fingerprint_word(into, (uint64_t)(uintptr_t)site);
    for (uint32_t i = 0; i < site->live_count; i++)
        live_add(frame, &site->live[i], into);
}

static bool stack_add(const struct native_thread *thread, const struct op *op,
                      struct fingerprint *into)
{
    const char *sp = thread->fiber.sp, *end = fingerprint_bytes_end(thread, op);

    if (!end)
        return false;
    fingerprint_word(into, (uint64_t)(end - sp));
    if (end > sp)
        fingerprint_bytes(into, sp, (size_t)(end - sp));
    /* those among the bytes, too: what they keep in memory may be beyond */
    for (const struct raddle_frame *frame = end < native_stack_end(thread) ? thread->frames : NULL;
         frame; frame = frame->up)
        frame_add(frame, into);
    return true;
}

/* ---- what else is a thread's own */

/* As fiber_switch leaves it at the stack pointer. */
static void floats_add(const struct native_thread *thread, struct fingerprint *into)
{
    struct fiber_floats floats;

    memcpy(&floats.mxcsr, thread->fiber.sp, sizeof floats.mxcsr);
    memcpy(&floats.control, (const char *)thread->fiber.sp + sizeof floats.mxcsr,
           sizeof floats.control);
    fingerprint_word(into, (uint64_t)floats.mxcsr << 16 | floats.control);
}

/* Where something is in the thread-local memory of all threads. */
static ptrdiff_t offset_of(const void *at)
{
    return (const char *)at - (const char *)__builtin_thread_pointer();
}

/* Exceptions that a thread has thrown and not done with are libstdc++'s and the unwinder's: what they know of them is not told. */
static bool has_exceptions(const char *pointer)
{
    static bool known;       /* outlives a run: libraries stay where they are */
    static ptrdiff_t offset; /* outlives a run: the same */
    struct {
        void *caught;
        unsigned uncaught;
    } exceptions;

    if (!known) {
        void *(*globals)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "__cxa_get_globals");

        offset = globals ? offset_of(globals()) : 0;
        known = true;
    }
    if (!offset)
        return false;
    memcpy(&exceptions, pointer + offset, sizeof exceptions);
    return exceptions.caught || exceptions.uncaught;
}

void fingerprint_prepare(void)
{
    has_exceptions(__builtin_thread_pointer());
}

bool fingerprint_throws(const struct native_thread *thread)
{
    return has_exceptions(thread->fiber.pointer);
}

ptrdiff_t fingerprint_errno(void)
{
    return offset_of(&errno);
}

/* Variables, without errno, which the engine may have changed: the thread has it on its stack, and puts it back. */
static void variables_add(const struct native_thread *thread, struct fingerprint *into)
{
    const char *pointer = thread->fiber.pointer;
    const char *low = pointer - tls.below, *error = pointer + offset_of(&errno);

    fingerprint_word(into, (uint32_t)thread->error);
    if (error < low || error >= pointer) {
        fingerprint_bytes(into, low, tls.below);
        return;
    }
    fingerprint_bytes(into, low, (size_t)(error - low));
    fingerprint_bytes(into, error + sizeof errno,
                      (size_t)(pointer - error - (ptrdiff_t)sizeof errno));
}

/* It does nothing any more. */
static bool is_over(const struct op *op)
{
    return op->kind == OP_THREAD_EXIT || op->kind == OP_PROCESS_EXIT || op->kind == OP_CRASH ||
           ((op->kind == OP_ASSERT || op->kind == OP_ASSUME) && !op->value);
}

static void over_add(const struct native_thread *thread, const struct op *op,
                     struct fingerprint *into)
{
    fingerprint_word(into, (uint64_t)(uintptr_t)thread->returned);
    if (op->kind != OP_THREAD_EXIT && thread->crash)
        fingerprint_bytes(into, thread->crash, strlen(thread->crash));
}

/* All but the stack and what the parts have. */
static bool own_add(const struct native_thread *thread, struct fingerprint *into)
{
    if (has_exceptions(thread->fiber.pointer))
        return parts_cannot_tell("exceptions that are not over");
    floats_add(thread, into);
    variables_add(thread, into);
    return true;
}

/* Nobody but the thread itself changes its stack and its variables, unless others are known to be there: so what they were when it gave way they still
 * are. By its number. */
struct kept {
    uint64_t runs; /* native_thread.runs then; 0: nothing is kept */
    uint8_t kind;  /* of its operation: a wait on a condition becomes another one by itself */
    struct fingerprint print;
};

static struct {
    VEC(struct kept) at;
} kept; /* outlives a run: how often a thread has run does, too */

static struct kept *kept_of(const struct native_thread *thread)
{
    while (kept.at.count <= thread->number)
        vec_push(&native.memory, &kept.at, (struct kept){0});
    return &kept.at.at[thread->number];
}

static bool memory_add(const struct native_thread *thread, const struct op *op,
                       struct fingerprint *into)
{
    struct kept *known = kept_of(thread);
    struct fingerprint print = {0};

    if (known->runs != thread->runs || known->kind != op->kind || thread->stack_shared) {
        if (!stack_add(thread, op, &print))
            return parts_cannot_tell("handlers on a stack of their own");
        if (!own_add(thread, &print))
            return false;
        *known = (struct kept){thread->runs, op->kind, print};
    }
    fingerprint_bytes(into, &known->print, sizeof known->print);
    return true;
}

bool fingerprint_local(struct target *target, struct world *world, agent_id agent,
                       struct fingerprint *into)
{
    const struct native_thread *thread = thread_of(agent);
    const struct op *op = &world->threads.at[agent].pending;

    (void)target;
    if (is_over(op)) {
        over_add(thread, op, into);
        return true;
    }
    return memory_add(thread, op, into) && parts_fingerprint_thread(thread, into);
}

bool fingerprint_shared(struct target *target, struct world *world, struct fingerprint *into)
{
    (void)target;
    (void)world;
    if (written.lost)
        return parts_cannot_tell("more writes than can be kept");
    if (native.session->leaks) /* what is left on stacks may hide a leak, or not */
        return parts_cannot_tell("leaks");
    return parts_fingerprint(into);
}

/* ---- changes: the live values of the innermost function that are others than before, as in section 5 of the paper. The rest of the stack and of the thread's memory must be the same,
 * and what is live must be known; what the parts have of the thread is told as a whole. Whatever was live with the same value is not told: who knows the state before knows it. */

#define NOTED_MAX 256u

/* Of the thread that is about to take a transition. */
static struct {
    agent_id agent; /* AGENT_NONE: not known */
    const struct raddle_site *site;
    struct fingerprint rest, parts;
    struct fingerprint live[NOTED_MAX]; /* as in the row of the site */
} noted = {.agent = AGENT_NONE};        /* outlives a run: valid during one transition */

/* The local state without the innermost function. False: unknown, or not so simple. */
static bool rest_add(const struct native_thread *thread, const struct op *op,
                     struct fingerprint *into)
{
    const struct raddle_frame *frame = thread->frames;

    if (!frame || fingerprint_bytes_end(thread, op) != thread->fiber.sp ||
        frame->site->live_count > NOTED_MAX)
        return false;
    fingerprint_word(into, (uint64_t)(uintptr_t)frame);
    while ((frame = frame->up))
        frame_add(frame, into);
    return own_add(thread, into);
}

void fingerprint_note(struct target *target, struct world *world, agent_id agent)
{
    const struct native_thread *thread = thread_of(agent);

    (void)target;
    noted.agent = AGENT_NONE;
    noted.rest = noted.parts = (struct fingerprint){0};
    if (!rest_add(thread, &world->threads.at[agent].pending, &noted.rest) ||
        !parts_fingerprint_thread(thread, &noted.parts))
        return;
    noted.agent = agent;
    noted.site = thread->frames->site;
    for (uint32_t i = 0; i < noted.site->live_count; i++) {
        noted.live[i] = (struct fingerprint){0};
        live_add(thread->frames, &noted.site->live[i], &noted.live[i]);
    }
}

/* Whether that was live before, with that value. */
static bool is_noted(const struct raddle_live *live, const struct fingerprint *value)
{
    for (uint32_t i = 0; i < noted.site->live_count; i++)
        if (noted.site->live[i].slot == live->slot)
            return fingerprint_equal(noted.live[i], *value);
    return false;
}

bool fingerprint_change(struct target *target, struct world *world, agent_id agent,
                        struct fingerprint *into)
{
    const struct native_thread *thread = thread_of(agent);
    const struct op *op = &world->threads.at[agent].pending;
    const struct raddle_site *site;
    struct fingerprint rest = {0}, of_parts = {0};

    (void)target;
    if (is_over(op)) {
        fingerprint_word(into, op->kind);
        over_add(thread, op, into);
        return true;
    }
    if (noted.agent != agent || !rest_add(thread, op, &rest) ||
        !fingerprint_equal(rest, noted.rest) || !parts_fingerprint_thread(thread, &of_parts))
        return false;
    if (!fingerprint_equal(of_parts, noted.parts))
        fingerprint_bytes(into, &of_parts, sizeof of_parts);
    site = thread->frames->site;
    if (site != noted.site)
        fingerprint_word(into, (uint64_t)(uintptr_t)site);
    for (uint32_t i = 0; i < site->live_count; i++) {
        struct fingerprint value = {0};

        live_add(thread->frames, &site->live[i], &value);
        if (is_noted(&site->live[i], &value))
            continue;
        fingerprint_word(into, site->live[i].slot);
        fingerprint_bytes(into, &value, sizeof value);
    }
    return true;
}

/* Others write to its locals. */
bool fingerprint_is_open(struct target *target, struct world *world, agent_id agent)
{
    (void)target;
    (void)world;
    return thread_of(agent)->stack_shared;
}
