/* Turns x86 instructions into rows.
 *
 * A register of the program holds all 64 bits. "Raw" values below have garbage above the size of
 * the operation: stores and register writes drop it, flags drop it by extending the sign. */

#include "script/litmus_memory.h"
#include "script/litmus_x86.h"

/* The flags, as three hidden registers instead of bits: conditions become one comparison or two. */
enum x86_flag {
    FLAG_RESULT, /* the result, sign-extended: zero and sign flag */
    FLAG_CARRY,  /* 0 or 1 */
    FLAG_LESS,   /* sign flag != overflow flag, 0 or 1 */
    FLAG_COUNT
};

struct x86_code {
    struct litmus_code code;
    struct x86_thread *thread;
    reg_id flags[FLAG_COUNT];
};

static const enum alu_kind arithmetic_alu[] = {
    [X86_ADD] = ALU_ADD, [X86_SUB] = ALU_SUB, [X86_AND] = ALU_AND,  [X86_OR] = ALU_OR,
    [X86_XOR] = ALU_XOR, [X86_CMP] = ALU_SUB, [X86_TEST] = ALU_AND, [X86_INC] = ALU_ADD,
    [X86_DEC] = ALU_SUB, [X86_NEG] = ALU_SUB, [X86_NOT] = ALU_XOR,
};

static const enum rmw_kind arithmetic_rmw[] = {
    [X86_ADD] = RMW_ADD, [X86_SUB] = RMW_SUB, [X86_AND] = RMW_AND, [X86_OR] = RMW_OR,
    [X86_XOR] = RMW_XOR, [X86_INC] = RMW_ADD, [X86_DEC] = RMW_SUB, [X86_NOT] = RMW_XOR,
};

static _Noreturn void refuse(struct x86_code *x, const struct x86_insn *insn, const char *why)
{
    litmus_lexer_fail_token(&x->code.reader->lexer, &insn->name, "%s %s",
                            token_show(&insn->name).text, why);
}

static struct operand full_reg(struct x86_code *x, uint8_t reg)
{
    return operand_reg(litmus_x86_reg(&x->code, reg));
}

/* dst (a new hidden register) = a <alu> b. */
static struct operand compute(struct x86_code *x, enum alu_kind alu, struct operand a,
                              struct operand b)
{
    reg_id dst = litmus_code_temp(&x->code);

    litmus_code_let(&x->code, dst, alu, a, b);
    return operand_reg(dst);
}

static struct operand sign_extend(struct x86_code *x, struct operand raw, uint8_t size)
{
    return compute(x, ALU_SEXT, raw, operand_number(size));
}

/* ---- operands */

static struct operand address_of(struct x86_code *x, const struct x86_operand *memory)
{
    struct operand sum = operand_number(memory->number);

    if (memory->decl != LITMUS_NONE)
        sum = litmus_code_address(memory->decl, memory->number);
    if (memory->reg != X86_REG_NONE)
        sum = compute(x, ALU_ADD, full_reg(x, memory->reg), sum);
    if (memory->index != X86_REG_NONE) {
        struct operand index = compute(x, ALU_MUL, full_reg(x, memory->index),
                                       operand_number(memory->scale ? memory->scale : 1));
        sum = compute(x, ALU_ADD, index, sum);
    }
    return sum;
}

static struct place place_of(struct x86_code *x, const struct x86_operand *memory,
                             const struct x86_insn *insn)
{
    bool simple =
        memory->decl == LITMUS_NONE && memory->index == X86_REG_NONE && memory->reg != X86_REG_NONE;

    if (simple)
        return (struct place){
            .kind = PLACE_POINTER, .index = full_reg(x, memory->reg), .offset = memory->number};
    struct operand address = address_of(x, memory);
    if (address.kind == OPERAND_NUMBER)
        refuse(x, insn, "has a number as address");
    return litmus_code_place(&x->code, address);
}

/* The raw value of an operand. */
static struct operand read_value(struct x86_code *x, const struct x86_insn *insn,
                                 const struct x86_operand *operand, uint8_t size)
{
    if (operand->kind == X86_REGISTER)
        return full_reg(x, operand->reg);
    if (operand->kind == X86_IMMEDIATE)
        return operand->decl == LITMUS_NONE ? operand_number(operand->number)
                                            : litmus_code_address(operand->decl, 0);
    reg_id dst = litmus_code_temp(&x->code);
    litmus_code_load(&x->code, dst, place_of(x, operand, insn), size, false, ORDER_RELAXED);
    return operand_reg(dst);
}

/* Writes a raw value: 4 bytes clear the rest of a register, 1 and 2 leave the rest as it is. */
static void write_reg(struct x86_code *x, uint8_t reg, uint8_t size, struct operand raw)
{
    struct operand all = full_reg(x, reg);

    if (size > x->thread->written[reg])
        x->thread->written[reg] = size;
    if (size == 4 && x->code.reader->arch == &litmus_arch_x86)
        size = 8; /* no code of X86 sees the upper half; raddle's addresses need it */
    if (size >= 4) {
        litmus_code_let(&x->code, all.reg, ALU_ZEXT, raw, operand_number(size));
        return;
    }
    struct operand low = compute(x, ALU_ZEXT, raw, operand_number(size));
    litmus_code_let(&x->code, all.reg, ALU_AND, all, operand_number(-(INT64_C(1) << 8 * size)));
    litmus_code_let(&x->code, all.reg, ALU_OR, all, low);
}

static void write_value(struct x86_code *x, const struct x86_insn *insn,
                        const struct x86_operand *operand, uint8_t size, struct operand raw)
{
    if (operand->kind == X86_REGISTER)
        write_reg(x, operand->reg, size, raw);
    else if (operand->kind == X86_MEMORY)
        litmus_code_store(&x->code, place_of(x, operand, insn), size, raw, ORDER_RELAXED);
    else
        refuse(x, insn, "cannot write to a number");
}

/* ---- flags */

static struct operand flag(struct x86_code *x, enum x86_flag which)
{
    return operand_reg(x->flags[which]);
}

static void set_flag(struct x86_code *x, enum x86_flag which, enum alu_kind alu, struct operand a,
                     struct operand b)
{
    litmus_code_let(&x->code, x->flags[which], alu, a, b);
}

static void flags_of_logic(struct x86_code *x, struct operand result, uint8_t size)
{
    set_flag(x, FLAG_RESULT, ALU_SEXT, result, operand_number(size));
    set_flag(x, FLAG_CARRY, ALU_ADD, operand_number(0), operand_number(0));
    set_flag(x, FLAG_LESS, ALU_LT, flag(x, FLAG_RESULT), operand_number(0));
}

/* Sign extension keeps the unsigned order too, so it serves the carry. */
static void flags_of_sub(struct x86_code *x, struct operand a, struct operand b, uint8_t size,
                         bool carry)
{
    a = sign_extend(x, a, size);
    b = sign_extend(x, b, size);
    set_flag(x, FLAG_RESULT, ALU_SUB, a, b);
    set_flag(x, FLAG_RESULT, ALU_SEXT, flag(x, FLAG_RESULT), operand_number(size));
    set_flag(x, FLAG_LESS, ALU_LT, a, b);
    if (carry)
        set_flag(x, FLAG_CARRY, ALU_ULT, a, b);
}

/* Overflow: both operands differ in sign from the result. */
static void flags_of_add(struct x86_code *x, struct operand a, struct operand b, uint8_t size,
                         bool carry)
{
    a = sign_extend(x, a, size);
    b = sign_extend(x, b, size);
    set_flag(x, FLAG_RESULT, ALU_ADD, a, b);
    set_flag(x, FLAG_RESULT, ALU_SEXT, flag(x, FLAG_RESULT), operand_number(size));
    struct operand result = flag(x, FLAG_RESULT);
    struct operand overflow =
        compute(x, ALU_AND, compute(x, ALU_XOR, a, result), compute(x, ALU_XOR, b, result));
    set_flag(x, FLAG_LESS, ALU_LT, compute(x, ALU_XOR, overflow, result), operand_number(0));
    if (carry)
        set_flag(x, FLAG_CARRY, ALU_ULT, result, a);
}

static void set_flags(struct x86_code *x, enum x86_arithmetic what, struct operand a,
                      struct operand b, uint8_t size)
{
    enum alu_kind alu = arithmetic_alu[what];
    bool carry = what != X86_INC && what != X86_DEC;

    if (!x->thread->uses_flags || what == X86_NOT)
        return;
    if (alu == ALU_ADD)
        flags_of_add(x, a, b, size, carry);
    else if (alu == ALU_SUB)
        flags_of_sub(x, a, b, size, carry);
    else
        flags_of_logic(x, compute(x, alu, a, b), size);
}

/* How to test a condition: a flag, perhaps joined with "the result is zero" or "is negative". */
static const struct condition_test {
    uint8_t flag;
    enum { JOIN_NONE, JOIN_ZERO, JOIN_SIGN } join;
    enum alu_kind alu; /* against 0 */
} condition_tests[] = {
    [X86_E] = {FLAG_RESULT, JOIN_NONE, ALU_EQ}, [X86_NE] = {FLAG_RESULT, JOIN_NONE, ALU_NE},
    [X86_L] = {FLAG_LESS, JOIN_NONE, ALU_NE},   [X86_GE] = {FLAG_LESS, JOIN_NONE, ALU_EQ},
    [X86_LE] = {FLAG_LESS, JOIN_ZERO, ALU_NE},  [X86_G] = {FLAG_LESS, JOIN_ZERO, ALU_EQ},
    [X86_B] = {FLAG_CARRY, JOIN_NONE, ALU_NE},  [X86_AE] = {FLAG_CARRY, JOIN_NONE, ALU_EQ},
    [X86_BE] = {FLAG_CARRY, JOIN_ZERO, ALU_NE}, [X86_A] = {FLAG_CARRY, JOIN_ZERO, ALU_EQ},
    [X86_S] = {FLAG_RESULT, JOIN_NONE, ALU_LT}, [X86_NS] = {FLAG_RESULT, JOIN_NONE, ALU_GE},
    [X86_O] = {FLAG_LESS, JOIN_SIGN, ALU_NE},   [X86_NO] = {FLAG_LESS, JOIN_SIGN, ALU_EQ},
};

/* What to compare with 0, by *alu. */
static struct operand test_condition(struct x86_code *x, enum x86_condition condition,
                                     enum alu_kind *alu)
{
    const struct condition_test *test = &condition_tests[condition];
    struct operand value = flag(x, test->flag);
    struct operand result = flag(x, FLAG_RESULT);

    *alu = test->alu;
    if (test->join == JOIN_ZERO)
        value = compute(x, ALU_OR, value, compute(x, ALU_EQ, result, operand_number(0)));
    if (test->join == JOIN_SIGN)
        value = compute(x, ALU_XOR, value, compute(x, ALU_LT, result, operand_number(0)));
    return value;
}

/* ---- instructions */

static void compile_nop(struct x86_code *x, const struct x86_insn *insn)
{
    (void)x;
    (void)insn;
}

static void compile_move(struct x86_code *x, const struct x86_insn *insn)
{
    if (insn->source.kind == X86_MEMORY && insn->destination.kind == X86_REGISTER &&
        insn->size >= 4) {
        uint8_t reg = insn->destination.reg;
        if (insn->size > x->thread->written[reg])
            x->thread->written[reg] = insn->size;
        litmus_code_load(&x->code, full_reg(x, reg).reg, place_of(x, &insn->source, insn),
                         insn->size, false, ORDER_RELAXED);
        return;
    }
    if (insn->source.kind == X86_MEMORY && insn->destination.kind == X86_MEMORY)
        refuse(x, insn, "has two operands in memory");
    struct operand value = read_value(x, insn, &insn->source, insn->size);
    write_value(x, insn, &insn->destination, insn->size, value);
}

static void compile_extend(struct x86_code *x, const struct x86_insn *insn)
{
    uint8_t size = insn->detail & 0x7f;
    struct operand raw = read_value(x, insn, &insn->source, size);
    enum alu_kind alu = insn->detail & X86_SIGNED ? ALU_SEXT : ALU_ZEXT;

    write_value(x, insn, &insn->destination, insn->size,
                compute(x, alu, raw, operand_number(size)));
}

static void compile_lea(struct x86_code *x, const struct x86_insn *insn)
{
    if (insn->source.kind != X86_MEMORY || insn->destination.kind != X86_REGISTER)
        refuse(x, insn, "takes an address and a register");
    write_value(x, insn, &insn->destination, insn->size, address_of(x, &insn->source));
}

/* destination = destination <op> value, as a locked operation or a load and a store. */
static void compile_arithmetic(struct x86_code *x, const struct x86_insn *insn,
                               struct operand value)
{
    const struct x86_operand *destination = &insn->destination;
    struct operand old;
    bool keep = insn->detail == X86_CMP || insn->detail == X86_TEST;

    if (insn->lock) {
        struct litmus_update update = {insn->size, false, arithmetic_rmw[insn->detail],
                                       ORDER_SEQ_CST};
        if (keep || insn->detail == X86_NEG || destination->kind != X86_MEMORY)
            refuse(x, insn, "cannot be locked here");
        old = operand_reg(litmus_code_temp(&x->code));
        litmus_code_rmw(&x->code, old.reg, place_of(x, destination, insn), value, update);
        set_flags(x, insn->detail, old, value, insn->size);
        return;
    }
    old = read_value(x, insn, destination, insn->size);
    bool negate = insn->detail == X86_NEG;
    struct operand a = negate ? value : old, b = negate ? old : value;
    struct operand result = compute(x, arithmetic_alu[insn->detail], a, b);
    set_flags(x, insn->detail, a, b, insn->size);
    if (!keep)
        write_value(x, insn, destination, insn->size, result);
}

static void compile_binary(struct x86_code *x, const struct x86_insn *insn)
{
    if (insn->source.kind == X86_MEMORY && insn->destination.kind == X86_MEMORY)
        refuse(x, insn, "has two operands in memory");
    compile_arithmetic(x, insn, read_value(x, insn, &insn->source, insn->size));
}

static void compile_unary(struct x86_code *x, const struct x86_insn *insn)
{
    static const int64_t seconds[] = {[X86_INC] = 1, [X86_DEC] = 1, [X86_NEG] = 0, [X86_NOT] = -1};

    compile_arithmetic(x, insn, operand_number(seconds[insn->detail]));
}

/* The old value of the destination, which gets `value`, exchanged or added. */
static struct operand exchange(struct x86_code *x, const struct x86_insn *insn, bool lock,
                               enum rmw_kind rmw, struct operand value)
{
    struct operand old;

    if (lock) {
        struct litmus_update update = {insn->size, false, rmw, ORDER_SEQ_CST};
        old = operand_reg(litmus_code_temp(&x->code));
        litmus_code_rmw(&x->code, old.reg, place_of(x, &insn->destination, insn), value, update);
        return old;
    }
    old = read_value(x, insn, &insn->destination, insn->size);
    old = compute(x, ALU_ADD, old, operand_number(0)); /* a register is about to change */
    if (rmw == RMW_ADD)
        value = compute(x, ALU_ADD, old, value);
    write_value(x, insn, &insn->destination, insn->size, value);
    return old;
}

static void compile_exchange(struct x86_code *x, const struct x86_insn *insn)
{
    bool memory = insn->destination.kind == X86_MEMORY;

    if (insn->source.kind != X86_REGISTER || (insn->lock && !memory))
        refuse(x, insn, "takes a register and a register or memory");
    struct operand old = exchange(x, insn, memory && (insn->detail || insn->lock), RMW_XCHG,
                                  full_reg(x, insn->source.reg));
    write_reg(x, insn->source.reg, insn->size, old);
}

static void compile_exchange_add(struct x86_code *x, const struct x86_insn *insn)
{
    if (insn->source.kind != X86_REGISTER || (insn->lock && insn->destination.kind != X86_MEMORY))
        refuse(x, insn, "takes a register and a register or memory");
    struct operand added = compute(x, ALU_ADD, full_reg(x, insn->source.reg), operand_number(0));
    struct operand old = exchange(x, insn, insn->lock, RMW_ADD, added);
    set_flags(x, X86_ADD, old, added, insn->size);
    if (insn->destination.kind != X86_REGISTER || insn->destination.reg != insn->source.reg)
        write_reg(x, insn->source.reg, insn->size, old);
}

/* If the accumulator equals the destination, the destination gets the source, else the accumulator
 * gets the destination. Without a lock: a load and, if equal, a store. */
static void compile_compare_exchange(struct x86_code *x, const struct x86_insn *insn)
{
    struct litmus_update update = {.size = insn->size, .order = ORDER_SEQ_CST};

    if (insn->source.kind != X86_REGISTER || (insn->lock && insn->destination.kind != X86_MEMORY))
        refuse(x, insn, "takes a register and a register or memory");
    struct operand accumulator = full_reg(x, X86_ACCUMULATOR);
    struct operand source = full_reg(x, insn->source.reg), old;
    if (insn->lock) {
        old = operand_reg(litmus_code_temp(&x->code));
        litmus_code_cas(&x->code, old.reg, place_of(x, &insn->destination, insn), accumulator,
                        source, update);
    } else {
        old = read_value(x, insn, &insn->destination, insn->size);
    }
    set_flags(x, X86_CMP, accumulator, old, insn->size);
    uint32_t equal = litmus_code_branch(&x->code, ALU_EQ, sign_extend(x, accumulator, insn->size),
                                        sign_extend(x, old, insn->size));
    write_reg(x, X86_ACCUMULATOR, insn->size, old);
    uint32_t end = litmus_code_jump(&x->code);
    litmus_code_land(&x->code, equal);
    if (!insn->lock)
        write_value(x, insn, &insn->destination, insn->size, source);
    litmus_code_land(&x->code, end);
}

static void compile_fence(struct x86_code *x, const struct x86_insn *insn)
{
    litmus_code_fence(&x->code, insn->detail);
}

/* Rows are known only when the whole thread is written. */
static void jump_later(struct x86_code *x, uint32_t row, uint32_t insn)
{
    struct x86_thread *thread = x->thread;

    thread->jumps = litmus_grow(thread->jumps, thread->jump_count, sizeof(*thread->jumps));
    thread->jumps[thread->jump_count++] = (struct x86_jump){row, insn};
}

static void compile_jump(struct x86_code *x, const struct x86_insn *insn)
{
    enum alu_kind alu = ALU_EQ;
    struct operand value = operand_number(0);
    uint32_t target = LITMUS_NONE;

    for (uint32_t i = 0; i < x->thread->label_count; i++) {
        const struct x86_label *label = &x->thread->labels[i];
        if (label->name.length == insn->label.length &&
            memcmp(label->name.text, insn->label.text, insn->label.length) == 0)
            target = label->insn;
    }
    if (target == LITMUS_NONE)
        litmus_lexer_fail_token(&x->code.reader->lexer, &insn->label, "no label %s in this thread",
                                token_show(&insn->label).text);
    if (insn->detail != X86_ALWAYS)
        value = test_condition(x, insn->detail, &alu);
    jump_later(x, litmus_code_branch(&x->code, alu, value, operand_number(0)), target);
}

static void compile_return(struct x86_code *x, const struct x86_insn *insn)
{
    (void)insn;
    jump_later(x, litmus_code_jump(&x->code), x->thread->insn_count);
}

static void compile_set(struct x86_code *x, const struct x86_insn *insn)
{
    enum alu_kind alu;
    struct operand value = test_condition(x, insn->detail, &alu);

    write_value(x, insn, &insn->destination, 1, compute(x, alu, value, operand_number(0)));
}

/* A cmov reads its source in any case. */
static void compile_cmove(struct x86_code *x, const struct x86_insn *insn)
{
    enum alu_kind alu;
    struct operand source = read_value(x, insn, &insn->source, insn->size);
    struct operand value = test_condition(x, insn->detail, &alu);

    if (insn->destination.kind != X86_REGISTER)
        refuse(x, insn, "writes registers only");
    value = compute(x, alu, value, operand_number(0));
    uint32_t skip = litmus_code_branch(&x->code, ALU_EQ, value, operand_number(0));
    write_reg(x, insn->destination.reg, insn->size, source);
    litmus_code_land(&x->code, skip);
}

static void (*const compilers[X86_FORM_COUNT])(struct x86_code *, const struct x86_insn *) = {
    [X86_NOP] = compile_nop,
    [X86_MOVE] = compile_move,
    [X86_EXTEND] = compile_extend,
    [X86_LEA] = compile_lea,
    [X86_BINARY] = compile_binary,
    [X86_UNARY] = compile_unary,
    [X86_EXCHANGE] = compile_exchange,
    [X86_EXCHANGE_ADD] = compile_exchange_add,
    [X86_COMPARE_EXCHANGE] = compile_compare_exchange,
    [X86_FENCE] = compile_fence,
    [X86_JUMP] = compile_jump,
    [X86_SET] = compile_set,
    [X86_CMOVE] = compile_cmove,
    [X86_RETURN] = compile_return,
};

void litmus_x86_compile(struct litmus_reader *reader, uint32_t index)
{
    struct x86_test *test = reader->code;
    struct x86_thread *thread = &test->threads[index];
    struct x86_code x = {.code = {.reader = reader, .thread = index}, .thread = thread};

    for (uint32_t i = 0; thread->uses_flags && i < FLAG_COUNT; i++)
        x.flags[i] = litmus_code_temp(&x.code);
    uint32_t kept = x.code.temp_count;
    thread->starts = litmus_realloc(NULL, thread->insn_count + 1, sizeof(*thread->starts));
    for (uint32_t i = 0; i < thread->insn_count; i++) {
        const struct x86_insn *insn = &thread->insns[i];
        thread->starts[i] = litmus_code_next_row(&x.code);
        x.code.line = insn->name.line;
        x.code.temp_count = kept;
        if (insn->lock && insn->form != X86_BINARY && insn->form != X86_UNARY &&
            insn->form != X86_EXCHANGE && insn->form != X86_EXCHANGE_ADD &&
            insn->form != X86_COMPARE_EXCHANGE)
            refuse(&x, insn, "cannot be locked");
        compilers[insn->form](&x, insn);
    }
    thread->starts[thread->insn_count] = litmus_code_next_row(&x.code);
    for (uint32_t i = 0; i < thread->jump_count; i++)
        litmus_code_thread(&x.code)->insns[thread->jumps[i].row].jump =
            thread->starts[thread->jumps[i].insn];
}
