#include <stdlib.h>
#include <string.h>

#include "oracle_state.h"

const char *const oracle_model_names[ORACLE_MODEL_COUNT] = {"sc", "tso", "pso"};
const char *const oracle_status_names[ORACLE_STATUS_COUNT] = {
    "not created", "blocked", "exited", "failed assume", "failed assert", "misuse",
};

int64_t o_extend(uint64_t value, unsigned size, bool sign)
{
    if (size >= 8)
        return (int64_t)value;
    unsigned bits = 8 * size;
    uint64_t low = value & ((1ULL << bits) - 1);
    if (sign && (low >> (bits - 1)))
        low |= ~((1ULL << bits) - 1);
    return (int64_t)low;
}

static int64_t alu_divide(enum alu_kind alu, int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    if (b == -1) /* INT64_MIN / -1 traps in C */
        return alu == ALU_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
    return alu == ALU_DIV ? a / b : a % b;
}

static bool alu_compare(enum alu_kind alu, int64_t a, int64_t b)
{
    switch (alu) {
    case ALU_EQ:
        return a == b;
    case ALU_NE:
        return a != b;
    case ALU_LT:
        return a < b;
    case ALU_LE:
        return a <= b;
    case ALU_GT:
        return a > b;
    case ALU_GE:
        return a >= b;
    case ALU_ULT:
        return (uint64_t)a < (uint64_t)b;
    default: /* ALU_ULE */
        return (uint64_t)a <= (uint64_t)b;
    }
}

int64_t o_alu(enum alu_kind alu, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (alu) {
    case ALU_ADD:
        return (int64_t)(x + y);
    case ALU_SUB:
        return (int64_t)(x - y);
    case ALU_MUL:
        return (int64_t)(x * y);
    case ALU_DIV:
    case ALU_MOD:
        return alu_divide(alu, a, b);
    case ALU_AND:
        return a & b;
    case ALU_OR:
        return a | b;
    case ALU_XOR:
        return a ^ b;
    case ALU_SHL:
        return (int64_t)(x << (y & 63));
    case ALU_SHR:
        return a >> (y & 63);
    case ALU_SEXT:
    case ALU_ZEXT:
        return y == 0 ? 0 : o_extend(x, y > 8 ? 8 : (unsigned)y, alu == ALU_SEXT);
    default:
        return alu_compare(alu, a, b);
    }
}

uint64_t o_bytes_read(const struct o_state *s, unsigned addr, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)s->bytes[addr + i] << (8 * i);
    return value;
}

void o_bytes_write(struct o_state *s, unsigned addr, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        s->bytes[addr + i] = (uint8_t)(value >> (8 * i));
}

/* Cells get bytes, everything else gets numbered objects; decls never share either. */
static void machine_layout(struct o_machine *m, const struct oracle_config *config)
{
    const struct program *program = m->program;
    uint32_t bytes = 0, objects = 0;

    for (uint32_t d = 0; d < program->decl_count; d++) {
        const struct decl *decl = &program->decls[d];
        m->addresses[d] = config->addresses ? config->addresses[d] : 0x100000 + 0x1000ULL * d;
        if (decl->kind == OBJECT_CELL) {
            m->base[d] = bytes;
            bytes += (decl->count * decl->size + 7) & ~7u;
        } else {
            m->base[d] = objects;
            objects += decl->count;
        }
    }
    if (bytes > O_BYTES || objects > O_OBJECTS)
        m->too_big = "too many cells or objects";
    m->byte_count = bytes;
    m->object_count = objects;
}

/* Whether more threads have rows for a barrier than it takes. */
static bool is_crowded(const struct program *program)
{
    int64_t threads[O_OBJECTS] = {0};

    for (uint32_t t = 0; t < program->thread_count; t++) {
        bool seen[O_OBJECTS] = {false};
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++) {
            const struct insn *insn = &program->threads[t].insns[i];
            uint32_t d = insn->place.decl;
            if (insn->kind != INSN_OP || insn->op != OP_BARRIER_WAIT)
                continue;
            if (d >= O_OBJECTS)
                return true;
            threads[d] += !seen[d];
            seen[d] = true;
            if (threads[d] > program->decls[d].init[0].number)
                return true;
        }
    }
    return false;
}

void o_machine_init(struct o_machine *m, const struct oracle_config *config)
{
    const struct program *program = config->program;

    memset(m, 0, sizeof *m);
    m->program = program;
    m->model = config->buffer_bound == 0 ? ORACLE_SC : config->model;
    m->bound = config->buffer_bound;
    m->spurious = config->spurious;
    m->apart = config->preemption_bound == ORACLE_UNBOUNDED ? config->apart : COMMUTE_ALL;
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++)
            if (program->threads[t].insns[i].kind == INSN_OP) {
                m->cancels |= program->threads[t].insns[i].op == OP_THREAD_CANCEL;
                m->awaits |= program->threads[t].insns[i].op == OP_AWAIT;
                m->wants |= program->threads[t].insns[i].op == OP_RWLOCK_WANT;
            }
    m->thread_count = program->thread_count;
    m->crowded = is_crowded(program);
    m->base = calloc(program->decl_count + 1, sizeof *m->base);
    m->addresses = calloc(program->decl_count + 1, sizeof *m->addresses);
    machine_layout(m, config);
    if (program->thread_count > O_THREADS)
        m->too_big = "too many threads";
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (program->threads[t].reg_count > O_REGS)
            m->too_big = "too many registers";
}

void o_machine_free(struct o_machine *m)
{
    free(m->base);
    free(m->addresses);
}

static int64_t operand_value(const struct o_machine *m, const struct o_thread *thread,
                             const struct operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REG:
        return thread->regs[operand->reg];
    case OPERAND_ADDRESS:
        return (int64_t)(m->addresses[operand->decl] + (uint64_t)operand->number);
    case OPERAND_NUMBER:
        break;
    }
    return operand->number;
}

/* Where in o_state.bytes the `size` bytes at `address` are, or -1 if no declared cell has them. */
static int find_bytes(const struct o_machine *m, uint64_t address, unsigned size)
{
    for (uint32_t d = 0; d < m->program->decl_count; d++) {
        const struct decl *decl = &m->program->decls[d];
        uint64_t extent = (uint64_t)decl->count * decl->size;
        if (decl->kind != OBJECT_CELL || address < m->addresses[d] || size > extent)
            continue;
        uint64_t offset = address - m->addresses[d];
        if (offset <= extent - size)
            return (int)(m->base[d] + offset);
    }
    return -1;
}

/* The object, or for a cell the first byte, that `place` names; -1 if there is none. */
static int place_find(const struct o_machine *m, const struct o_thread *thread,
                      const struct place *place, unsigned size)
{
    int64_t index = operand_value(m, thread, &place->index);

    if (place->kind == PLACE_POINTER)
        return find_bytes(m, (uint64_t)index + (uint64_t)place->offset, size);
    const struct decl *decl = &m->program->decls[place->decl];
    if (index < 0 || index >= (int64_t)decl->count)
        return -1;
    if (decl->kind != OBJECT_CELL)
        return (int)(m->base[place->decl] + (uint32_t)index);
    return find_bytes(
        m, m->addresses[place->decl] + (uint64_t)index * decl->size + (uint64_t)place->offset,
        size);
}

static bool op_is_memory(enum op_kind kind)
{
    return kind == OP_LOAD || kind == OP_STORE || kind == OP_RMW || kind == OP_CAS ||
           kind == OP_AWAIT;
}

static void pending_place(const struct o_machine *m, const struct o_thread *thread,
                          struct o_pending *p)
{
    const struct insn *insn = p->insn;
    const struct place *place = &insn->place;

    if (place->kind != PLACE_NONE) {
        p->size = insn->size;
        if (p->size == 0)
            p->size = place->kind == PLACE_DECL ? m->program->decls[place->decl].size : 8;
        int found = place_find(m, thread, place, p->size);
        p->bad = found < 0;
        if (found >= 0 && op_is_memory(p->kind))
            p->addr = (uint16_t)found;
        else if (found >= 0)
            p->object = (int16_t)found;
    }
    if (p->kind == OP_COND_WAIT || p->kind == OP_COND_TIMEDWAIT) {
        int found = place_find(m, thread, &insn->mutex, 0);
        p->bad = p->bad || found < 0;
        p->mutex = (int16_t)(found < 0 ? 0 : found);
    }
    if (p->kind == OP_THREAD_CREATE || p->kind == OP_THREAD_JOIN)
        p->object = (int16_t)(m->object_count + insn->thread);
}

/* What thread `t`, which has neither ended nor halted, will do next. */
void o_pending(const struct o_machine *m, const struct o_state *s, unsigned t, struct o_pending *p)
{
    const struct o_thread *thread = &s->threads[t];
    const struct thread_code *code = &m->program->threads[t];

    memset(p, 0, sizeof *p);
    if (thread->pc >= code->insn_count) {
        p->kind = OP_THREAD_EXIT;
        p->object = (int16_t)(m->object_count + t);
        return;
    }
    p->insn = &code->insns[thread->pc];
    switch (thread->phase) {
    case O_WAITING:
    case O_RELOCK:
        p->kind = OP_COND_RELOCK;
        p->object = thread->mutex;
        return;
    case O_TIMED:
        p->kind = OP_COND_TIMEOUT;
        p->object = thread->cond;
        return;
    case O_ARRIVED:
    case O_RELEASED:
        p->kind = OP_BARRIER_LEAVE;
        return;
    default:
        break;
    }
    p->kind = p->insn->op;
    p->a = operand_value(m, thread, &p->insn->a);
    p->b = operand_value(m, thread, &p->insn->b);
    pending_place(m, thread, p);
    p->looks = o_is_look(m, thread, (enum op_kind)p->kind);
    if (p->kind == OP_SPIN_UNLOCK) {
        p->addr = (uint16_t)(O_BYTES + p->object);
        p->size = 0;
    }
}

/* glibc does these by a locked instruction only if a load has shown that there is something to do. Who has stored nothing since its
 * buffers were empty cannot tell. */
bool o_is_look(const struct o_machine *m, const struct o_thread *thread, enum op_kind kind)
{
    bool looks = kind == OP_COND_SIGNAL || kind == OP_COND_BROADCAST || kind == OP_SEM_TRYWAIT ||
                 kind == OP_RWLOCK_TRYRDLOCK || kind == OP_RWLOCK_TRYWRLOCK;

    return looks && m->model != ORACLE_SC && !thread->looked && thread->stores != thread->drained;
}

bool o_store_is_buffered(const struct o_machine *m, const struct o_pending *p)
{
    if (p->bad || m->model == ORACLE_SC)
        return false;
    return p->kind == OP_SPIN_UNLOCK || (p->kind == OP_STORE && p->insn->order != ORDER_SEQ_CST);
}

int o_buffer_of(const struct o_machine *m, const struct o_entry *entry)
{
    return m->model == ORACLE_TSO ? O_FIFO : (int)entry->addr;
}

void o_buffer_append(const struct o_machine *m, struct o_state *s, unsigned t,
                     const struct o_pending *p, int event)
{
    struct o_thread *thread = &s->threads[t];

    (void)m;
    if (thread->entry_count == O_ENTRIES) {
        s->too_big = "too many buffered stores";
        return;
    }
    struct o_entry *entry = &thread->entries[thread->entry_count++];
    entry->value = (uint64_t)p->a;
    entry->addr = p->addr;
    entry->size = p->size;
    entry->release = p->kind == OP_SPIN_UNLOCK || p->insn->order == ORDER_RELEASE ||
                     p->insn->order == ORDER_ACQ_REL;
    entry->number = ++thread->stores;
    entry->epoch = thread->epoch;
    entry->cause = (int16_t)event;
}

/* Runs thread `t` up to its next visible operation. `event` is the transition this belongs to, -1
 * at the start. */
void o_run_invisible(const struct o_machine *m, struct o_state *s, unsigned t, int event)
{
    struct o_thread *thread = &s->threads[t];
    const struct thread_code *code = &m->program->threads[t];

    for (unsigned rows = 0; thread->pc < code->insn_count; rows++) {
        const struct insn *insn = &code->insns[thread->pc];
        if (rows == O_ROWS || s->too_big) {
            s->too_big = s->too_big ? s->too_big : "an endless invisible loop";
            return;
        }
        if (insn->kind == INSN_OP) {
            struct o_pending p;
            o_pending(m, s, t, &p);
            if (p.kind != OP_STORE || !o_store_is_buffered(m, &p) || m->bound != ORACLE_UNBOUNDED)
                return;
            o_buffer_append(m, s, t, &p, event);
            thread->pc++;
            continue;
        }
        int64_t value = o_alu(insn->alu, operand_value(m, thread, &insn->a),
                              operand_value(m, thread, &insn->b));
        thread->pc++;
        if (insn->kind == INSN_BRANCH && value != 0)
            thread->pc = insn->jump;
        if (insn->kind == INSN_LET && insn->dst != REG_NONE)
            thread->regs[insn->dst] = value;
    }
}

static void state_init_decl(const struct o_machine *m, struct o_state *s, uint32_t d)
{
    const struct decl *decl = &m->program->decls[d];
    const struct o_thread nobody = {0};

    for (uint32_t i = 0; i < decl->count; i++) {
        if (decl->kind == OBJECT_CELL) {
            if (decl->init)
                o_bytes_write(s, m->base[d] + i * decl->size, decl->size,
                              (uint64_t)operand_value(m, &nobody, &decl->init[i]));
            continue;
        }
        struct o_object *object = &s->objects[m->base[d] + i];
        object->owner = O_FREE;
        object->made =
            decl->kind == OBJECT_SEM || decl->kind == OBJECT_SPIN || decl->kind == OBJECT_BARRIER;
        if (decl->kind == OBJECT_SEM && decl->init)
            object->value = (int32_t)decl->init[0].number;
    }
}

void o_state_init(const struct o_machine *m, struct o_state *s)
{
    memset(s, 0, sizeof *s);
    for (uint32_t d = 0; d < m->program->decl_count; d++)
        state_init_decl(m, s, d);
    for (uint32_t t = 0; t < m->thread_count; t++) {
        struct o_thread *thread = &s->threads[t];
        const struct thread_code *code = &m->program->threads[t];
        thread->cause = -1;
        thread->status = code->created ? ORACLE_NOT_CREATED : ORACLE_BLOCKED;
        for (uint32_t r = 0; r < code->reg_count; r++)
            thread->regs[r] = operand_value(m, thread, &code->regs[r].init);
        if (!code->created)
            o_run_invisible(m, s, t, -1);
    }
}

/* *to = *from, without what the program has no use for: copying is most of the oracle's time. */
void o_state_copy(const struct o_machine *m, struct o_state *to, const struct o_state *from)
{
    to->too_big = from->too_big;
    memcpy(to->bytes, from->bytes, m->byte_count);
    memcpy(to->writers, from->writers, m->byte_count * sizeof from->writers[0]);
    memcpy(to->objects, from->objects, m->object_count * sizeof from->objects[0]);
    for (uint32_t t = 0; t < m->thread_count; t++)
        memcpy(&to->threads[t], &from->threads[t],
               offsetof(struct o_thread, entries) +
                   from->threads[t].entry_count * sizeof(struct o_entry));
}
