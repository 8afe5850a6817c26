#include "twins_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cycles_make.h"
#include "generate.h"

#define THREADS_MAX 6

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(next_random(state) % n);
}

static bool chance(uint64_t *state, uint32_t percent)
{
    return below(state, 100) < percent;
}

static void code_clear(struct thread_code *code)
{
    for (uint32_t r = 0; r < code->reg_count; r++)
        free(code->regs[r].name);
    free(code->regs);
    free(code->insns);
    code->regs = NULL;
    code->insns = NULL;
    code->reg_count = code->insn_count = 0;
}

/* Gives one thread the code of another, with registers of the same or of other names. */
static void code_copy(struct thread_code *to, const struct thread_code *from, bool renamed)
{
    char name[40];

    code_clear(to);
    for (uint32_t r = 0; r < from->reg_count; r++) {
        snprintf(name, sizeof name, renamed ? "q%.30s" : "%.30s", from->regs[r].name);
        thread_code_reg(to, name);
        to->regs[r].init = from->regs[r].init;
    }
    for (uint32_t i = 0; i < from->insn_count; i++) {
        struct insn *row = thread_code_add(to, from->insns[i].kind);

        *row = from->insns[i];
        row->line = 0;
    }
}

/* It has no constant: where others have one, it would have what it waits for. */
static bool waits_at_condition(const struct insn *row)
{
    return row->kind == INSN_OP && op_infos[row->op].object == OBJECT_COND;
}

/* One constant, one place, one initial value, or the order of two rows is another. */
static void code_change(uint64_t *random, struct program *program, struct thread_code *code)
{
    struct insn *row = code->insn_count ? &code->insns[below(random, code->insn_count)] : NULL;

    if (!row)
        return;
    switch (below(random, 4)) {
    case 0:
        if (row->a.kind == OPERAND_NUMBER && row->op != OP_CHOOSE && !waits_at_condition(row))
            row->a.number = (row->a.number + 1) % 3;
        break;
    case 1:
        if (row->kind == INSN_OP && row->place.kind == PLACE_DECL)
            for (uint32_t d = 0; d < program->decl_count; d++)
                if (d != row->place.decl &&
                    program->decls[d].kind == program->decls[row->place.decl].kind &&
                    program->decls[d].count == program->decls[row->place.decl].count)
                    row->place.decl = d;
        break;
    case 2:
        if (code->reg_count && code->regs[0].init.kind == OPERAND_NUMBER)
            code->regs[0].init.number++;
        break;
    default:
        if (row > code->insns && row[0].kind == INSN_OP && row[-1].kind == INSN_OP) {
            struct insn moved = row[0];

            row[0] = row[-1];
            row[-1] = moved;
        }
    }
}

/* It does something else first, and is like the others only after that. */
static void code_prefix(uint64_t *random, struct program *program, struct thread_code *code)
{
    static const char *const names[] = {"x", "y"};
    uint32_t cell = program_decl(program, names[below(random, 2)], OBJECT_CELL, 1);
    struct insn *row = thread_code_add(code, INSN_OP);

    memmove(code->insns + 1, code->insns, (code->insn_count - 1) * sizeof *code->insns);
    for (uint32_t i = 1; i < code->insn_count; i++)
        code->insns[i].jump += code->insns[i].kind == INSN_BRANCH;
    row = code->insns;
    memset(row, 0, sizeof *row);
    row->kind = INSN_OP;
    row->dst = REG_NONE;
    row->sign = true;
    row->op = chance(random, 70) ? OP_STORE : OP_RMW;
    row->rmw = RMW_ADD;
    row->place = place_decl(cell);
    row->a = operand_number(below(random, 3));
}

/* A thread that begins all others and joins some of them, now and then with something between. */
static void parent_add(uint64_t *random, struct program *program)
{
    uint32_t others = program->thread_count, t = program_thread(program, "M");
    uint32_t cell = program_decl(program, "x", OBJECT_CELL, 1);
    struct insn *row;

    for (uint32_t i = 0; i < others; i++) {
        thread_code_add(&program->threads[t], INSN_OP)->op = OP_THREAD_CREATE;
        program->threads[t].insns[program->threads[t].insn_count - 1].thread = i;
        if (chance(random, 10)) {
            row = thread_code_add(&program->threads[t], INSN_OP);
            row->op = OP_STORE;
            row->place = place_decl(cell);
            row->a = operand_number(1 + below(random, 2));
        }
    }
    for (uint32_t i = 0; i < others; i++) {
        if (chance(random, 15))
            continue;
        thread_code_add(&program->threads[t], INSN_OP)->op = OP_THREAD_JOIN;
        program->threads[t].insns[program->threads[t].insn_count - 1].thread =
            chance(random, 50) ? i : others - 1 - i;
        if (chance(random, 20)) {
            reg_id reg = thread_code_reg(&program->threads[t], i % 2 ? "a" : "b");

            row = thread_code_add(&program->threads[t], INSN_OP);
            row->op = chance(random, 50) ? OP_LOAD : OP_STORE;
            row->place = place_decl(cell);
            row->a = operand_number(1);
            if (row->op == OP_LOAD)
                row->dst = reg;
        }
    }
}

void twins_make(uint64_t seed, struct program *program)
{
    uint64_t random = seed * 31 + 7;
    struct knobs knobs = {.flavour = -1, .threads_max = 2 + below(&random, 2), .events_max = 6};
    uint32_t line;
    bool creates = false;

    generate(seed, &knobs, program);
    while (program->thread_count < THREADS_MAX - 2 && chance(&random, 60)) {
        char name[8];

        snprintf(name, sizeof name, "C%u", program->thread_count);
        program_thread(program, name);
    }
    for (uint32_t t = 1; t < program->thread_count; t++) {
        if (program->threads[t].insn_count && chance(&random, 20))
            continue;
        code_copy(&program->threads[t], &program->threads[below(&random, t)], chance(&random, 20));
        if (chance(&random, 25))
            code_change(&random, program, &program->threads[t]);
        if (chance(&random, 25))
            code_prefix(&random, program, &program->threads[t]);
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++)
            creates |= program->threads[t].insns[i].kind == INSN_OP &&
                       program->threads[t].insns[i].op == OP_THREAD_CREATE;
    if (!creates && chance(&random, 50))
        parent_add(&random, program);
    program_mark_created(program);
    if (program_check(program, &line)) { /* a change that went too far */
        program_free(program);
        generate(seed, &knobs, program);
    }
}

bool twins_make_round(uint64_t seed, struct program *program)
{
    uint64_t random = seed * 37 + 5;

    if (!cycles_make(seed, program))
        return false;
    for (uint32_t t = 1; t < program->thread_count; t++)
        if (chance(&random, 80)) {
            code_copy(&program->threads[t], &program->threads[below(&random, t)], false);
            if (chance(&random, 20))
                code_prefix(&random, program, &program->threads[t]);
        }
    if (chance(&random, 30))
        parent_add(&random, program);
    program_mark_created(program);
    return true;
}

/* ---- whose code is the same */

/* What an operand or a place has no use for counts as 0. */
static struct operand operand_essence(struct operand operand)
{
    struct operand essence;

    memset(&essence, 0, sizeof essence);
    essence.kind = operand.kind;
    essence.reg = operand.kind == OPERAND_REG ? operand.reg : 0;
    essence.decl = operand.kind == OPERAND_ADDRESS ? operand.decl : 0;
    essence.number = operand.kind == OPERAND_REG ? 0 : operand.number;
    return essence;
}

static bool same_operand(struct operand x, struct operand y)
{
    x = operand_essence(x);
    y = operand_essence(y);
    return x.kind == y.kind && x.reg == y.reg && x.decl == y.decl && x.number == y.number;
}

static bool same_place(const struct place *x, const struct place *y)
{
    return x->kind == y->kind &&
           (x->kind == PLACE_NONE || (x->offset == y->offset && same_operand(x->index, y->index) &&
                                      (x->kind == PLACE_POINTER || x->decl == y->decl)));
}

static bool same_row(const struct insn *x, const struct insn *y)
{
    return x->kind == y->kind && x->op == y->op && x->order == y->order && x->rmw == y->rmw &&
           x->alu == y->alu && x->size == y->size && x->sign == y->sign && x->dst == y->dst &&
           same_place(&x->place, &y->place) && same_place(&x->mutex, &y->mutex) &&
           same_operand(x->a, y->a) && same_operand(x->b, y->b) &&
           (x->kind != INSN_BRANCH || x->jump == y->jump) && x->thread == y->thread;
}

bool twins_same_code(const struct thread_code *a, const struct thread_code *b, bool later)
{
    if (a->reg_count != b->reg_count)
        return false;
    if (later)
        return true;
    if (a->insn_count != b->insn_count)
        return false;
    for (uint32_t r = 0; r < a->reg_count; r++)
        if (!same_operand(a->regs[r].init, b->regs[r].init))
            return false;
    for (uint32_t i = 0; i < a->insn_count; i++)
        if (!same_row(&a->insns[i], &b->insns[i]))
            return false;
    return true;
}
