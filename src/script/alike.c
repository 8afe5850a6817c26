#include "script/alike.h"

#include <stdlib.h>
#include <string.h>

/* Two threads, and how far their code was compared: which row of the second takes the place of each row of the first. */
struct comparison {
    const struct thread_code *a, *b;
    uint32_t first, second; /* their numbers */
    uint32_t *place;        /* by row of `a`: a row of `b`, or UINT32_MAX: not met yet */
    uint32_t *todo;         /* rows of `a` whose followers are still to be compared */
    uint32_t count;
};

static bool operands_agree(const struct operand *x, const struct operand *y)
{
    return x->kind == y->kind && (x->kind != OPERAND_REG || x->reg == y->reg) &&
           (x->kind != OPERAND_ADDRESS || x->decl == y->decl) && x->number == y->number;
}

static bool places_agree(const struct place *x, const struct place *y)
{
    return x->kind == y->kind && (x->kind != PLACE_DECL || x->decl == y->decl) &&
           x->offset == y->offset &&
           (x->kind == PLACE_NONE || operands_agree(&x->index, &y->index));
}

/* Code of the two that names one of them means another one for each. */
static bool names_one(const struct comparison *c, const struct insn *row)
{
    return row->kind == INSN_OP && op_infos[row->op].object == OBJECT_THREAD &&
           (row->thread == c->first || row->thread == c->second);
}

/* Apart from where they jump to, and which line they are in. */
static bool rows_agree(const struct comparison *c, const struct insn *x, const struct insn *y)
{
    return !names_one(c, x) && x->kind == y->kind && x->op == y->op && x->order == y->order &&
           x->rmw == y->rmw && x->alu == y->alu && x->size == y->size && x->sign == y->sign &&
           x->dst == y->dst && x->thread == y->thread && places_agree(&x->place, &y->place) &&
           places_agree(&x->mutex, &y->mutex) && operands_agree(&x->a, &y->a) &&
           operands_agree(&x->b, &y->b);
}

/* Row `x` of the one is followed as row `y` of the other is. False if that cannot be. */
static bool rows_meet(struct comparison *c, uint32_t x, uint32_t y)
{
    bool x_ends = x == c->a->insn_count, y_ends = y == c->b->insn_count;

    if (x_ends || y_ends)
        return x_ends && y_ends;
    if (c->place[x] != UINT32_MAX)
        return c->place[x] == y;
    if (!rows_agree(c, &c->a->insns[x], &c->b->insns[y]))
        return false;
    c->place[x] = y;
    c->todo[c->count++] = x;
    return true;
}

static bool codes_agree(struct comparison *c, uint32_t x, uint32_t y)
{
    if (!rows_meet(c, x, y))
        return false;
    while (c->count > 0) {
        x = c->todo[--c->count];
        y = c->place[x];
        if (!rows_meet(c, x + 1, y + 1) ||
            (c->a->insns[x].kind == INSN_BRANCH &&
             !rows_meet(c, c->a->insns[x].jump, c->b->insns[y].jump)))
            return false;
    }
    return true;
}

static bool residual_agrees(const struct script *script, uint32_t first, uint32_t second)
{
    struct comparison c = {.a = &script->program->threads[first],
                           .b = &script->program->threads[second],
                           .first = first,
                           .second = second};
    size_t size = (c.a->insn_count + 1) * sizeof(uint32_t);
    bool agrees = false;

    c.place = malloc(size);
    c.todo = malloc(size);
    if (c.place && c.todo) {
        memset(c.place, 0xff, size);
        agrees = codes_agree(&c, script->threads[first].pc, script->threads[second].pc);
    }
    free(c.place);
    free(c.todo);
    return agrees;
}

bool script_alike(struct target *target, struct world *world, agent_id a, agent_id b, bool past,
                  const char **reason)
{
    const struct script *script = (const struct script *)target;
    uint32_t first = script_thread_of(world, a), second = script_thread_of(world, b);
    const struct thread_code *x = &script->program->threads[first];
    const struct thread_code *y = &script->program->threads[second];

    (void)past;
    *reason = NULL;
    if (x->reg_count != y->reg_count ||
        memcmp(script->threads[first].regs, script->threads[second].regs,
               x->reg_count * sizeof(int64_t)) != 0)
        *reason = "their registers differ";
    else if (!residual_agrees(script, first, second))
        *reason = "the rows ahead of them differ";
    return !*reason;
}
