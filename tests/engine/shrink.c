#include "shrink.h"

#include <stdlib.h>
#include <string.h>

static void *copied(const void *array, size_t count, size_t size)
{
    void *copy = calloc(count + 1, size);

    if (count)
        memcpy(copy, array, count * size);
    return copy;
}

void program_clone(const struct program *program, struct program *copy)
{
    *copy = *program;
    copy->name = program->name ? strdup(program->name) : NULL;
    copy->decls = copied(program->decls, program->decl_count, sizeof *program->decls);
    copy->threads = copied(program->threads, program->thread_count, sizeof *program->threads);
    for (uint32_t d = 0; d < copy->decl_count; d++) {
        struct decl *decl = &copy->decls[d];
        uint32_t values = decl->kind == OBJECT_CELL ? decl->count : 1;
        decl->name = strdup(decl->name);
        if (decl->init)
            decl->init = copied(decl->init, values, sizeof *decl->init);
    }
    for (uint32_t t = 0; t < copy->thread_count; t++) {
        struct thread_code *code = &copy->threads[t];
        code->name = strdup(code->name);
        code->insns = copied(code->insns, code->insn_count, sizeof *code->insns);
        code->regs = copied(code->regs, code->reg_count, sizeof *code->regs);
        for (uint32_t r = 0; r < code->reg_count; r++)
            code->regs[r].name = strdup(code->regs[r].name);
    }
}

static bool names_thread(const struct insn *insn)
{
    return insn->kind == INSN_OP && (insn->op == OP_THREAD_CREATE || insn->op == OP_THREAD_JOIN ||
                                     insn->op == OP_THREAD_CANCEL);
}

void program_permute(struct program *program, const uint32_t *to)
{
    struct thread_code *old = copied(program->threads, program->thread_count, sizeof *old);

    for (uint32_t t = 0; t < program->thread_count; t++)
        program->threads[to[t]] = old[t];
    free(old);
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++)
            if (names_thread(&program->threads[t].insns[i]))
                program->threads[t].insns[i].thread = to[program->threads[t].insns[i].thread];
}

static void drop_row(struct thread_code *code, uint32_t row)
{
    code->insn_count--;
    memmove(&code->insns[row], &code->insns[row + 1],
            (code->insn_count - row) * sizeof *code->insns);
    for (uint32_t i = 0; i < code->insn_count; i++)
        if (code->insns[i].jump > row)
            code->insns[i].jump--;
}

static void drop_thread(struct program *program, uint32_t dropped)
{
    struct thread_code *code = &program->threads[dropped];

    for (uint32_t r = 0; r < code->reg_count; r++)
        free(code->regs[r].name);
    free(code->regs);
    free(code->insns);
    free(code->name);
    program->thread_count--;
    memmove(code, code + 1, (program->thread_count - dropped) * sizeof *code);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        code = &program->threads[t];
        for (uint32_t i = code->insn_count; i-- > 0;) {
            if (!names_thread(&code->insns[i]))
                continue;
            if (code->insns[i].thread == dropped)
                drop_row(code, i);
            else if (code->insns[i].thread > dropped)
                code->insns[i].thread--;
        }
    }
}

/* Calls `visit` for each operand of the program; `code` is NULL for those of declarations. */
static void each_operand(struct program *program,
                         void (*visit)(void *ctx, struct thread_code *code, struct operand *),
                         void *ctx)
{
    for (uint32_t d = 0; d < program->decl_count; d++) {
        struct decl *decl = &program->decls[d];
        for (uint32_t i = 0; decl->init && i < (decl->kind == OBJECT_CELL ? decl->count : 1); i++)
            visit(ctx, NULL, &decl->init[i]);
    }
    for (uint32_t t = 0; t < program->thread_count; t++) {
        struct thread_code *code = &program->threads[t];
        for (uint32_t r = 0; r < code->reg_count; r++)
            visit(ctx, code, &code->regs[r].init);
        for (uint32_t i = 0; i < code->insn_count; i++) {
            visit(ctx, code, &code->insns[i].a);
            visit(ctx, code, &code->insns[i].b);
            visit(ctx, code, &code->insns[i].place.index);
            visit(ctx, code, &code->insns[i].mutex.index);
        }
    }
}

/* What is looked for or closed up after one of them went. */
struct renumbering {
    const struct thread_code *code; /* of a register */
    uint32_t index;
    bool used;
    bool close;
};

static void renumber(struct renumbering *renumbering, uint32_t *index)
{
    if (renumbering->close && *index > renumbering->index)
        --*index;
    else if (*index == renumbering->index)
        renumbering->used = true;
}

static void renumber_decl_operand(void *ctx, struct thread_code *code, struct operand *operand)
{
    (void)code;
    if (operand->kind == OPERAND_ADDRESS)
        renumber(ctx, &operand->decl);
}

static void renumber_reg(struct renumbering *renumbering, reg_id *reg)
{
    uint32_t index = (uint32_t)*reg;

    renumber(renumbering, &index);
    *reg = (reg_id)index;
}

static void renumber_reg_operand(void *ctx, struct thread_code *code, struct operand *operand)
{
    struct renumbering *renumbering = ctx;

    if (operand->kind == OPERAND_REG && code == renumbering->code)
        renumber_reg(renumbering, &operand->reg);
}

/* True if `decl` is used. With `close`: the numbers behind it move up by one. */
static bool renumber_decl(struct program *program, uint32_t decl, bool close)
{
    struct renumbering renumbering = {NULL, decl, false, close};

    each_operand(program, renumber_decl_operand, &renumbering);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++) {
            struct insn *insn = &program->threads[t].insns[i];
            if (insn->place.kind == PLACE_DECL)
                renumber(&renumbering, &insn->place.decl);
            if (insn->mutex.kind == PLACE_DECL)
                renumber(&renumbering, &insn->mutex.decl);
        }
    }
    return renumbering.used;
}

static void drop_unused_decls(struct program *program)
{
    for (uint32_t d = program->decl_count; d-- > 0;) {
        if (renumber_decl(program, d, false))
            continue;
        free(program->decls[d].name);
        free(program->decls[d].init);
        program->decl_count--;
        memmove(&program->decls[d], &program->decls[d + 1],
                (program->decl_count - d) * sizeof *program->decls);
        renumber_decl(program, d, true);
    }
}

static bool renumber_regs(struct program *program, struct thread_code *code, uint32_t reg,
                          bool close)
{
    struct renumbering renumbering = {code, reg, false, close};

    each_operand(program, renumber_reg_operand, &renumbering);
    for (uint32_t i = 0; i < code->insn_count; i++)
        if (code->insns[i].dst != REG_NONE)
            renumber_reg(&renumbering, &code->insns[i].dst);
    return renumbering.used;
}

static void drop_unused_regs(struct program *program)
{
    for (uint32_t t = 0; t < program->thread_count; t++) {
        struct thread_code *code = &program->threads[t];
        for (uint32_t r = code->reg_count; r-- > 0;) {
            if (renumber_regs(program, code, r, false))
                continue;
            free(code->regs[r].name);
            code->reg_count--;
            memmove(&code->regs[r], &code->regs[r + 1], (code->reg_count - r) * sizeof *code->regs);
            renumber_regs(program, code, r, true);
        }
    }
}

struct shrinker {
    struct program *program;
    bool (*still_fails)(void *ctx, const struct program *);
    void *ctx;
};

/* Takes over `candidate`: keeps it if it still fails, else frees it. */
static bool offer(struct shrinker *shrinker, struct program *candidate)
{
    uint32_t line;

    program_mark_created(candidate);
    if (program_check(candidate, &line) == NULL && candidate->thread_count > 0 &&
        shrinker->still_fails(shrinker->ctx, candidate)) {
        program_free(shrinker->program);
        *shrinker->program = *candidate;
        return true;
    }
    program_free(candidate);
    return false;
}

static bool try_drops(struct shrinker *shrinker)
{
    struct program candidate;
    bool helped = false;

    for (uint32_t t = shrinker->program->thread_count; t-- > 0;) {
        program_clone(shrinker->program, &candidate);
        drop_thread(&candidate, t);
        helped |= offer(shrinker, &candidate);
    }
    for (uint32_t t = 0; t < shrinker->program->thread_count; t++) {
        for (uint32_t row = shrinker->program->threads[t].insn_count; row-- > 0;) {
            program_clone(shrinker->program, &candidate);
            drop_row(&candidate.threads[t], row);
            helped |= offer(shrinker, &candidate);
        }
    }
    return helped;
}

enum { PLAINER_COUNT = 7 };

static bool number_plainer(struct operand *operand)
{
    if (operand->kind == OPERAND_NUMBER && (operand->number == 0 || operand->number == 1))
        return false;
    *operand = operand_number(operand->kind != OPERAND_NUMBER ? 0 : 1);
    return true;
}

/* Makes one thing of a row plainer; false if it is plain already. */
static bool row_plainer(struct insn *insn, int what)
{
    switch (what) {
    case 0:
        if (insn->kind != INSN_OP || insn->order == ORDER_RELAXED)
            return false;
        insn->order = ORDER_RELAXED;
        return true;
    case 1:
        return number_plainer(&insn->a);
    case 2:
        return number_plainer(&insn->b);
    case 3:
        return insn->place.kind == PLACE_DECL && number_plainer(&insn->place.index);
    case 4:
        if (insn->place.kind != PLACE_DECL || (insn->size == 0 && insn->place.offset == 0))
            return false;
        insn->size = 0;
        insn->place.offset = 0;
        return true;
    case 5:
        if (insn->kind != INSN_OP || insn->dst == REG_NONE)
            return false;
        insn->dst = REG_NONE;
        return true;
    default:
        if (insn->kind != INSN_OP || insn->op != OP_RMW || insn->rmw == RMW_XCHG)
            return false;
        insn->rmw = RMW_XCHG;
        return true;
    }
}

static bool try_plainer(struct shrinker *shrinker)
{
    struct program candidate;
    bool helped = false;

    for (uint32_t t = 0; t < shrinker->program->thread_count; t++) {
        for (uint32_t i = 0; i < shrinker->program->threads[t].insn_count; i++) {
            for (int what = 0; what < PLAINER_COUNT; what++) {
                program_clone(shrinker->program, &candidate);
                if (row_plainer(&candidate.threads[t].insns[i], what))
                    helped |= offer(shrinker, &candidate);
                else
                    program_free(&candidate);
            }
        }
    }
    return helped;
}

static bool try_plainer_decls(struct shrinker *shrinker)
{
    struct program candidate;
    bool helped = false;

    for (uint32_t d = 0; d < shrinker->program->decl_count; d++) {
        const struct decl *decl = &shrinker->program->decls[d];
        if (decl->kind != OBJECT_CELL || !decl->init)
            continue;
        program_clone(shrinker->program, &candidate);
        free(candidate.decls[d].init);
        candidate.decls[d].init = NULL;
        helped |= offer(shrinker, &candidate);
    }
    return helped;
}

static void try_unused(struct shrinker *shrinker)
{
    struct program candidate;

    program_clone(shrinker->program, &candidate);
    drop_unused_decls(&candidate);
    offer(shrinker, &candidate);
    program_clone(shrinker->program, &candidate);
    drop_unused_regs(&candidate);
    offer(shrinker, &candidate);
}

void shrink(struct program *program, bool (*still_fails)(void *ctx, const struct program *),
            void *ctx)
{
    struct shrinker shrinker = {program, still_fails, ctx};

    for (int round = 0; round < 20; round++) {
        bool helped = try_drops(&shrinker);
        helped |= try_plainer(&shrinker);
        helped |= try_plainer_decls(&shrinker);
        if (!helped)
            break;
    }
    try_unused(&shrinker);
}
