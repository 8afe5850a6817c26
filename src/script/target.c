#include "script/target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/channel.h"
#include "model/object.h"
#include "script/alike.h"
#include "script/mnemonic.h"

/* Where cells are put if nothing else is there, so that pointers look the same in each run. */
#define MEMORY_HINT ((void *)0x510000000000)

/* Rows without a visible operation that a thread may run in one go. More is an endless loop. */
#define INVISIBLE_ROWS_MAX 1000000

static uint64_t thread_key(uint32_t thread)
{
    return (uint64_t)thread + 1;
}

uint32_t script_thread_of(const struct world *world, agent_id agent)
{
    return (uint32_t)(world->agents.at[world->agents.at[agent].thread].key - 1);
}

static int64_t value_extend(uint64_t value, unsigned size, bool sign)
{
    unsigned unused = 64 - 8 * size;

    return sign ? (int64_t)(value << unused) >> unused : (int64_t)(value << unused >> unused);
}

static int64_t operand_value(const struct script *script, const int64_t *regs,
                             const struct operand *operand)
{
    if (operand->kind == OPERAND_REG)
        return regs[operand->reg];
    if (operand->kind == OPERAND_ADDRESS)
        return (int64_t)(script->addresses[operand->decl] + (uint64_t)operand->number);
    return operand->number;
}

static int64_t divide(int64_t a, int64_t b, bool remainder)
{
    if (b == 0)
        return 0;
    if (b == -1) /* the one case that overflows */
        return remainder ? 0 : (int64_t)(0 - (uint64_t)a);
    return remainder ? a % b : a / b;
}

/* Extends the low bytes of a value; `width` is how many, or 8 if there is no such number. */
static int64_t alu_extend(int64_t value, int64_t width, bool sign)
{
    return value_extend((uint64_t)value,
                        width == 1 || width == 2 || width == 4 ? (unsigned)width : 8, sign);
}

static int64_t alu_value(enum alu_kind alu, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

    switch (alu) {
    case ALU_ADD:
        return (int64_t)(ua + ub);
    case ALU_SUB:
        return (int64_t)(ua - ub);
    case ALU_MUL:
        return (int64_t)(ua * ub);
    case ALU_DIV:
        return divide(a, b, false);
    case ALU_MOD:
        return divide(a, b, true);
    case ALU_AND:
        return a & b;
    case ALU_OR:
        return a | b;
    case ALU_XOR:
        return a ^ b;
    case ALU_SHL:
        return (int64_t)(ua << (ub & 63));
    case ALU_SHR:
        return a >> (ub & 63);
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
        return ua < ub;
    case ALU_ULE:
        return ua <= ub;
    case ALU_SEXT:
        return alu_extend(a, b, true);
    case ALU_ZEXT:
        return alu_extend(a, b, false);
    default:
        return 0;
    }
}

static int64_t alu_row(const struct script *script, const int64_t *regs, const struct insn *insn)
{
    return alu_value(insn->alu, operand_value(script, regs, &insn->a),
                     operand_value(script, regs, &insn->b));
}

/* Bytes from one element to the next; objects are named by consecutive numbers. */
static uint64_t decl_stride(const struct decl *decl)
{
    return decl->kind == OBJECT_CELL ? decl->size : 1;
}

/* The address of `size` bytes at a place; false if the program has no such thing. */
static bool place_address(const struct script *script, const int64_t *regs,
                          const struct place *place, unsigned size, uint64_t *addr)
{
    const struct decl *decl;
    uint64_t index, offset;
    uint32_t found;

    *addr = 0;
    if (place->kind == PLACE_NONE)
        return true;
    index = (uint64_t)operand_value(script, regs, &place->index);
    if (place->kind == PLACE_POINTER) {
        *addr = index + (uint64_t)place->offset;
        found = script_locate(script, *addr, &offset);
        return found != UINT32_MAX && *addr < script->end &&
               offset + size <= (uint64_t)script->program->decls[found].count *
                                    script->program->decls[found].size;
    }
    decl = &script->program->decls[place->decl];
    if (index >= decl->count)
        return false;
    offset = index * decl_stride(decl) + (uint64_t)place->offset;
    *addr = script->addresses[place->decl] + offset;
    return decl->kind != OBJECT_CELL || (offset <= (uint64_t)decl->count * decl->size &&
                                         offset + size <= (uint64_t)decl->count * decl->size);
}

static unsigned insn_size(const struct program *program, const struct insn *insn)
{
    if (insn->size)
        return insn->size;
    return insn->place.kind == PLACE_DECL ? program->decls[insn->place.decl].size : 8;
}

static uint64_t truncated(int64_t value, unsigned size)
{
    return (uint64_t)value & (UINT64_MAX >> (64 - 8 * size));
}

/* In a program in which somebody is asked to end, every wait on a condition may end by that. */
static void row_cancellable(struct op *op)
{
    if (op->kind == OP_COND_WAIT || op->kind == OP_COND_TIMEDWAIT)
        op->expect = 1u << WAIT_END_CANCEL;
    else if (op->kind == OP_COND_SIGNAL || op->kind == OP_COND_BROADCAST)
        op->variant = OBJECT_STRICT;
}

static bool program_has(const struct program *program, enum op_kind kind)
{
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++)
            if (program->threads[t].insns[i].kind == INSN_OP &&
                program->threads[t].insns[i].op == kind)
                return true;
    return false;
}

/* Whether more threads have a row for some barrier than it takes. */
static bool program_crowds(const struct program *program)
{
    for (uint32_t d = 0; d < program->decl_count; d++) {
        const struct decl *decl = &program->decls[d];
        int64_t threads = 0;

        for (uint32_t t = 0; decl->kind == OBJECT_BARRIER && t < program->thread_count; t++) {
            const struct thread_code *code = &program->threads[t];
            bool uses = false;

            for (uint32_t i = 0; i < code->insn_count; i++)
                uses |= code->insns[i].kind == INSN_OP && code->insns[i].op == OP_BARRIER_WAIT &&
                        code->insns[i].place.decl == d;
            threads += uses;
        }
        if (decl->kind == OBJECT_BARRIER && threads > decl->init[0].number)
            return true;
    }
    return false;
}

/* Waits until the cell holds something else than the operand. */
static void row_await(struct op *op, struct await *await)
{
    await->count = 1;
    await->reads[0].object = OBJECT_CELL;
    await->reads[0].addr = op->addr;
    await->reads[0].size = op->size;
    await->reads[0].value = (uint64_t)op->value;
    *op = (struct op){.kind = OP_AWAIT, .site = op->site, .addr = (uint64_t)(uintptr_t)await};
}

/* The operation that a row asks for, with the present values of its operands. */
static struct op row_op(const struct script *script, struct world *world, const int64_t *regs,
                        const struct insn *insn, struct await *await)
{
    const struct program *program = script->program;
    bool cell = op_place_kind(insn->op) == OBJECT_CELL && insn->place.kind != PLACE_NONE;
    unsigned size = cell ? insn_size(program, insn) : 1;
    struct op op = {.kind = insn->op,
                    .size = (uint8_t)(cell ? size : 0),
                    .order = insn->order,
                    .variant = insn->rmw,
                    .site = insn->line};

    if (!place_address(script, regs, &insn->place, size, &op.addr) ||
        !place_address(script, regs, &insn->mutex, 1, &op.mutex))
        return (struct op){.kind = OP_INVALID, .site = insn->line};
    op.value = (uint64_t)operand_value(script, regs, &insn->a);
    op.expect = (uint64_t)operand_value(script, regs, &insn->b);
    if (cell) {
        op.value = truncated((int64_t)op.value, size);
        op.expect = truncated((int64_t)op.expect, size);
    } else if (insn->op == OP_ASSUME || insn->op == OP_ASSERT) {
        op.value = alu_row(script, regs, insn) != 0;
        op.expect = 0;
    } else if (insn->op == OP_BARRIER_WAIT) {
        op.expect = (uint64_t)program->decls[insn->place.decl].init[0].number;
    } else if (op_infos[insn->op].object == OBJECT_CHANNEL) {
        op.expect = (uint64_t)program->decls[insn->place.decl].init[0].number;
        op.variant = insn->op == OP_CHANNEL_CLOSE ? CHANNEL_WRITER : 0;
    } else if (insn->op == OP_THREAD_CREATE || insn->op == OP_THREAD_JOIN ||
               insn->op == OP_THREAD_CANCEL) {
        op.addr = world_thread(world, thread_key(insn->thread));
    }
    if (script->wants && op_infos[insn->op].object == OBJECT_RWLOCK)
        op.variant |= OBJECT_WRITERS_FIRST;
    if (op_infos[insn->op].sync == SYNC_MAKE)
        op.size |= OBJECT_SAME;
    if (script->cancels)
        row_cancellable(&op);
    if ((insn->op == OP_LOAD || insn->op == OP_BARRIER_WAIT) && insn->dst == REG_NONE)
        op.variant |= OP_VARIANT_UNUSED;
    if (insn->op == OP_RMW)
        op.expect = insn->dst == REG_NONE && !script->awaits ? RMW_UNUSED : 0;
    if (insn->op == OP_AWAIT)
        row_await(&op, await);
    if (insn->op == OP_CHOOSE && (int64_t)op.value < 1)
        op.kind = OP_INVALID;
    return op;
}

static bool is_join_row(const struct thread_code *code, uint32_t pc)
{
    return pc < code->insn_count && code->insns[pc].kind == INSN_OP &&
           code->insns[pc].op == OP_THREAD_JOIN;
}

/* Runs invisible rows up to a visible operation. */
static void thread_run(struct script *script, struct world *world, agent_id agent, struct op *next)
{
    uint32_t thread = script_thread_of(world, agent);
    const struct thread_code *code = &script->program->threads[thread];
    struct script_thread *t = &script->threads[thread];

    for (uint32_t rows = 0; t->pc < code->insn_count; rows++) {
        const struct insn *insn = &code->insns[t->pc];

        if (rows == INVISIBLE_ROWS_MAX) {
            *next = (struct op){.kind = OP_INVALID, .value = 1, .site = insn->line};
            return;
        }
        if (insn->kind == INSN_OP) {
            *next = row_op(script, world, t->regs, insn, &t->await);
            if (next->kind == OP_THREAD_JOIN)
                next->expect = rows == 0 && t->pc > 0 && is_join_row(code, t->pc - 1) ? JOIN_ON : 0;
            if (next->kind != OP_STORE || !world_buffer_store(world, agent, next))
                return;
            t->pc++;
        } else if (insn->kind == INSN_LET) {
            t->regs[insn->dst] = alu_row(script, t->regs, insn);
            t->pc++;
        } else {
            t->pc = alu_row(script, t->regs, insn) ? insn->jump : t->pc + 1;
        }
    }
    *next = (struct op){.kind = OP_THREAD_EXIT,
                        .site = code->insn_count ? code->insns[code->insn_count - 1].line : 0};
}

static void script_start(struct target *target, struct world *world, agent_id agent,
                         struct op *next)
{
    struct script *script = (struct script *)target;
    uint32_t thread = script_thread_of(world, agent);
    const struct thread_code *code = &script->program->threads[thread];
    struct script_thread *t = &script->threads[thread];

    t->pc = 0;
    for (uint32_t r = 0; r < code->reg_count; r++)
        t->regs[r] = operand_value(script, NULL, &code->regs[r].init);
    thread_run(script, world, agent, next);
}

static void script_resume(struct target *target, struct world *world, agent_id agent,
                          cell_value result, struct op *next)
{
    struct script *script = (struct script *)target;
    uint32_t thread = script_thread_of(world, agent);
    struct script_thread *t = &script->threads[thread];
    const struct insn *insn = &script->program->threads[thread].insns[t->pc];

    if (insn->dst != REG_NONE)
        t->regs[insn->dst] =
            op_infos[insn->op].object == OBJECT_CELL
                ? value_extend((uint64_t)result, insn_size(script->program, insn), insn->sign)
                : (int64_t)result;
    t->pc++;
    thread_run(script, world, agent, next);
}

/* C programs have no static initialisers for these: as declared here they have been initialised. */
static bool begins_by_call(enum object_kind kind)
{
    return kind == OBJECT_SEM || kind == OBJECT_SPIN || kind == OBJECT_BARRIER;
}

static uint64_t value_of(const struct decl *semaphore)
{
    return semaphore->init ? (uint64_t)semaphore->init[0].number : 0;
}

static void script_restart(struct target *target, struct world *world)
{
    struct script *script = (struct script *)target;
    const struct program *program = script->program;

    memcpy(script->memory, script->initial, script->size);
    if (script->crowded)
        world->commutes &= (uint8_t)~COMMUTE_BARRIERS;
    for (uint32_t d = 0; d < program->decl_count; d++) {
        const struct decl *decl = &program->decls[d];

        if (begins_by_call(decl->kind))
            for (uint32_t i = 0; i < decl->count; i++)
                world_object_set(world, decl->kind, script->addresses[d] + i,
                                 (decl->kind == OBJECT_SEM ? value_of(decl) : 0) | OBJECT_MADE);
    }
    for (uint32_t t = 0; t < program->thread_count; t++) {
        memset(script->threads[t].regs, 0,
               program->threads[t].reg_count * sizeof *script->threads[t].regs);
        script->threads[t].pc = 0;
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (!program->threads[t].created)
            world_start(world, world_thread(world, thread_key(t)));
}

/* ---- states: a thread is where it is in its code, and its registers. All of them: their last values are looked at in the end. */

static bool script_local(struct target *target, struct world *world, agent_id agent,
                         struct fingerprint *into)
{
    struct script *script = (struct script *)target;
    uint32_t thread = script_thread_of(world, agent);
    const struct script_thread *t = &script->threads[thread];

    fingerprint_word(into, t->pc);
    fingerprint_bytes(into, t->regs, script->program->threads[thread].reg_count * sizeof *t->regs);
    return true;
}

/* What those that run no more have left in their registers. */
static bool script_shared(struct target *target, struct world *world, struct fingerprint *into)
{
    for (agent_id agent = 0; agent < world->agents.count; agent++) {
        struct fingerprint thread = {agent, 0};

        if (world->agents.at[agent].is_buffer ||
            (world->threads.at[agent].status != THREAD_EXITED &&
             world->threads.at[agent].status != THREAD_HALTED))
            continue;
        script_local(target, world, agent, &thread);
        fingerprint_plus(into, thread);
    }
    return true;
}

static void script_note(struct target *target, struct world *world, agent_id agent)
{
    struct script *script = (struct script *)target;
    uint32_t thread = script_thread_of(world, agent);
    struct script_thread *t = &script->threads[thread];

    t->noted_pc = t->pc;
    memcpy(t->noted, t->regs, script->program->threads[thread].reg_count * sizeof *t->regs);
}

static bool script_change(struct target *target, struct world *world, agent_id agent,
                          struct fingerprint *into)
{
    struct script *script = (struct script *)target;
    uint32_t thread = script_thread_of(world, agent);
    const struct script_thread *t = &script->threads[thread];

    for (uint32_t r = 0; r < script->program->threads[thread].reg_count; r++)
        if (t->noted[r] != t->regs[r]) {
            fingerprint_word(into, r);
            fingerprint_word(into, (uint64_t)t->regs[r]);
        }
    if (t->noted_pc != t->pc)
        fingerprint_word(into, t->pc);
    return true;
}

static const struct target_ops script_ops = {
    .restart = script_restart,
    .start = script_start,
    .resume = script_resume,
    .local = script_local,
    .shared = script_shared,
    .note = script_note,
    .change = script_change,
    .alike = script_alike,
};

/* Every declaration starts at eight bytes of its own. Objects get names behind all memory. */
static void script_lay_out(struct script *script)
{
    const struct program *program = script->program;
    uint64_t next = (uint64_t)(uintptr_t)script->memory;

    for (uint32_t d = 0; d < program->decl_count; d++)
        if (program->decls[d].kind == OBJECT_CELL) {
            script->addresses[d] = next;
            next += ((uint64_t)program->decls[d].count * program->decls[d].size + 7) & ~(uint64_t)7;
        }
    next = script->end = (uint64_t)(uintptr_t)script->memory + script->size;
    for (uint32_t d = 0; d < program->decl_count; d++)
        if (program->decls[d].kind != OBJECT_CELL) {
            script->addresses[d] = next;
            next += program->decls[d].count;
        }
    script->base.base = (uint64_t)(uintptr_t)script->memory;
    script->base.extent = next - script->base.base;
}

static void script_fill(struct script *script)
{
    const struct program *program = script->program;

    for (uint32_t d = 0; d < program->decl_count; d++) {
        const struct decl *decl = &program->decls[d];

        if (decl->kind != OBJECT_CELL || !decl->init)
            continue;
        for (uint32_t i = 0; i < decl->count; i++) {
            int64_t value = operand_value(script, NULL, &decl->init[i]);
            uint64_t offset =
                script->addresses[d] + i * decl->size - (uint64_t)(uintptr_t)script->memory;

            memcpy(script->initial + offset, &value, decl->size);
        }
    }
}

int script_open(struct script *script, const struct program *program)
{
    memset(script, 0, sizeof *script);
    script->base.ops = &script_ops;
    script->program = program;
    script->cancels = program_has(program, OP_THREAD_CANCEL);
    script->awaits = program_has(program, OP_AWAIT);
    script->crowded = program_crowds(program);
    script->wants = program_has(program, OP_RWLOCK_WANT);
    for (uint32_t d = 0; d < program->decl_count; d++)
        if (program->decls[d].kind == OBJECT_CELL)
            script->size += ((size_t)program->decls[d].count * program->decls[d].size + 7) & ~7ul;
    script->memory = mmap(MEMORY_HINT, script->size + 8, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (script->memory == MAP_FAILED)
        script->memory = NULL;
    script->initial = calloc(1, script->size + 1);
    script->addresses = calloc(program->decl_count + 1, sizeof *script->addresses);
    script->threads = calloc(program->thread_count + 1, sizeof *script->threads);
    if (!script->memory || !script->initial || !script->addresses || !script->threads)
        goto fail;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        script->threads[t].regs =
            calloc(program->threads[t].reg_count + 1, sizeof *script->threads[t].regs);
        script->threads[t].noted =
            calloc(program->threads[t].reg_count + 1, sizeof *script->threads[t].noted);
        if (!script->threads[t].regs || !script->threads[t].noted)
            goto fail;
    }
    script_lay_out(script);
    script_fill(script);
    return 0;
fail:
    script_close(script);
    return -1;
}

void script_close(struct script *script)
{
    for (uint32_t t = 0; script->threads && t < script->program->thread_count; t++) {
        free(script->threads[t].regs);
        free(script->threads[t].noted);
    }
    free(script->threads);
    free(script->addresses);
    free(script->initial);
    if (script->memory)
        munmap(script->memory, script->size + 8);
    memset(script, 0, sizeof *script);
}

int64_t script_reg(const struct script *script, uint32_t thread, reg_id reg)
{
    return script->threads[thread].regs[reg];
}

int64_t script_cell(const struct script *script, uint32_t decl, uint32_t element)
{
    unsigned size = script->program->decls[decl].size;
    uint64_t value = 0;

    memcpy(&value, (const void *)(uintptr_t)(script->addresses[decl] + (uint64_t)element * size),
           size);
    return value_extend(value, size, true);
}

uint32_t script_locate(const struct script *script, uint64_t addr, uint64_t *offset)
{
    for (uint32_t d = 0; d < script->program->decl_count; d++) {
        const struct decl *decl = &script->program->decls[d];

        *offset = addr - script->addresses[d];
        if (*offset < decl->count * decl_stride(decl))
            return d;
    }
    return UINT32_MAX;
}

uint64_t script_address(const struct script *script, uint32_t decl)
{
    return script->addresses[decl];
}
