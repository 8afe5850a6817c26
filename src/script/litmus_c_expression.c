/* Expressions of C litmus tests. Loads happen where they are read, from left to right. */

#include "script/litmus_c.h"
#include "script/litmus_memory.h"

uint8_t litmus_c_size(struct c_test *test, struct litmus_type type)
{
    return litmus_type_size(test->reader, type);
}

static bool is_signed(struct litmus_type type)
{
    return type.sign && type.stars == 0;
}

/* The value itself if the invariant already makes it one of that type. */
struct c_value litmus_c_convert(struct c_test *test, struct c_value value, struct litmus_type type)
{
    uint8_t from = litmus_c_size(test, value.type), to = litmus_c_size(test, type);
    bool same = from == to && is_signed(value.type) == is_signed(type);
    bool wider = from < to && (!is_signed(value.type) || is_signed(type));
    struct c_value result = {.operand = value.operand, .type = type};

    if (to == 8 || same || wider)
        return result;
    if (value.operand.kind == OPERAND_NUMBER) {
        result.operand.number = litmus_number_fit(value.operand.number, to, is_signed(type));
        return result;
    }
    reg_id dst = litmus_code_temp(&test->code);
    litmus_code_let(&test->code, dst, is_signed(type) ? ALU_SEXT : ALU_ZEXT, value.operand,
                    operand_number(to));
    result.operand = operand_reg(dst);
    return result;
}

struct litmus_type litmus_c_pointee(struct c_test *test, struct c_value pointer)
{
    struct litmus_type type = pointer.type;

    if (type.stars == 0)
        litmus_lexer_fail(&test->reader->lexer, "expected a pointer before %s",
                          token_show(&test->reader->lexer.token).text);
    type.stars--;
    if (type.lock && type.stars == 0)
        litmus_lexer_fail(&test->reader->lexer, "a lock has no value");
    return type;
}

struct c_value litmus_c_load(struct c_test *test, struct c_value pointer, enum memory_order order)
{
    struct litmus_type type = litmus_c_pointee(test, pointer);
    struct place place = litmus_code_place(&test->code, pointer.operand);
    reg_id dst = litmus_code_temp(&test->code);

    litmus_code_load(&test->code, dst, place, litmus_c_size(test, type), is_signed(type), order);
    return (struct c_value){operand_reg(dst), type};
}

void litmus_c_assign(struct c_test *test, struct c_lvalue to, struct c_value value,
                     enum memory_order order)
{
    if (to.local) {
        value = litmus_c_convert(test, value, to.local->type);
        litmus_code_move(&test->code, to.local->reg, value.operand);
        return;
    }
    struct litmus_type type = litmus_c_pointee(test, to.pointer);
    litmus_code_store(&test->code, litmus_code_place(&test->code, to.pointer.operand),
                      litmus_c_size(test, type), value.operand, order);
}

/* ---- binary operators */

enum binary_form { BINARY_ARITHMETIC, BINARY_COMPARISON, BINARY_LOGIC, BINARY_SHIFT };

static const struct binary {
    const char *text;
    int precedence;
    enum binary_form form;
    enum alu_kind alu;
    enum alu_kind unsigned_alu;
    bool swap;  /* unsigned: b <alu> a */
    bool exact; /* wrong for unsigned 64-bit numbers: the alu is signed */
} binaries[] = {
    {"||", 1, BINARY_LOGIC, ALU_NE, ALU_NE, false, false},
    {"&&", 2, BINARY_LOGIC, ALU_EQ, ALU_EQ, false, false},
    {"|", 3, BINARY_ARITHMETIC, ALU_OR, ALU_OR, false, false},
    {"^", 4, BINARY_ARITHMETIC, ALU_XOR, ALU_XOR, false, false},
    {"&", 5, BINARY_ARITHMETIC, ALU_AND, ALU_AND, false, false},
    {"==", 6, BINARY_COMPARISON, ALU_EQ, ALU_EQ, false, false},
    {"!=", 6, BINARY_COMPARISON, ALU_NE, ALU_NE, false, false},
    {"<", 7, BINARY_COMPARISON, ALU_LT, ALU_ULT, false, false},
    {"<=", 7, BINARY_COMPARISON, ALU_LE, ALU_ULE, false, false},
    {">", 7, BINARY_COMPARISON, ALU_GT, ALU_ULT, true, false},
    {">=", 7, BINARY_COMPARISON, ALU_GE, ALU_ULE, true, false},
    {"<<", 8, BINARY_SHIFT, ALU_SHL, ALU_SHL, false, false},
    {">>", 8, BINARY_SHIFT, ALU_SHR, ALU_SHR, false, true},
    {"+", 9, BINARY_ARITHMETIC, ALU_ADD, ALU_ADD, false, false},
    {"-", 9, BINARY_ARITHMETIC, ALU_SUB, ALU_SUB, false, false},
    {"*", 10, BINARY_ARITHMETIC, ALU_MUL, ALU_MUL, false, false},
    {"/", 10, BINARY_ARITHMETIC, ALU_DIV, ALU_DIV, false, true},
    {"%", 10, BINARY_ARITHMETIC, ALU_MOD, ALU_MOD, false, true},
};

static const struct binary *current_binary(const struct litmus_lexer *lexer)
{
    for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
        if (litmus_lexer_at(lexer, binaries[i].text))
            return &binaries[i];
    }
    return NULL;
}

/* The usual arithmetic conversions: at least int, the wider one wins, among equals the unsigned. */
static struct litmus_type common_type(struct c_test *test, struct litmus_type a,
                                      struct litmus_type b)
{
    uint8_t size_a = litmus_c_size(test, a), size_b = litmus_c_size(test, b);

    if (a.stars > 0)
        return a;
    if (b.stars > 0)
        return b;
    if (size_a < 4 && size_b < 4)
        return c_int;
    if (size_a != size_b)
        return size_a > size_b ? a : b;
    return (struct litmus_type){.size = size_a, .sign = a.sign && b.sign};
}

static struct operand compute(struct c_test *test, enum alu_kind alu, struct operand a,
                              struct operand b)
{
    reg_id dst = litmus_code_temp(&test->code);

    litmus_code_let(&test->code, dst, alu, a, b);
    return operand_reg(dst);
}

/* Cuts a 64-bit result down to its type. */
static struct c_value cut(struct c_test *test, struct operand operand, struct litmus_type type)
{
    struct litmus_type wide = {.size = 8, .sign = true};

    return litmus_c_convert(test, (struct c_value){operand, wide}, type);
}

/* pointer + index; address arithmetic that the table can hold costs no row. */
static struct c_value move_pointer(struct c_test *test, struct c_value pointer,
                                   struct c_value index, bool minus)
{
    struct litmus_type element = pointer.type;

    element.stars--;
    int64_t size = litmus_c_size(test, element) * (minus ? -1 : 1);
    if (pointer.operand.kind == OPERAND_ADDRESS && index.operand.kind == OPERAND_NUMBER) {
        pointer.operand.number = (int64_t)((uint64_t)pointer.operand.number +
                                           (uint64_t)index.operand.number * (uint64_t)size);
        return pointer;
    }
    struct operand bytes = compute(test, ALU_MUL, index.operand, operand_number(size));
    pointer.operand = compute(test, ALU_ADD, pointer.operand, bytes);
    return pointer;
}

static struct c_value apply(struct c_test *test, const struct binary *binary, struct c_value a,
                            struct c_value b)
{
    bool adds = binary->alu == ALU_ADD || binary->alu == ALU_SUB;

    if (adds && a.type.stars > 0 && b.type.stars == 0)
        return move_pointer(test, a, b, binary->alu == ALU_SUB);
    if (binary->alu == ALU_ADD && b.type.stars > 0 && a.type.stars == 0)
        return move_pointer(test, b, a, false);
    bool shift = binary->form == BINARY_SHIFT;
    struct litmus_type type = common_type(test, a.type, shift ? c_int : b.type);
    if (shift)
        type = common_type(test, a.type, (struct litmus_type){.size = 1, .sign = true});
    bool sign = is_signed(type);
    if (!sign && binary->exact && litmus_c_size(test, type) == 8)
        litmus_lexer_fail(&test->reader->lexer, "'%s' on 64-bit unsigned numbers is not supported",
                          binary->text);
    a = litmus_c_convert(test, a, type);
    b = shift ? b : litmus_c_convert(test, b, type);
    bool swap = !sign && binary->swap;
    struct operand result = compute(test, sign ? binary->alu : binary->unsigned_alu,
                                    swap ? b.operand : a.operand, swap ? a.operand : b.operand);
    if (binary->form == BINARY_COMPARISON)
        return (struct c_value){result, c_int};
    return cut(test, result, type);
}

static struct c_value read_binary(struct c_test *test, int precedence);
static struct c_value read_unary(struct c_test *test);

/* The right side runs only if the left one does not decide. `mark`: hidden registers in use before
 * the left side. */
static struct c_value read_logic(struct c_test *test, const struct binary *binary,
                                 struct c_value left, uint32_t mark)
{
    test->code.temp_count = mark;
    struct operand result = compute(test, ALU_NE, left.operand, operand_number(0));
    uint32_t decided = litmus_code_branch(&test->code, binary->alu, result, operand_number(0));
    struct c_value right = read_binary(test, binary->precedence + 1);

    litmus_code_let(&test->code, result.reg, ALU_NE, right.operand, operand_number(0));
    litmus_code_land(&test->code, decided);
    test->code.temp_count = mark + 1;
    return (struct c_value){result, c_int};
}

static struct c_value read_binary(struct c_test *test, int precedence)
{
    const struct binary *binary;
    uint32_t mark = test->code.temp_count;

    struct c_value left = read_unary(test);
    while ((binary = current_binary(&test->reader->lexer)) && binary->precedence >= precedence) {
        litmus_lexer_next(&test->reader->lexer);
        if (binary->form == BINARY_LOGIC) {
            left = read_logic(test, binary, left, mark);
            continue;
        }
        struct c_value right = read_binary(test, binary->precedence + 1);
        left = apply(test, binary, left, right);
        if (left.operand.kind == OPERAND_REG && test->code.temp_count > mark + 1) {
            /* keep one hidden register for the result, so that long sums do not use them up */
            test->code.temp_count = mark;
            reg_id kept = litmus_code_temp(&test->code);
            if (kept != left.operand.reg)
                litmus_code_move(&test->code, kept, left.operand);
            left.operand = operand_reg(kept);
        }
    }
    return left;
}

/* What follows the '?'. `mark`: hidden registers in use before the condition. */
static struct c_value read_choice(struct c_test *test, struct c_value condition, uint32_t mark)
{
    litmus_reader_enter(test->reader);
    test->code.temp_count = mark;
    uint32_t no = litmus_code_branch(&test->code, ALU_EQ, condition.operand, operand_number(0));
    reg_id result = litmus_code_temp(&test->code);
    struct c_value a = litmus_c_expression(test);
    litmus_lexer_expect(&test->reader->lexer, ":");
    litmus_code_move(&test->code, result, a.operand);
    uint32_t end = litmus_code_jump(&test->code);
    litmus_code_land(&test->code, no);
    struct c_value b = litmus_c_expression(test);
    litmus_code_move(&test->code, result, b.operand);
    litmus_code_land(&test->code, end);
    test->code.temp_count = mark + 1;
    test->reader->depth--;
    return cut(test, operand_reg(result), common_type(test, a.type, b.type));
}

struct c_value litmus_c_expression(struct c_test *test)
{
    uint32_t mark = test->code.temp_count;
    struct c_value value = read_binary(test, 1);

    if (litmus_lexer_accept(&test->reader->lexer, "?"))
        return read_choice(test, value, mark);
    return value;
}

/* ---- operands */

static struct c_value read_name(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct token name = litmus_lexer_name(lexer, "an expression");

    if (litmus_lexer_at(lexer, "("))
        return litmus_c_call(test, &name);
    if (token_is(&name, "true") || token_is(&name, "false") || token_is(&name, "NULL"))
        return (struct c_value){operand_number(token_is(&name, "true")), c_int};
    const struct c_variable *variable = litmus_c_variable(test, test->code.thread, &name);
    if (!variable)
        litmus_lexer_fail_token(lexer, &name, "no variable %s in this thread",
                                token_show(&name).text);
    if (variable->parameter)
        return (struct c_value){litmus_code_address(variable->decl, 0), variable->type};
    return (struct c_value){operand_reg(variable->reg), variable->type};
}

/* int, or for larger numbers long; a hexadecimal one may be an unsigned int. */
static struct litmus_type number_type(const struct token *number)
{
    struct litmus_type type = c_int;

    if (number->number == (int32_t)number->number)
        return type;
    bool hex = number->length > 2 && (number->text[1] | 0x20) == 'x';
    if (hex && number->number == (int64_t)(uint32_t)number->number)
        type.sign = false;
    else
        type.size = 8;
    return type;
}

static struct c_value read_primary(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct c_value value = {.type = c_int};

    if (lexer->token.kind == TOKEN_NUMBER) {
        value.operand = operand_number(lexer->token.number);
        value.type = number_type(&lexer->token);
        litmus_lexer_next(lexer);
    } else if (litmus_lexer_accept(lexer, "(")) {
        value = litmus_c_expression(test);
        litmus_lexer_expect(lexer, ")");
    } else {
        value = read_name(test);
    }
    while (litmus_lexer_accept(lexer, "[")) {
        struct c_value index = litmus_c_expression(test);
        litmus_lexer_expect(lexer, "]");
        litmus_c_pointee(test, value);
        value = litmus_c_load(test, move_pointer(test, value, index, false), ORDER_RELAXED);
    }
    return value;
}

/* "(int)" before an operand; false if the parenthesis is an expression. */
static bool read_cast(struct c_test *test, struct litmus_type *type)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct litmus_lexer before = *lexer;

    if (!litmus_lexer_accept(lexer, "("))
        return false;
    if (!litmus_type_starts(test->reader)) {
        *lexer = before;
        return false;
    }
    *type = litmus_type_read(test->reader);
    litmus_type_read_stars(test->reader, type);
    litmus_lexer_expect(lexer, ")");
    return true;
}

static struct c_value negate(struct c_test *test, enum alu_kind alu, int64_t first,
                             struct c_value value)
{
    struct litmus_type type = common_type(test, value.type, c_int);

    if (value.operand.kind == OPERAND_NUMBER && alu == ALU_SUB) {
        value.operand.number = (int64_t)(0 - (uint64_t)value.operand.number);
        return value;
    }
    return cut(test, compute(test, alu, operand_number(first), value.operand), type);
}

static struct c_value read_unary(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct litmus_type type;
    struct c_value value;

    litmus_reader_enter(test->reader);
    if (litmus_lexer_accept(lexer, "-")) {
        value = negate(test, ALU_SUB, 0, read_unary(test));
    } else if (litmus_lexer_accept(lexer, "~")) {
        value = negate(test, ALU_XOR, -1, read_unary(test));
    } else if (litmus_lexer_accept(lexer, "!")) {
        value = read_unary(test);
        value.operand = compute(test, ALU_EQ, value.operand, operand_number(0));
        value.type = c_int;
    } else if (litmus_lexer_accept(lexer, "*")) {
        value = litmus_c_load(test, read_unary(test), ORDER_RELAXED);
    } else if (litmus_lexer_accept(lexer, "&")) {
        struct c_lvalue lvalue = litmus_c_lvalue(test);
        if (lvalue.local)
            litmus_lexer_fail_token(lexer, &lvalue.local->name,
                                    "a local variable has no address here");
        value = lvalue.pointer;
    } else if (read_cast(test, &type)) {
        value = litmus_c_convert(test, read_unary(test), type);
    } else {
        value = read_primary(test);
    }
    test->reader->depth--;
    return value;
}

/* ---- what can be assigned */

static struct c_lvalue read_elements(struct c_test *test, struct c_value pointer)
{
    struct litmus_lexer *lexer = &test->reader->lexer;

    litmus_lexer_expect(lexer, "[");
    struct c_value index = litmus_c_expression(test);
    litmus_lexer_expect(lexer, "]");
    litmus_c_pointee(test, pointer);
    return (struct c_lvalue){.pointer = move_pointer(test, pointer, index, false)};
}

struct c_lvalue litmus_c_lvalue_named(struct c_test *test, const struct token *name)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    const struct c_variable *variable = litmus_c_variable(test, test->code.thread, name);

    if (!variable)
        litmus_lexer_fail_token(lexer, name, "no variable %s in this thread",
                                token_show(name).text);
    if (litmus_lexer_at(lexer, "[")) {
        struct c_value pointer = {.operand = variable->parameter
                                                 ? litmus_code_address(variable->decl, 0)
                                                 : operand_reg(variable->reg),
                                  .type = variable->type};
        return read_elements(test, pointer);
    }
    if (variable->parameter)
        litmus_lexer_fail_token(lexer, name, "%s is a pointer to shared memory: write *%s",
                                token_show(name).text, token_show(name).text);
    return (struct c_lvalue){.local = variable};
}

struct c_lvalue litmus_c_lvalue(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct c_lvalue lvalue;

    litmus_reader_enter(test->reader);
    if (litmus_lexer_accept(lexer, "*")) {
        lvalue = (struct c_lvalue){.pointer = read_unary(test)};
        litmus_c_pointee(test, lvalue.pointer);
    } else if (litmus_lexer_accept(lexer, "(")) {
        lvalue = litmus_c_lvalue(test);
        litmus_lexer_expect(lexer, ")");
    } else {
        struct token name = litmus_lexer_name(lexer, "something to assign to");
        lvalue = litmus_c_lvalue_named(test, &name);
    }
    test->reader->depth--;
    return lvalue;
}
