#include "script/litmus_code.h"

#include <stdlib.h>

struct thread_code *litmus_code_thread(struct litmus_code *code)
{
    return &code->reader->out->program.threads[code->thread];
}

struct insn *litmus_code_row(struct litmus_code *code, enum insn_kind kind)
{
    struct thread_code *thread = litmus_code_thread(code);

    if (thread->insn_count >= LITMUS_ROWS_MAX)
        litmus_lexer_fail(&code->reader->lexer, "more than %d operations in one thread",
                          LITMUS_ROWS_MAX);
    struct insn *insn = thread_code_add(thread, kind);
    insn->line = code->line;
    return insn;
}

reg_id litmus_code_reg(struct litmus_code *code, const struct token *name)
{
    struct thread_code *thread = litmus_code_thread(code);

    if (thread->reg_count >= LITMUS_REGS_MAX + LITMUS_TEMPS_MAX)
        litmus_lexer_fail_token(&code->reader->lexer, name, "more than %d registers in one thread",
                                LITMUS_REGS_MAX);
    char *text = token_copy(name);
    reg_id reg = thread_code_reg(thread, text);
    free(text);
    return reg;
}

reg_id litmus_code_temp(struct litmus_code *code)
{
    char name[16];

    if (code->temp_count == LITMUS_TEMPS_MAX)
        litmus_lexer_fail(&code->reader->lexer, "expression too complex");
    if (code->temp_count == code->temp_made) {
        snprintf(name, sizeof(name), "#%u", code->temp_made);
        code->temps[code->temp_made++] = thread_code_reg(litmus_code_thread(code), name);
    }
    return code->temps[code->temp_count++];
}

void litmus_code_let(struct litmus_code *code, reg_id dst, enum alu_kind alu, struct operand a,
                     struct operand b)
{
    struct insn *insn = litmus_code_row(code, INSN_LET);

    insn->alu = alu;
    insn->dst = dst;
    insn->a = a;
    insn->b = b;
}

void litmus_code_move(struct litmus_code *code, reg_id dst, struct operand a)
{
    litmus_code_let(code, dst, ALU_ADD, a, operand_number(0));
}

uint32_t litmus_code_branch(struct litmus_code *code, enum alu_kind alu, struct operand a,
                            struct operand b)
{
    uint32_t row = litmus_code_next_row(code);
    struct insn *insn = litmus_code_row(code, INSN_BRANCH);

    insn->alu = alu;
    insn->a = a;
    insn->b = b;
    insn->dst = REG_NONE;
    return row;
}

uint32_t litmus_code_jump(struct litmus_code *code)
{
    return litmus_code_branch(code, ALU_EQ, operand_number(0), operand_number(0));
}

void litmus_code_land(struct litmus_code *code, uint32_t row)
{
    litmus_code_thread(code)->insns[row].jump = litmus_code_next_row(code);
}

uint32_t litmus_code_next_row(struct litmus_code *code)
{
    return litmus_code_thread(code)->insn_count;
}

/* Refuses an access that is sure to miss its cell: at run time it would only stop the thread. */
static void check_reach(struct litmus_code *code, const struct place *place, uint8_t size)
{
    struct token at = {.line = code->line};

    if (place->kind != PLACE_DECL)
        return;
    const struct decl *decl = &code->reader->out->program.decls[place->decl];
    int64_t bytes = (int64_t)decl->size * decl->count;
    if (decl->kind == OBJECT_CELL && (place->offset < 0 || place->offset > bytes - size))
        litmus_lexer_fail_token(
            &code->reader->lexer, &at, "%u bytes at offset %lld are not inside %s, which has %lld",
            (unsigned)size, (long long)place->offset, decl->name, (long long)bytes);
}

static struct insn *add_op(struct litmus_code *code, enum op_kind op, struct place place,
                           uint8_t size, enum memory_order order)
{
    check_reach(code, &place, size);
    struct insn *insn = litmus_code_row(code, INSN_OP);

    insn->op = op;
    insn->place = place;
    insn->size = size;
    insn->order = order;
    insn->dst = REG_NONE;
    return insn;
}

void litmus_code_load(struct litmus_code *code, reg_id dst, struct place place, uint8_t size,
                      bool sign, enum memory_order order)
{
    struct insn *insn = add_op(code, OP_LOAD, place, size, order);

    insn->dst = dst;
    insn->sign = sign;
}

void litmus_code_store(struct litmus_code *code, struct place place, uint8_t size,
                       struct operand value, enum memory_order order)
{
    add_op(code, OP_STORE, place, size, order)->a = value;
}

void litmus_code_rmw(struct litmus_code *code, reg_id dst, struct place place, struct operand value,
                     struct litmus_update update)
{
    struct insn *insn = add_op(code, OP_RMW, place, update.size, update.order);

    insn->rmw = update.rmw;
    insn->dst = dst;
    insn->sign = update.sign;
    insn->a = value;
}

void litmus_code_cas(struct litmus_code *code, reg_id dst, struct place place,
                     struct operand expected, struct operand desired, struct litmus_update update)
{
    struct insn *insn = add_op(code, OP_CAS, place, update.size, update.order);

    insn->dst = dst;
    insn->sign = update.sign;
    insn->a = desired;
    insn->b = expected;
}

void litmus_code_fence(struct litmus_code *code, enum memory_order order)
{
    add_op(code, OP_FENCE, (struct place){.kind = PLACE_NONE}, 0, order);
}

struct operand litmus_code_address(uint32_t decl, int64_t offset)
{
    return (struct operand){.kind = OPERAND_ADDRESS, .decl = decl, .number = offset};
}

struct place litmus_code_place(struct litmus_code *code, struct operand address)
{
    struct place place = {.kind = PLACE_POINTER, .index = address};

    if (address.kind == OPERAND_NUMBER)
        litmus_lexer_fail(&code->reader->lexer, "a number is not an address");
    if (address.kind == OPERAND_ADDRESS) {
        place.kind = PLACE_DECL;
        place.decl = address.decl;
        place.index = operand_number(0);
        place.offset = address.number;
    }
    return place;
}
