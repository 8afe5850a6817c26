#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <unwind.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include <raddle.h>

#include "model/await.h"
#include "model/object.h"
#include "runtime/ending/ending.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/spin.h"

/* Cancellation and the end of a thread in the middle of its functions. A request is an operation, and so is looking for one at a
 * cancellation point. Only programs that cancel threads pay for that: when the first request is seen, the search begins
 * anew, with all cancellation points as operations. */

/* Of each thread. */
struct cancel_thread {
    void *cleanups;  /* its newest cleanup handler */
    int state, type; /* 0: enabled, deferred */
    bool leaving;    /* cancelled, or in pthread_exit: it is not cancelled again */
    struct _Unwind_Exception unwinding; /* meanwhile */
    struct await awaits;                /* what it waits for besides being cancelled */
};

static struct cancel_thread *cancel_of(const struct native_thread *thread)
{
    return thread->own[PART_CANCEL];
}

static struct cancel_thread *own(void)
{
    return cancel_of(native.current);
}

static void type_set(int type);

/* ---- cleanup handlers: buffers on the stack, each with the one below it in __pad[0], as glibc has them */

#define BUFFER_PREVIOUS 0
#define BUFFER_TYPE     1

INTERPOSE void __pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
    if (!native.current)
        return;
    buffer->__pad[BUFFER_PREVIOUS] = own()->cleanups;
    own()->cleanups = buffer;
}

INTERPOSE void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
    if (native.current)
        own()->cleanups = buffer->__pad[BUFFER_PREVIOUS];
}

INTERPOSE void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer)
{
    __pthread_register_cancel(buffer);
    if (!native.current)
        return;
    buffer->__pad[BUFFER_TYPE] = own()->type ? buffer : NULL;
    type_set(PTHREAD_CANCEL_DEFERRED);
}

INTERPOSE void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer)
{
    __pthread_unregister_cancel(buffer);
    if (native.current && buffer->__pad[BUFFER_TYPE])
        type_set(PTHREAD_CANCEL_ASYNCHRONOUS);
}

/* What C with exceptions calls at the end of the scope, or when the frame is unwound. */
INTERPOSE void __pthread_cleanup_routine(struct __pthread_cleanup_frame *frame)
{
    if (frame->__do_it)
        frame->__cancel_routine(frame->__cancel_arg);
}

/* ---- unwinding */

/* The stack pointer that longjmp would restore. glibc keeps it rotated and mixed with a secret of the process. */
static uintptr_t buffer_sp(const __pthread_unwind_buf_t *buffer)
{
    uintptr_t sp = (uintptr_t)buffer->__cancel_jmp_buf[0].__cancel_jmp_buf[6];

    __asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(sp));
    return sp;
}

static _Noreturn void buffer_jump(__pthread_unwind_buf_t *buffer)
{
    _longjmp((struct __jmp_buf_tag *)(void *)buffer->__cancel_jmp_buf, 1);
}

static _Noreturn void unwound(void)
{
    native_leave_thread(native.current->returned);
}

/* Called for each frame, from the innermost. Handlers of C++ and of C with exceptions run by themselves; a buffer's is called by the
 * code that longjmp goes to, when its frame has come. */
static _Unwind_Reason_Code unwind_stop(int version, _Unwind_Action actions,
                                       _Unwind_Exception_Class class,
                                       struct _Unwind_Exception *exception,
                                       struct _Unwind_Context *context, void *argument)
{
    __pthread_unwind_buf_t *buffer = own()->cleanups;
    bool last = actions & _UA_END_OF_STACK;

    (void)version;
    (void)class;
    (void)exception;
    (void)argument;
    if (buffer && (last || _Unwind_GetCFA(context) >= buffer_sp(buffer)))
        buffer_jump(buffer);
    if (last)
        unwound();
    return _URC_NO_REASON;
}

static void unwind_stopped(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
    (void)reason;
    (void)exception;
    native_crash(
        BUG_CRASH,
        "an exception handler does not let a thread end that was cancelled or has called pthread_exit");
}

/* Leaves all functions of the running thread, and then the thread. If there are frames that cannot be unwound, at least the
 * buffers are left to. */
static _Noreturn void unwind(void)
{
    own()->unwinding.exception_class = 0;
    own()->unwinding.exception_cleanup = unwind_stopped;
    _Unwind_ForcedUnwind(&own()->unwinding, unwind_stop, NULL);
    if (own()->cleanups)
        buffer_jump(own()->cleanups);
    unwound();
}

INTERPOSE __attribute__((noreturn)) void __pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
    own()->cleanups = buffer->__pad[BUFFER_PREVIOUS];
    unwind();
}

void native_unwind(void *returned)
{
    own()->leaving = true;
    native.current->leaves = true;
    native.current->returned = returned;
    unwind();
}

INTERPOSE __attribute__((noreturn)) void pthread_exit(void *returned)
{
    CHECK(native.current, "pthread_exit before the program has begun");
    native_unwind(returned);
}

/* ---- requests */

bool native_cancellable(void)
{
    const struct native_thread *thread = native.current;

    return thread && native.session->cancels && !own()->leaving && !thread->sections &&
           own()->state == PTHREAD_CANCEL_ENABLE;
}

static bool is_requested(void)
{
    struct op op = native_op(OP_THREAD_TESTCANCEL, NULL);

    op.addr = native.current->agent;
    return native_ask(&op) != 0;
}

bool native_cancel_is_requested(void)
{
    return native_cancellable() && is_requested();
}

void native_cancel_point(void)
{
    if (!native_cancellable())
        return;
    spin_before(native_site());
    if (is_requested())
        native_unwind(PTHREAD_CANCELED);
}

enum native_awaited native_cancel_await(enum op_kind kind, enum object_kind object, uint64_t addr,
                                        uint64_t state)
{
    struct op op = native_op(OP_AWAIT, &own()->awaits);

    own()->awaits.count = 2;
    own()->awaits.reads[0].object = (uint8_t)object;
    own()->awaits.reads[0].addr = addr;
    own()->awaits.reads[0].value = state;
    own()->awaits.reads[1].object = OBJECT_THREAD;
    own()->awaits.reads[1].addr = thread_cancel_addr(native.current->agent);
    own()->awaits.reads[1].value = 0;
    op.variant = OBJECT_STRICT;
    op.expect = kind;
    op.mutex = addr;
    if (native_ask(&op) == WAIT_INTERRUPTED)
        return AWAITED_INTERRUPT;
    if (!is_requested())
        return AWAITED_CHANGE;
    if (raddle_choose(2) == 0)
        native_unwind(PTHREAD_CANCELED);
    return AWAITED_CANCEL;
}

/* ---- cancellation anywhere */

/* The operation that does not wait where `kind` does; OP_KIND_COUNT: there is none. */
static enum op_kind try_of(uint8_t kind)
{
    switch (kind) {
    case OP_MUTEX_LOCK:
        return OP_MUTEX_TRYLOCK;
    case OP_SPIN_LOCK:
        return OP_SPIN_TRYLOCK;
    case OP_RWLOCK_RDLOCK:
        return OP_RWLOCK_TRYRDLOCK;
    case OP_RWLOCK_WRLOCK:
        return OP_RWLOCK_TRYWRLOCK;
    default:
        return OP_KIND_COUNT;
    }
}

/* A thread that may be cancelled anywhere: after each operation, and while it waits for a lock. */
static cell_value ask_anywhere(const struct op *op)
{
    uint8_t object = op_infos[op->kind].object;
    struct op try = *op;
    enum native_awaited awaited = AWAITED_CHANGE;
    cell_value result;

    if (try_of(op->kind) == OP_KIND_COUNT) {
        result = native.way(op);
        native_cancel_point();
        return result;
    }
    try.kind = (uint8_t)try_of(op->kind);
    while ((result = native.way(&try)) == LOCK_BUSY) {
        if (awaited == AWAITED_CANCEL)
            native_unwind(PTHREAD_CANCELED);
        awaited = native_cancel_await(
            op->kind, object, op->addr,
            world_state(native.world, world_location(native.world, object, op->addr)));
    }
    native_cancel_point();
    return result;
}

/* The way of a thread whose type is asynchronous. */
static cell_value way_anywhere(const struct op *op)
{
    if (native_cancellable() && op->kind != OP_THREAD_TESTCANCEL && op->kind != OP_AWAIT)
        return ask_anywhere(op);
    return native.way(op);
}

static void type_set(int type)
{
    own()->type = type;
    native.current->way = type == PTHREAD_CANCEL_ASYNCHRONOUS ? way_anywhere : native.way;
}

/* ---- calls */

INTERPOSE int pthread_cancel(pthread_t handle)
{
    struct native_thread *thread = native_thread_of(handle);
    struct op op = native_op(OP_THREAD_CANCEL, NULL);

    if (!thread || !native.current)
        return ESRCH;
    if (!native.session->cancels)
        native.session->cancels = native.session->begin_anew = true;
    op.addr = thread->agent;
    native_ask(&op);
    if (thread == native.current && own()->type == PTHREAD_CANCEL_ASYNCHRONOUS)
        native_cancel_point();
    return 0;
}

INTERPOSE void pthread_testcancel(void)
{
    native_cancel_point();
}

INTERPOSE int pthread_setcancelstate(int state, int *old)
{
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old) {
        native_writes(old, sizeof *old);
        *old = native.current ? own()->state : PTHREAD_CANCEL_ENABLE;
    }
    if (!native.current)
        return 0;
    own()->state = state;
    if (own()->type == PTHREAD_CANCEL_ASYNCHRONOUS)
        native_cancel_point();
    return 0;
}

/* A thread that may be cancelled anywhere is cancelled at its operations: where else it could be, nobody can tell apart from there
 * unless by what it leaves half done. So the verdict says that this was not all. */
INTERPOSE int pthread_setcanceltype(int type, int *old)
{
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (old) {
        native_writes(old, sizeof *old);
        *old = native.current ? own()->type : PTHREAD_CANCEL_DEFERRED;
    }
    if (!native.current)
        return 0;
    type_set(type);
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS) {
        native_unsupported("asynchronous cancellation between visible operations");
        native_cancel_point();
    }
    return 0;
}

/* ---- the part */

static void thread_begins(struct native_thread *thread)
{
    struct cancel_thread *new = cancel_of(thread);

    new->cleanups = NULL;
    new->state = new->type = 0;
    new->leaving = false;
}

/* A thread that is being unwound has its place in what unwinds it, too. */
static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct cancel_thread *cancel = cancel_of(thread);

    if (cancel->cleanups || cancel->state || cancel->type) {
        fingerprint_word(into, (uint64_t)(uintptr_t)cancel->cleanups);
        fingerprint_word(into, (uint64_t)(uint32_t)cancel->state << 32 | (uint32_t)cancel->type);
    }
    return !cancel->leaving;
}

const struct part cancel_part = {.name = "cancel",
                                 .thread_size = sizeof(struct cancel_thread),
                                 .thread_begins = thread_begins,
                                 .stateless = true,
                                 .fingerprint_thread = fingerprint_thread};
