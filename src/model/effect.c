#include "model/effect.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "model/buffer.h"
#include "model/channel.h"
#include "model/commute.h"
#include "model/doing.h"
#include "model/object.h"

static void memory_write(struct doing *d, cell_value value)
{
    world_memory_set(d->world, d->op.addr, &value, d->op.size);
    world_writer_set(d->world, d->op.addr, d->op.size, LOC_NONE);
}

static enum sequel do_load(struct doing *d)
{
    result_set(d, view_load(d->world, &view_now, d->thread, d->op.stores, d->op.addr, d->op.size));
    return SEQUEL_RESUME;
}

static bool goes_to_buffer(const struct doing *d)
{
    return d->op.kind == OP_STORE && d->op.order != ORDER_SEQ_CST && world_is_buffered(d->world);
}

static enum sequel do_store(struct doing *d)
{
    if (goes_to_buffer(d))
        buffer_push(d->world, d->thread, &d->op);
    else
        memory_write(d, d->op.value);
    if (d->op.order != ORDER_SEQ_CST && d->world->memory->buffered && d->world->buffer_bound == 0)
        d->world->buffer_bound_met = true;
    return SEQUEL_RESUME;
}

static enum sequel do_rmw(struct doing *d)
{
    cell_value old = view_load(d->world, &view_now, d->thread, 0, d->op.addr, d->op.size);
    cell_value new = rmw_result(d->op.variant, old, d->op.value, d->op.size);

    if (op_addition(d->world, &d->op) == ACCESS_WRITE)
        memory_write(d, new);
    else
        world_memory_set(d->world, d->op.addr, &new, d->op.size);
    result_set(d, old);
    return SEQUEL_RESUME;
}

static enum sequel do_cas(struct doing *d)
{
    result_set(d, view_load(d->world, &view_now, d->thread, 0, d->op.addr, d->op.size));
    if (d->touch == TOUCH_DONE)
        memory_write(d, d->op.value);
    return SEQUEL_RESUME;
}

/* Weaker fences than seq_cst order stores among themselves only: which matters under PSO. */
static enum sequel do_fence(struct doing *d)
{
    struct thread *thread = &d->world->threads.at[d->thread];

    if (d->op.order == ORDER_RELEASE || d->op.order == ORDER_ACQ_REL)
        thread->floor = thread->stores;
    return SEQUEL_RESUME;
}

static enum sequel do_channel(struct doing *d)
{
    struct channel_step step = channel_step(&d->op, state_get(d, OBJECT_CHANNEL, d->op.addr));

    if (step.touch == TOUCH_DISABLED) /* and so it was cancelled */
        step.result = -ECANCELED;
    state_set(d, OBJECT_CHANNEL, d->op.addr, step.state);
    result_set(d, (uint64_t)step.result);
    return SEQUEL_RESUME;
}

static enum sequel do_channel_ends(struct doing *d)
{
    uint64_t state = state_get(d, OBJECT_CHANNEL, d->op.addr), other = 0;

    if (d->op.mutex)
        other = state_get(d, OBJECT_CHANNEL, d->op.mutex);
    channel_change(&d->op, &state, &other);
    state_set(d, OBJECT_CHANNEL, d->op.addr, state);
    if (d->op.mutex)
        state_set(d, OBJECT_CHANNEL, d->op.mutex, other);
    result_set(d, state);
    return SEQUEL_RESUME;
}

static enum sequel do_descriptor_open(struct doing *d)
{
    uint64_t name = d->op.addr;

    result_set(d, -EMFILE);
    if (d->touch != TOUCH_DONE)
        return SEQUEL_RESUME;
    while (state_get(d, OBJECT_CHANNEL, name) != 0)
        name++;
    state_set(d, OBJECT_CHANNEL, name, 1);
    result_set(d, (cell_value)(name - d->op.addr));
    return SEQUEL_RESUME;
}

static enum sequel do_descriptor_set(struct doing *d)
{
    state_set(d, OBJECT_CHANNEL, d->op.addr, (uint64_t)d->op.value);
    return SEQUEL_RESUME;
}

static enum sequel do_channel_poll(struct doing *d)
{
    result_set(d, d->touch == TOUCH_DONE);
    return SEQUEL_RESUME;
}

static enum sequel do_thread_create(struct doing *d)
{
    world_start(d->world, (agent_id)d->op.addr);
    return SEQUEL_RESUME;
}

static enum sequel do_thread_exit(struct doing *d)
{
    state_set(d, OBJECT_THREAD, d->thread, OBJECT_THREAD_EXITED);
    return SEQUEL_EXIT;
}

static enum sequel do_thread_join(struct doing *d)
{
    if (d->op.variant == OBJECT_STRICT && d->touch == TOUCH_DONE)
        state_set(d, OBJECT_THREAD, thread_handle_addr(d->op.addr), OBJECT_THREAD_JOINED);
    result_set(d, d->op.kind == OP_THREAD_TRYJOIN && d->touch == TOUCH_DONE);
    return SEQUEL_RESUME;
}

static enum sequel do_thread_detach(struct doing *d)
{
    state_set(d, OBJECT_THREAD, thread_handle_addr(d->op.addr), OBJECT_THREAD_DETACHED);
    return SEQUEL_RESUME;
}

static enum sequel do_thread_cancel(struct doing *d)
{
    state_set(d, OBJECT_THREAD, thread_cancel_addr(d->op.addr), 1);
    return SEQUEL_RESUME;
}

static enum sequel do_thread_testcancel(struct doing *d)
{
    result_set(d, state_get(d, OBJECT_THREAD, thread_cancel_addr(d->thread)));
    return SEQUEL_RESUME;
}

static enum sequel do_choose(struct doing *d)
{
    result_set(d, d->outcome);
    return SEQUEL_RESUME;
}

static enum sequel do_assume(struct doing *d)
{
    if (d->op.value)
        return SEQUEL_RESUME;
    d->world->step.assume_failed = true;
    return SEQUEL_HALT;
}

static enum sequel do_assert(struct doing *d)
{
    if (d->op.value)
        return SEQUEL_RESUME;
    d->world->step.bug = BUG_ASSERTION;
    return SEQUEL_HALT;
}

static enum sequel do_crash(struct doing *d)
{
    d->world->step.bug = d->op.value ? (uint8_t)d->op.value : BUG_CRASH;
    return SEQUEL_HALT;
}

/* `expect` says that ending like this is a bug. */
static enum sequel do_process_exit(struct doing *d)
{
    if (d->op.expect)
        d->world->step.bug = BUG_EXIT;
    return SEQUEL_HALT;
}

static enum sequel do_nothing(struct doing *d)
{
    (void)d;
    return SEQUEL_RESUME;
}

static enum sequel (*const effects[OP_KIND_COUNT])(struct doing *) = {
    [OP_LOAD] = do_load,
    [OP_STORE] = do_store,
    [OP_RMW] = do_rmw,
    [OP_CAS] = do_cas,
    [OP_FENCE] = do_fence,
    [OP_AWAIT] = do_nothing,
    [OP_MUTEX_INIT] = do_init,
    [OP_SPIN_INIT] = do_init,
    [OP_RWLOCK_INIT] = do_init,
    [OP_COND_INIT] = do_init,
    [OP_SEM_INIT] = do_init,
    [OP_BARRIER_INIT] = do_init,
    [OP_MUTEX_DESTROY] = do_destroy,
    [OP_SPIN_DESTROY] = do_destroy,
    [OP_RWLOCK_DESTROY] = do_destroy,
    [OP_COND_DESTROY] = do_destroy,
    [OP_SEM_DESTROY] = do_destroy,
    [OP_BARRIER_DESTROY] = do_destroy,
    [OP_MUTEX_ABANDON] = do_abandon,
    [OP_MUTEX_CONSISTENT] = do_consistent,
    [OP_SEM_VALUE] = do_sem_value,
    [OP_MUTEX_LOCK] = do_lock,
    [OP_MUTEX_TRYLOCK] = do_lock,
    [OP_MUTEX_UNLOCK] = do_unlock,
    [OP_SPIN_LOCK] = do_lock,
    [OP_SPIN_TRYLOCK] = do_lock,
    [OP_SPIN_UNLOCK] = do_unlock,
    [OP_RWLOCK_WANT] = do_rwlock_want,
    [OP_RWLOCK_GIVE_UP] = do_rwlock_want,
    [OP_RWLOCK_RDLOCK] = do_rwlock,
    [OP_RWLOCK_WRLOCK] = do_rwlock,
    [OP_RWLOCK_TRYRDLOCK] = do_rwlock,
    [OP_RWLOCK_TRYWRLOCK] = do_rwlock,
    [OP_RWLOCK_UNLOCK] = do_rwunlock,
    [OP_COND_WAIT] = do_cond_wait,
    [OP_COND_TIMEDWAIT] = do_cond_wait,
    [OP_COND_TIMEOUT] = do_cond_timeout,
    [OP_COND_RESUME] = do_cond_resume,
    [OP_COND_RELOCK] = do_cond_relock,
    [OP_COND_SIGNAL] = do_cond_signal,
    [OP_COND_BROADCAST] = do_cond_broadcast,
    [OP_SEM_WAIT] = do_sem_wait,
    [OP_SEM_TRYWAIT] = do_sem_wait,
    [OP_SEM_POST] = do_sem_post,
    [OP_BARRIER_WAIT] = do_barrier_wait,
    [OP_BARRIER_RESUME] = do_barrier_resume,
    [OP_BARRIER_LEAVE] = do_barrier_leave,
    [OP_CHANNEL_GET] = do_channel,
    [OP_CHANNEL_TRYGET] = do_channel,
    [OP_CHANNEL_PEEK] = do_channel,
    [OP_CHANNEL_TRYPEEK] = do_channel,
    [OP_CHANNEL_PUT] = do_channel,
    [OP_CHANNEL_TRYPUT] = do_channel,
    [OP_CHANNEL_CLOSE] = do_channel_ends,
    [OP_CHANNEL_DUP] = do_channel_ends,
    [OP_CHANNEL_SHUT] = do_channel_ends,
    [OP_CHANNEL_SET] = do_channel_ends,
    [OP_CHANNEL_LISTEN] = do_channel_ends,
    [OP_CHANNEL_USE] = do_nothing,
    [OP_CHANNEL_LOOK] = do_nothing,
    [OP_DESCRIPTOR_OPEN] = do_descriptor_open,
    [OP_DESCRIPTOR_SET] = do_descriptor_set,
    [OP_FILE_READ] = do_nothing,
    [OP_FILE_WRITE] = do_nothing,
    [OP_FILE_LOCK] = do_channel,
    [OP_FILE_TRYLOCK] = do_channel,
    [OP_FILE_UNLOCK] = do_channel,
    [OP_CHANNEL_POLL] = do_channel_poll,
    [OP_CHANNEL_TRYPOLL] = do_channel_poll,
    [OP_THREAD_CREATE] = do_thread_create,
    [OP_THREAD_JOIN] = do_thread_join,
    [OP_THREAD_TRYJOIN] = do_thread_join,
    [OP_THREAD_EXIT] = do_thread_exit,
    [OP_THREAD_DETACH] = do_thread_detach,
    [OP_THREAD_CANCEL] = do_thread_cancel,
    [OP_THREAD_TESTCANCEL] = do_thread_testcancel,
    [OP_CRASH] = do_crash,
    [OP_PROCESS_EXIT] = do_process_exit,
    [OP_SECTION_BEGIN] = do_nothing,
    [OP_SECTION_END] = do_nothing,
    [OP_YIELD] = do_nothing,
    [OP_CHOOSE] = do_choose,
    [OP_ASSUME] = do_assume,
    [OP_ASSERT] = do_assert,
};

/* The thread comes back from its wait to run a handler. */
static enum sequel interrupt(struct doing *d)
{
    if (d->op.kind == OP_BARRIER_INTERRUPT)
        d->world->threads.at[d->thread].barrier = d->op.addr;
    result_set(d, WAIT_INTERRUPTED);
    return SEQUEL_RESUME;
}

bool op_goes_on(enum op_kind kind)
{
    uint8_t object = op_infos[kind].object;

    return object == OBJECT_SEM || (object >= OBJECT_CELL && object <= OBJECT_RWLOCK &&
                                    kind != OP_FLUSH && kind != OP_COND_RELOCK);
}

enum sequel op_effect(struct world *world, agent_id thread, enum touch touch, outcome_id outcome)
{
    struct doing d = {world, thread, world->threads.at[thread].pending, touch, outcome};

    if (touch == TOUCH_MISUSE) {
        world->step.bug = BUG_MISUSE;
        return SEQUEL_HALT;
    }
    if (touch == TOUCH_INTERRUPTED)
        return interrupt(&d);
    if (touch == TOUCH_DONE && d.op.size & OBJECT_LOOK &&
        op_infos[d.op.kind].object > OBJECT_CELL) {
        world->threads.at[thread].pending.size &= (uint8_t)~OBJECT_LOOK;
        result_set(&d, LOOK_GOES_ON);
        return SEQUEL_WAIT;
    }
    if (world->watch && !goes_to_buffer(&d))
        world->watch->does(world, thread, &d.op, touch == TOUCH_FAILED);
    return effects[d.op.kind](&d);
}
