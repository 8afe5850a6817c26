#include <string.h>

#include "oracle_state.h"

static const uint8_t op_flags[OP_KIND_COUNT] = {
#define OP(name, object, mode, sync, flags, text) flags,
#include "model/ops.def"
#undef OP
};

static bool needs_drain(const struct o_machine *m, const struct o_pending *p)
{
    if (m->model == ORACLE_SC || p->bad || p->looks)
        return false;
    if (p->kind == OP_STORE || p->kind == OP_FENCE)
        return p->insn->order == ORDER_SEQ_CST;
    return op_flags[p->kind] & OP_DRAIN;
}

static bool buffer_has_room(const struct o_machine *m, const struct o_thread *thread,
                            const struct o_pending *p)
{
    int held = 0;

    for (unsigned i = 0; i < thread->entry_count; i++)
        held += m->model == ORACLE_TSO || thread->entries[i].addr == p->addr;
    return m->bound == ORACLE_UNBOUNDED || held < m->bound;
}

static bool is_read_locked(const struct o_object *object)
{
    for (int t = 0; t < O_THREADS; t++)
        if (object->reads[t])
            return true;
    return false;
}

static bool is_wanted(const struct o_object *object)
{
    for (int t = 0; t < O_THREADS; t++)
        if (object->wants[t])
            return true;
    return false;
}

/* The ways in which a thread in the queue of a condition may leave it without a signal: bits 0 timeout, 1 by itself,
 * 2 because it was asked to end. */
static unsigned o_ends(const struct o_machine *m, const struct o_thread *thread,
                       const struct insn *insn)
{
    return (insn->op == OP_COND_TIMEDWAIT) | (thread->spurious < m->spurious) << 1 |
           (m->cancels && thread->cancelled) << 2;
}

/* Whether a wait could ever end by itself, whatever the others do. */
bool o_wakes_alone(const struct o_machine *m, const struct o_state *s, unsigned t)
{
    const struct o_thread *thread = &s->threads[t];

    return m->cancels || thread->spurious < m->spurious ||
           m->program->threads[t].insns[thread->pc].op == OP_COND_TIMEDWAIT;
}

/* How much a channel holds; it is in `value`, and closed if it has an owner. */
static int64_t channel_size(const struct o_machine *m, const struct o_pending *p)
{
    return m->program->decls[p->insn->place.decl].init[0].number;
}

static uint64_t seen_bytes(const struct o_thread *thread, const struct o_state *s,
                           const struct o_pending *p, struct o_event *event);

static bool op_enabled(const struct o_machine *m, const struct o_state *s, unsigned t,
                       const struct o_pending *p)
{
    const struct o_thread *thread = &s->threads[t];
    const struct o_object *object = &s->objects[p->object];

    if (p->bad)
        return true;
    if (needs_drain(m, p) && thread->entry_count > 0)
        return false;
    if (object->dead &&
        (p->kind == OP_MUTEX_LOCK || p->kind == OP_SPIN_LOCK || p->kind == OP_RWLOCK_RDLOCK ||
         p->kind == OP_RWLOCK_WRLOCK || p->kind == OP_SEM_WAIT))
        return true; /* and wrong */
    switch (p->kind) {
    case OP_STORE:
    case OP_SPIN_UNLOCK:
        return !o_store_is_buffered(m, p) || buffer_has_room(m, thread, p);
    case OP_MUTEX_LOCK:
    case OP_SPIN_LOCK:
        return object->owner == O_FREE;
    case OP_RWLOCK_RDLOCK:
        return object->owner == O_FREE && !is_wanted(object);
    case OP_RWLOCK_WRLOCK:
        return object->owner == O_FREE && !is_read_locked(object);
    case OP_COND_RELOCK:
        return thread->phase == O_RELOCK && (object->owner == O_FREE || object->dead);
    case OP_COND_TIMEOUT:
        return o_ends(m, thread, p->insn) != 0;
    case OP_SEM_WAIT:
        return object->value > 0;
    case OP_CHANNEL_GET:
        return object->value > 0 || object->owner != O_FREE || p->a == 0;
    case OP_CHANNEL_PUT:
        return object->value < channel_size(m, p) || p->a == 0;
    case OP_BARRIER_LEAVE:
        return thread->phase == O_RELEASED;
    case OP_AWAIT:
        return seen_bytes(thread, s, p, NULL) != (uint64_t)o_extend((uint64_t)p->a, p->size, false);
    case OP_THREAD_JOIN:
        return s->threads[p->insn->thread].status == ORACLE_EXITED;
    default:
        return true;
    }
}

static bool waits_on(const struct o_thread *thread, int cond)
{
    return thread->status == ORACLE_BLOCKED &&
           (thread->phase == O_WAITING || thread->phase == O_TIMED) && thread->cond == cond;
}

static unsigned add_choice(struct o_choice *choices, unsigned n, int thread, int buffer,
                           uint32_t outcome)
{
    if (n < O_CHOICES)
        choices[n++] = (struct o_choice){(int16_t)thread, (int16_t)buffer, outcome};
    return n;
}

static unsigned thread_choices(const struct o_machine *m, const struct o_state *s, unsigned t,
                               struct o_choice *choices, unsigned n)
{
    struct o_pending p;

    if (s->threads[t].status != ORACLE_BLOCKED)
        return n;
    o_pending(m, s, t, &p);
    if (!op_enabled(m, s, t, &p))
        return n;
    if (p.kind == OP_CHOOSE) {
        for (int64_t i = 0; i < p.a && i < O_CHOICES; i++)
            n = add_choice(choices, n, (int)t, O_THREAD, (uint32_t)i);
        return n;
    }
    if (p.kind == OP_COND_TIMEOUT) {
        for (uint32_t i = 0; i < 3; i++)
            if (o_ends(m, &s->threads[t], p.insn) >> i & 1)
                n = add_choice(choices, n, (int)t, O_THREAD, i);
        return n;
    }
    if (p.kind == OP_COND_SIGNAL && p.looks && !p.bad)
        return add_choice(choices, n, (int)t, O_THREAD, OUTCOME_LOST);
    if (p.kind != OP_COND_SIGNAL || p.bad)
        return add_choice(choices, n, (int)t, O_THREAD, 0);
    unsigned before = n;
    for (unsigned w = 0; w < m->thread_count; w++)
        if (waits_on(&s->threads[w], p.object))
            n = add_choice(choices, n, (int)t, O_THREAD, w);
    return n > before ? n : add_choice(choices, n, (int)t, O_THREAD, OUTCOME_LOST);
}

bool o_thread_enabled(const struct o_machine *m, const struct o_state *s, unsigned t)
{
    struct o_choice choices[O_CHOICES];

    return thread_choices(m, s, t, choices, 0) > 0;
}

/* Whether `entry` may not reach memory before `older`, an earlier store of the same thread. Within
 * one buffer the order is kept anyway. */
bool o_entry_waits(const struct o_machine *m, const struct o_entry *entry,
                   const struct o_entry *older)
{
    if (o_buffer_of(m, entry) == o_buffer_of(m, older))
        return true;
    bool overlap =
        entry->addr < older->addr + older->size && older->addr < entry->addr + entry->size;
    return overlap || entry->release || older->epoch < entry->epoch;
}

static unsigned buffer_choices(const struct o_machine *m, const struct o_state *s, unsigned t,
                               struct o_choice *choices, unsigned n)
{
    const struct o_thread *thread = &s->threads[t];

    for (unsigned i = 0; i < thread->entry_count; i++) {
        bool waits = false;
        for (unsigned j = 0; j < i; j++)
            waits = waits || o_entry_waits(m, &thread->entries[i], &thread->entries[j]);
        if (!waits)
            n = add_choice(choices, n, (int)t, o_buffer_of(m, &thread->entries[i]), 0);
    }
    return n;
}

/* All that can happen next; returns how many. */
unsigned o_choices(const struct o_machine *m, const struct o_state *s, struct o_choice *choices)
{
    unsigned n = 0;

    for (unsigned t = 0; t < m->thread_count; t++)
        n = thread_choices(m, s, t, choices, n);
    for (unsigned t = 0; t < m->thread_count; t++)
        n = buffer_choices(m, s, t, choices, n);
    return n;
}

static void touch_object_as(struct o_event *event, int object, enum o_mode mode)
{
    event->objects[event->object_count] = (int16_t)object;
    event->object_mode[event->object_count++] = (uint8_t)mode;
}

static void touch_object(struct o_event *event, int object, bool write)
{
    touch_object_as(event, object, write ? O_WRITES : O_READS);
}

static void touch_bytes(struct o_event *event, unsigned addr, unsigned size, bool write)
{
    uint8_t mask = (uint8_t)((1u << size) - 1);

    event->addr = (uint16_t)addr;
    event->size = (uint8_t)size;
    *(write ? &event->writes : &event->reads) = mask;
}

/* Writes to memory: for a buffered store, or (number 0) at once. */
static void write_bytes(struct o_state *s, struct o_event *event, uint64_t value,
                        struct o_writer writer)
{
    for (unsigned i = 0; i < event->size; i++) {
        event->over[i] = s->writers[event->addr + i];
        s->writers[event->addr + i] = writer;
    }
    o_bytes_write(s, event->addr, event->size, value);
}

static void set_dst(struct o_thread *thread, const struct insn *insn, int64_t value)
{
    if (insn->dst != REG_NONE)
        thread->regs[insn->dst] = value;
}

/* What a thread sees of memory: its own newest buffered bytes first. Into *event, unless that is NULL, where each came from. */
static uint64_t seen_bytes(const struct o_thread *thread, const struct o_state *s,
                           const struct o_pending *p, struct o_event *event)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < p->size; i++) {
        const struct o_entry *newest = NULL;
        for (unsigned e = 0; e < thread->entry_count; e++) {
            const struct o_entry *entry = &thread->entries[e];
            if (p->addr + i >= entry->addr && p->addr + i < (unsigned)entry->addr + entry->size)
                newest = entry;
        }
        uint64_t byte = s->bytes[p->addr + i];
        if (newest)
            byte = (newest->value >> (8 * (p->addr + i - newest->addr))) & 0xff;
        const struct o_writer *writer = &s->writers[p->addr + i];
        if (event && newest)
            event->own[i] = newest->number;
        else if (event && writer->number && &s->threads[writer->thread] == thread)
            event->own[i] = writer->number;
        else if (event)
            event->reads |= (uint8_t)(1u << i);
        value |= byte << (8 * i);
    }
    return value;
}

static void do_load(struct o_thread *thread, const struct o_state *s, const struct o_pending *p,
                    struct o_event *event)
{
    uint64_t value;

    touch_bytes(event, p->addr, p->size, false);
    event->reads = 0;
    value = seen_bytes(thread, s, p, event);
    set_dst(thread, p->insn, o_extend(value, p->size, p->insn->sign));
}

static uint64_t rmw_value(enum rmw_kind rmw, uint64_t old, uint64_t operand)
{
    switch (rmw) {
    case RMW_ADD:
        return old + operand;
    case RMW_SUB:
        return old - operand;
    case RMW_AND:
        return old & operand;
    case RMW_OR:
        return old | operand;
    case RMW_XOR:
        return old ^ operand;
    default:
        return operand;
    }
}

static enum o_adds adds_of(const struct o_machine *m, const struct o_pending *p)
{
    if (p->kind != OP_RMW || p->insn->dst != REG_NONE || m->awaits ||
        m->apart & COMMUTE_INCREMENTS || p->addr % p->size)
        return O_ADDS_NOT;
    switch (p->insn->rmw) {
    case RMW_ADD:
    case RMW_SUB:
        return O_SUMS;
    case RMW_AND:
        return O_ANDS;
    case RMW_OR:
        return O_ORS;
    case RMW_XOR:
        return O_XORS;
    default:
        return O_ADDS_NOT;
    }
}

/* What was added to is still of the buffered store that it was of: else the second addition would overwrite something else than the first. */
static void add_to_bytes(struct o_state *s, struct o_event *event, uint64_t value)
{
    for (unsigned i = 0; i < event->size; i++)
        event->over[i] = s->writers[event->addr + i];
    o_bytes_write(s, event->addr, event->size, value);
}

static void do_rmw_cas(const struct o_machine *m, struct o_thread *thread, struct o_state *s,
                       const struct o_pending *p, struct o_event *event)
{
    uint64_t old = o_bytes_read(s, p->addr, p->size);
    bool writes = p->kind == OP_RMW || old == (uint64_t)o_extend((uint64_t)p->b, p->size, false);

    touch_bytes(event, p->addr, p->size, writes);
    event->adds = adds_of(m, p);
    if (event->adds)
        add_to_bytes(s, event, rmw_value(p->insn->rmw, old, (uint64_t)p->a));
    else if (writes)
        write_bytes(s, event,
                    p->kind == OP_RMW ? rmw_value(p->insn->rmw, old, (uint64_t)p->a)
                                      : (uint64_t)p->a,
                    (struct o_writer){0});
    set_dst(thread, p->insn, o_extend(old, p->size, p->insn->sign));
}

static void do_store(const struct o_machine *m, struct o_state *s, unsigned t,
                     const struct o_pending *p, struct o_event *event, int index)
{
    if (!o_store_is_buffered(m, p)) {
        touch_bytes(event, p->addr, p->size, true);
        write_bytes(s, event, (uint64_t)p->a, (struct o_writer){0});
        return;
    }
    o_buffer_append(m, s, t, p, index);
    if (s->too_big)
        return;
    event->entry = s->threads[t].entries[s->threads[t].entry_count - 1];
    event->buffer = (int16_t)o_buffer_of(m, &event->entry);
    event->buffered = true;
}

/* Whether the thread has given that spinlock back, and the store still waits. */
static bool gives_back(const struct o_thread *thread, int object)
{
    for (unsigned i = 0; i < thread->entry_count; i++)
        if (thread->entries[i].size == 0 && thread->entries[i].addr == O_BYTES + object)
            return true;
    return false;
}

/* An unlock that goes to the buffer: nobody notices until it gets to memory. False: a misuse. */
static bool do_spin_unlock(const struct o_machine *m, struct o_state *s, unsigned t,
                           const struct o_pending *p, struct o_event *event, int index)
{
    const struct o_object *object = &s->objects[p->object];

    if (object->dead || object->owner != (int)t || gives_back(&s->threads[t], p->object)) {
        touch_object(event, p->object, false);
        return false;
    }
    do_store(m, s, t, p, event, index);
    return true;
}

/* The load before what may need no locked instruction: true if the operation would fail, or do nothing, and so is over with that load. */
static bool look_ends(const struct o_machine *m, const struct o_state *s, unsigned t,
                      const struct o_pending *p)
{
    const struct o_object *object = &s->objects[p->object];
    bool waited = false;

    (void)t;
    if (object->dead)
        return true; /* and wrong */
    switch (p->kind) {
    case OP_SEM_TRYWAIT:
        return object->value == 0;
    case OP_RWLOCK_TRYRDLOCK:
        return object->owner != O_FREE || is_wanted(object);
    case OP_RWLOCK_TRYWRLOCK:
        return object->owner != O_FREE || is_read_locked(object);
    default: /* signals */
        for (unsigned w = 0; w < m->thread_count; w++)
            waited = waited || waits_on(&s->threads[w], p->object);
        return !waited;
    }
}

/* Mutexes, spinlocks. False: a misuse. */
static bool do_lock(struct o_thread *thread, struct o_object *object, int t,
                    const struct o_pending *p, struct o_event *event)
{
    bool unlock = p->kind == OP_MUTEX_UNLOCK || p->kind == OP_SPIN_UNLOCK;
    bool try = p->kind == OP_MUTEX_TRYLOCK || p->kind == OP_SPIN_TRYLOCK;
    bool works = !object->dead && (unlock ? object->owner == t : object->owner == O_FREE);

    touch_object(event, p->object, works);
    if (object->dead)
        return false;
    if (works)
        object->owner = (int16_t)(unlock ? O_FREE : t);
    if (try)
        set_dst(thread, p->insn, works);
    return works || try;
}

/* A name, for dependence only, of the writers that wait for a rwlock. */
static int wants_object(const struct o_machine *m, int object)
{
    return (int)(m->object_count + 2 * O_THREADS) + 1 + object;
}

static bool do_rwlock(const struct o_machine *m, struct o_thread *thread, struct o_object *object,
                      int t, const struct o_pending *p, struct o_event *event)
{
    bool try = p->kind == OP_RWLOCK_TRYRDLOCK || p->kind == OP_RWLOCK_TRYWRLOCK;
    enum o_mode mode = O_WRITES;
    bool works;

    if (object->dead) {
        touch_object(event, p->object, false);
        return false;
    }
    if (p->kind == OP_RWLOCK_UNLOCK) {
        works = object->owner == t || object->reads[t] > 0;
        mode = object->owner == t ? O_WRITES : O_COMES_OR_GOES;
        if (object->owner == t)
            object->owner = O_FREE;
        else if (works)
            object->reads[t]--;
    } else if (p->kind == OP_RWLOCK_RDLOCK || p->kind == OP_RWLOCK_TRYRDLOCK) {
        works = object->owner == O_FREE && !is_wanted(object);
        mode = O_COMES_OR_GOES;
        object->reads[t] += works;
        if (m->wants)
            touch_object(event, wants_object(m, p->object), false);
    } else {
        works = object->owner == O_FREE && !is_read_locked(object);
        if (works)
            object->owner = (int16_t)t;
        if (works && object->wants[t]) {
            object->wants[t]--;
            touch_object(event, wants_object(m, p->object), true);
        }
    }
    touch_object_as(event, p->object, works ? mode : O_READS);
    if (try)
        set_dst(thread, p->insn, works);
    return works || try;
}

/* Initialisation and destruction. What is in use may not be destroyed, nor made anew; nor what lives, unless it was only declared. The
 * value of a semaphore is no use. False: a misuse. */
static bool do_life(const struct o_machine *m, struct o_state *s, int t, const struct o_pending *p,
                    struct o_event *event)
{
    struct o_object *object = &s->objects[p->object];
    bool destroys = p->kind == OP_MUTEX_DESTROY || p->kind == OP_SPIN_DESTROY ||
                    p->kind == OP_RWLOCK_DESTROY || p->kind == OP_COND_DESTROY ||
                    p->kind == OP_SEM_DESTROY || p->kind == OP_BARRIER_DESTROY;
    bool own = object->owner == t;
    bool used = (object->owner != O_FREE && !(own && gives_back(&s->threads[t], p->object))) ||
                is_read_locked(object);

    if (p->kind == OP_BARRIER_DESTROY || p->kind == OP_BARRIER_INIT)
        used = used || object->value != 0;
    for (unsigned w = 0; w < m->thread_count; w++)
        used = used || ((p->kind == OP_COND_INIT || p->kind == OP_COND_DESTROY) &&
                        waits_on(&s->threads[w], p->object));
    bool works = destroys ? !object->dead && !used : object->dead || (!object->made && !used);

    touch_object(event, p->object, works);
    if (!works)
        return false;
    struct o_object before = *object;
    memset(object, 0, sizeof *object);
    memcpy(object->wants, before.wants, sizeof object->wants); /* those who wait do not know */
    object->owner = O_FREE;
    object->dead = destroys;
    object->made = !destroys;
    if (p->kind == OP_SEM_INIT)
        object->value = (int32_t)p->a;
    return true;
}

static bool do_cond_wait(const struct o_machine *m, struct o_state *s, unsigned t,
                         const struct o_pending *p, struct o_event *event)
{
    struct o_thread *thread = &s->threads[t];

    if (s->objects[p->mutex].owner != (int)t) {
        touch_object(event, p->mutex, false);
        return false;
    }
    bool other = false;
    for (unsigned w = 0; w < m->thread_count; w++)
        other =
            other || (waits_on(&s->threads[w], p->object) && s->threads[w].mutex != (int)p->mutex);
    if (s->objects[p->object].dead || other) {
        touch_object(event, p->object, false);
        return false;
    }
    touch_object(event, p->object, true);
    touch_object(event, p->mutex, true);
    s->objects[p->mutex].owner = O_FREE;
    thread->phase = o_wakes_alone(m, s, t) ? O_TIMED : O_WAITING;
    thread->wait_result = 0;
    thread->cond = p->object;
    thread->mutex = p->mutex;
    return true;
}

/* Names, for dependence only, of a thread's request to end, and of all such requests together. */
static int request_object(const struct o_machine *m, unsigned t)
{
    return (int)(m->object_count + O_THREADS + t);
}

static int any_request(const struct o_machine *m)
{
    return (int)(m->object_count + 2 * O_THREADS);
}

static bool do_cond_wake(const struct o_machine *m, struct o_state *s, const struct o_pending *p,
                         struct o_event *event, int index)
{
    bool woke = false;

    if (s->objects[p->object].dead) {
        touch_object(event, p->object, false);
        return false;
    }
    for (unsigned w = 0; w < m->thread_count; w++) {
        struct o_thread *waiter = &s->threads[w];
        if (!waits_on(waiter, p->object))
            continue;
        if (p->kind == OP_COND_SIGNAL && event->choice.outcome != w)
            continue;
        waiter->phase = O_RELOCK;
        waiter->cause = (int16_t)index;
        woke = true;
    }
    touch_object(event, p->object, woke);
    if (woke && m->cancels) /* it takes the cancellation of a waiter away */
        touch_object(event, any_request(m), false);
    return true;
}

static bool is_together(const struct o_machine *m)
{
    return !(m->apart & COMMUTE_BARRIERS) && !m->crowded;
}

/* All who have arrived, the last one, too, may leave, and each needs all. */
static void barrier_opens(const struct o_machine *m, struct o_state *s, int barrier)
{
    uint64_t together[2] = {0, 0};

    for (unsigned w = 0; w < m->thread_count; w++) {
        const struct o_thread *other = &s->threads[w];
        if (other->phase == O_ARRIVED && other->cond == barrier)
            together[other->arrived / 64] |= (uint64_t)1 << (other->arrived % 64);
    }
    for (unsigned w = 0; w < m->thread_count; w++) {
        struct o_thread *other = &s->threads[w];
        if (other->phase == O_ARRIVED && other->cond == barrier) {
            other->phase = O_RELEASED;
            memcpy(other->together, together, sizeof together);
        }
    }
}

/* Arrivals in any order: only who asks whether it was the last one notices. */
static bool do_barrier_together(const struct o_machine *m, struct o_state *s, unsigned t,
                                const struct o_pending *p, struct o_event *event, int index)
{
    struct o_object *barrier = &s->objects[p->object];
    struct o_thread *thread = &s->threads[t];

    touch_object_as(event, p->object,
                    barrier->dead              ? O_READS
                    : p->insn->dst == REG_NONE ? O_COMES_OR_GOES
                                               : O_WRITES);
    if (barrier->dead)
        return false;
    barrier->value++;
    thread->phase = O_ARRIVED;
    thread->cond = p->object;
    thread->arrived = (int16_t)index;
    thread->wait_result = 0;
    if (barrier->value != m->program->decls[p->insn->place.decl].init[0].number)
        return true;
    barrier->value = 0;
    thread->wait_result = 1;
    barrier_opens(m, s, p->object);
    return true;
}

static bool do_barrier(const struct o_machine *m, struct o_state *s, unsigned t,
                       const struct o_pending *p, struct o_event *event, int index)
{
    const struct decl *decl = &m->program->decls[p->insn->place.decl];
    struct o_object *barrier = &s->objects[p->object];
    int64_t needed = decl->init ? decl->init[0].number : 0;

    touch_object(event, p->object, !barrier->dead);
    if (barrier->dead)
        return false;
    if (++barrier->value != needed) {
        s->threads[t].phase = O_ARRIVED;
        s->threads[t].cond = p->object;
        return true;
    }
    barrier->value = 0;
    for (unsigned w = 0; w < m->thread_count; w++) {
        struct o_thread *other = &s->threads[w];
        if (other->phase == O_ARRIVED && other->cond == p->object) {
            other->phase = O_RELEASED;
            other->cause = (int16_t)index;
        }
    }
    set_dst(&s->threads[t], p->insn, 1);
    return true;
}

static bool do_sem(struct o_thread *thread, struct o_object *object, const struct o_pending *p,
                   struct o_event *event)
{
    bool works = !object->dead && (p->kind == OP_SEM_POST || object->value > 0);

    touch_object(event, p->object, works);
    if (object->dead)
        return false;
    if (works)
        object->value += p->kind == OP_SEM_POST ? 1 : -1;
    if (p->kind == OP_SEM_TRYWAIT)
        set_dst(thread, p->insn, works);
    return true;
}

/* A get takes at most what is there, a put brings at most what fits; amounts below 0 mean all. */
static void do_channel(const struct o_machine *m, struct o_thread *thread, struct o_object *object,
                       const struct o_pending *p, struct o_event *event)
{
    bool get = p->kind == OP_CHANNEL_GET || p->kind == OP_CHANNEL_TRYGET;
    int64_t there = get ? object->value : channel_size(m, p) - object->value;
    int64_t moved = p->a < 0 || p->a > there ? there : p->a;
    bool again = p->a != 0 && there == 0 && (!get || object->owner == O_FREE);

    touch_object(event, p->object, moved > 0);
    object->value += (int32_t)(get ? -moved : moved);
    set_dst(thread, p->insn, again ? -11 : moved);
}

static bool do_channel_close(struct o_object *object, const struct o_pending *p,
                             struct o_event *event)
{
    bool works = object->owner == O_FREE;

    touch_object(event, p->object, works);
    object->owner = 0;
    return works;
}

static bool do_create(const struct o_machine *m, struct o_state *s, const struct o_pending *p,
                      struct o_event *event, int index)
{
    struct o_thread *child = &s->threads[p->insn->thread];
    bool works = child->status == ORACLE_NOT_CREATED;

    touch_object(event, p->object, works);
    if (!works)
        return false;
    child->status = ORACLE_BLOCKED;
    child->cause = (int16_t)index;
    o_run_invisible(m, s, p->insn->thread, index);
    return true;
}

static bool do_relock(struct o_state *s, unsigned t, const struct o_pending *p,
                      struct o_event *event)
{
    struct o_thread *thread = &s->threads[t];

    touch_object(event, p->object, !s->objects[p->object].dead);
    if (s->objects[p->object].dead)
        return false;
    s->objects[p->object].owner = (int16_t)t;
    thread->phase = O_NORMAL;
    set_dst(thread, p->insn, thread->wait_result);
    return true;
}

static bool do_timeout(const struct o_machine *m, struct o_state *s, unsigned t,
                       const struct o_pending *p, struct o_event *event)
{
    struct o_thread *thread = &s->threads[t];

    touch_object(event, p->object, true);
    if (m->cancels)
        touch_object(event, request_object(m, t), false);
    thread->wait_result = event->choice.outcome == 0 ? 1 : event->choice.outcome == 2 ? 2 : 0;
    thread->spurious += event->choice.outcome == 1;
    thread->phase = O_RELOCK;
    return true;
}

/* Conditions and barriers. False: a misuse. */
static bool do_waiting(const struct o_machine *m, struct o_state *s, unsigned t,
                       const struct o_pending *p, struct o_event *event, int index)
{
    struct o_thread *thread = &s->threads[t];

    switch (p->kind) {
    case OP_COND_WAIT:
    case OP_COND_TIMEDWAIT:
        return do_cond_wait(m, s, t, p, event);
    case OP_COND_TIMEOUT:
        return do_timeout(m, s, t, p, event);
    case OP_COND_RELOCK:
        return do_relock(s, t, p, event);
    case OP_COND_SIGNAL:
    case OP_COND_BROADCAST:
        return do_cond_wake(m, s, p, event, index);
    case OP_BARRIER_WAIT:
        if (is_together(m))
            return do_barrier_together(m, s, t, p, event, index);
        return do_barrier(m, s, t, p, event, index);
    default: /* OP_BARRIER_LEAVE */
        thread->phase = O_NORMAL;
        set_dst(thread, p->insn, is_together(m) ? thread->wait_result : 0);
        memcpy(event->causes, thread->together, sizeof event->causes);
        return true;
    }
}

/* Threads. False: a misuse. */
static bool do_thread(const struct o_machine *m, struct o_state *s, unsigned t,
                      const struct o_pending *p, struct o_event *event, int index)
{
    if (p->kind == OP_THREAD_CREATE)
        return do_create(m, s, p, event, index);
    if (p->kind == OP_THREAD_JOIN)
        touch_object(event, p->object, false);
    if (p->kind == OP_THREAD_CANCEL) {
        touch_object(event, request_object(m, p->insn->thread), true);
        touch_object(event, any_request(m), true);
        s->threads[p->insn->thread].cancelled = true;
    }
    if (p->kind == OP_THREAD_TESTCANCEL) {
        touch_object(event, request_object(m, t), false);
        set_dst(&s->threads[t], p->insn, s->threads[t].cancelled);
    }
    if (p->kind == OP_THREAD_EXIT) {
        touch_object(event, p->object, true);
        s->threads[t].status = ORACLE_EXITED;
    }
    return true; /* as does YIELD, which touches nothing */
}

static bool is_waiting(enum op_kind kind)
{
    return kind == OP_COND_WAIT || kind == OP_COND_TIMEDWAIT || kind == OP_COND_TIMEOUT ||
           kind == OP_COND_RELOCK || kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST ||
           kind == OP_BARRIER_WAIT || kind == OP_BARRIER_LEAVE;
}

static bool is_life(enum op_kind kind)
{
    return kind == OP_MUTEX_INIT || kind == OP_MUTEX_DESTROY || kind == OP_SPIN_INIT ||
           kind == OP_SPIN_DESTROY || kind == OP_RWLOCK_INIT || kind == OP_RWLOCK_DESTROY ||
           kind == OP_COND_INIT || kind == OP_COND_DESTROY || kind == OP_SEM_INIT ||
           kind == OP_SEM_DESTROY || kind == OP_BARRIER_INIT || kind == OP_BARRIER_DESTROY;
}

/* Performs it; returns how the thread stands then: ORACLE_BLOCKED means that it goes on. */
static enum oracle_status do_op(const struct o_machine *m, struct o_state *s, unsigned t,
                                const struct o_pending *p, struct o_event *event, int index)
{
    struct o_thread *thread = &s->threads[t];
    struct o_object *object = &s->objects[p->bad ? 0 : p->object];
    bool works = true;

    if (p->bad)
        return ORACLE_MISUSE;
    if (p->looks && !look_ends(m, s, t, p)) {
        touch_object(event, p->object, false);
        if (m->wants && p->kind == OP_RWLOCK_TRYRDLOCK)
            touch_object(event, wants_object(m, p->object), false);
        if (p->kind == OP_RWLOCK_TRYWRLOCK && object->wants[t])
            touch_object(event, wants_object(m, p->object), false);
        if (m->cancels && (p->kind == OP_COND_SIGNAL || p->kind == OP_COND_BROADCAST))
            touch_object(event, any_request(m), false);
        event->looks = thread->looked = true;
        return ORACLE_BLOCKED;
    }
    if (p->kind == OP_SPIN_UNLOCK && o_store_is_buffered(m, p))
        return do_spin_unlock(m, s, t, p, event, index) ? ORACLE_BLOCKED : ORACLE_MISUSE;
    if (p->kind == OP_LOAD || p->kind == OP_AWAIT)
        do_load(thread, s, p, event);
    else if (p->kind == OP_STORE)
        do_store(m, s, t, p, event, index);
    else if (p->kind == OP_RMW || p->kind == OP_CAS)
        do_rmw_cas(m, thread, s, p, event);
    else if (p->kind == OP_FENCE)
        thread->epoch += p->insn->order == ORDER_RELEASE || p->insn->order == ORDER_ACQ_REL;
    else if (is_life(p->kind))
        works = do_life(m, s, (int)t, p, event);
    else if (p->kind >= OP_MUTEX_LOCK && p->kind <= OP_SPIN_UNLOCK)
        works = do_lock(thread, object, (int)t, p, event);
    else if (p->kind >= OP_RWLOCK_RDLOCK && p->kind <= OP_RWLOCK_UNLOCK)
        works = do_rwlock(m, thread, object, (int)t, p, event);
    else if (p->kind == OP_RWLOCK_WANT) {
        object->wants[t]++;
        touch_object(event, wants_object(m, p->object), true);
    } else if (p->kind >= OP_SEM_WAIT && p->kind <= OP_SEM_POST)
        works = do_sem(thread, object, p, event);
    else if (p->kind == OP_CHANNEL_CLOSE)
        works = do_channel_close(object, p, event);
    else if (p->kind >= OP_CHANNEL_GET && p->kind <= OP_CHANNEL_TRYPUT)
        do_channel(m, thread, object, p, event);
    else if (p->kind == OP_CHOOSE)
        set_dst(thread, p->insn, event->choice.outcome);
    else if (p->kind == OP_ASSUME)
        return o_alu(p->insn->alu, p->a, p->b) ? ORACLE_BLOCKED : ORACLE_ASSUME;
    else if (p->kind == OP_ASSERT)
        return o_alu(p->insn->alu, p->a, p->b) ? ORACLE_BLOCKED : ORACLE_ASSERT;
    else if (is_waiting(p->kind))
        works = do_waiting(m, s, t, p, event, index);
    else
        works = do_thread(m, s, t, p, event, index);
    return works ? thread->status : ORACLE_MISUSE;
}

static void flush(const struct o_machine *m, struct o_state *s, struct o_event *event)
{
    struct o_thread *thread = &s->threads[event->choice.thread];
    unsigned i = 0;

    while (o_buffer_of(m, &thread->entries[i]) != event->choice.buffer)
        i++;
    event->kind = OP_FLUSH;
    event->entry = thread->entries[i];
    event->cause = event->entry.cause;
    if (event->entry.size == 0) {
        struct o_object *lock = &s->objects[event->entry.addr - O_BYTES];
        touch_object(event, event->entry.addr - O_BYTES, true);
        if (lock->owner == event->choice.thread)
            lock->owner = O_FREE;
    } else {
        touch_bytes(event, event->entry.addr, event->entry.size, true);
        write_bytes(s, event, event->entry.value,
                    (struct o_writer){event->choice.thread, event->entry.number});
    }
    thread->entry_count--;
    memmove(&thread->entries[i], &thread->entries[i + 1],
            (thread->entry_count - i) * sizeof thread->entries[0]);
}

/* Takes the enabled transition `choice`, as event number `index` of the execution. */
void o_step(const struct o_machine *m, struct o_state *s, struct o_choice choice,
            struct o_event *event, int index)
{
    unsigned t = (unsigned)choice.thread;
    struct o_thread *thread = &s->threads[t];
    struct o_pending p;

    memset(event, 0, sizeof *event);
    event->choice = choice;
    if (choice.buffer != O_THREAD) {
        flush(m, s, event);
        return;
    }
    o_pending(m, s, t, &p);
    event->kind = p.kind;
    event->drain = needs_drain(m, &p);
    event->cause = thread->cause;
    thread->cause = -1;
    if (event->drain)
        thread->drained = thread->stores;
    thread->status = (uint8_t)do_op(m, s, t, &p, event, index);
    /* A waiting thread and one at a barrier stay at their row until they get through; who has looked, too. */
    if (thread->status == ORACLE_BLOCKED && thread->phase == O_NORMAL && !event->looks) {
        thread->looked = false;
        thread->pc++;
        o_run_invisible(m, s, t, index);
    }
}

/* How an execution ended; `s` has no enabled transition. */
void o_state_end(const struct o_machine *m, const struct o_state *s, struct oracle_end *end)
{
    bool blocked = false;

    memset(end, 0, sizeof *end);
    for (unsigned t = 0; t < m->thread_count; t++) {
        blocked = blocked || s->threads[t].status == ORACLE_BLOCKED;
        end->asserted = end->asserted || s->threads[t].status == ORACLE_ASSERT;
        end->misused = end->misused || s->threads[t].status == ORACLE_MISUSE;
        end->assumed = end->assumed || s->threads[t].status == ORACLE_ASSUME;
    }
    end->deadlock = blocked && !end->asserted && !end->misused && !end->assumed;
}
