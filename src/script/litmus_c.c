/* Functions and statements of C litmus tests. */

#include "script/litmus_c.h"

#include "script/litmus_memory.h"

const struct c_variable *litmus_c_variable(struct c_test *test, uint32_t thread,
                                           const struct token *name)
{
    const struct c_thread *t = &test->threads[thread];

    for (uint32_t i = 0; i < t->count; i++) {
        const struct token *other = &t->variables[i].name;
        if (other->length == name->length && memcmp(other->text, name->text, name->length) == 0)
            return &t->variables[i];
    }
    return NULL;
}

static struct c_variable *add_variable(struct c_test *test, const struct token *name)
{
    struct c_thread *t = &test->threads[test->code.thread];

    if (t->count == LITMUS_REGS_MAX)
        litmus_lexer_fail_token(&test->reader->lexer, name, "more than %d variables in one thread",
                                LITMUS_REGS_MAX);
    t->variables = litmus_grow(t->variables, t->count, sizeof(*t->variables));
    t->variables[t->count] = (struct c_variable){.name = *name, .reg = REG_NONE};
    return &t->variables[t->count++];
}

/* ---- statements */

static void read_statement(struct c_test *test);

/* "int r0, *r1 = x;". As in herd7, a thread's variables all live in one scope. */
static void read_declaration(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct litmus_type base = litmus_type_read(test->reader);

    do {
        struct litmus_type type = base;
        litmus_type_read_stars(test->reader, &type);
        struct token name = litmus_lexer_name(lexer, "the name of a variable");
        const struct c_variable *known = litmus_c_variable(test, test->code.thread, &name);
        if (known && known->parameter)
            litmus_lexer_fail_token(lexer, &name, "%s is a parameter already",
                                    token_show(&name).text);
        if (!known) {
            reg_id reg = litmus_code_reg(&test->code, &name);
            struct c_variable *variable = add_variable(test, &name);
            variable->reg = reg;
            variable->type = type;
        }
        if (litmus_lexer_accept(lexer, "=")) {
            struct c_value value = litmus_c_expression(test);
            struct c_lvalue to = {.local = litmus_c_variable(test, test->code.thread, &name)};
            litmus_c_assign(test, to, value, ORDER_RELAXED);
        }
        test->code.temp_count = 0;
    } while (litmus_lexer_accept(lexer, ","));
    litmus_lexer_expect(lexer, ";");
}

/* An assignment, or a call for its effect. */
static void read_simple(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct c_lvalue to;

    if (lexer->token.kind == TOKEN_NAME) {
        struct token name = litmus_lexer_name(lexer, "a statement");
        if (litmus_lexer_at(lexer, "(")) {
            litmus_c_call(test, &name);
            litmus_lexer_expect(lexer, ";");
            return;
        }
        to = litmus_c_lvalue_named(test, &name);
    } else if (litmus_lexer_at(lexer, "*") || litmus_lexer_at(lexer, "(")) {
        to = litmus_c_lvalue(test);
    } else {
        litmus_lexer_fail(lexer, "expected a statement, found %s", token_show(&lexer->token).text);
    }
    litmus_lexer_expect(lexer, "=");
    litmus_c_assign(test, to, litmus_c_expression(test), ORDER_RELAXED);
    litmus_lexer_expect(lexer, ";");
}

/* "(condition)": the row that jumps if it does not hold. */
static uint32_t read_condition(struct c_test *test)
{
    litmus_lexer_expect(&test->reader->lexer, "(");
    struct c_value value = litmus_c_expression(test);
    litmus_lexer_expect(&test->reader->lexer, ")");
    return litmus_code_branch(&test->code, ALU_EQ, value.operand, operand_number(0));
}

static void read_if(struct c_test *test)
{
    uint32_t otherwise = read_condition(test);

    read_statement(test);
    if (!litmus_lexer_accept(&test->reader->lexer, "else")) {
        litmus_code_land(&test->code, otherwise);
        return;
    }
    uint32_t end = litmus_code_jump(&test->code);
    litmus_code_land(&test->code, otherwise);
    read_statement(test);
    litmus_code_land(&test->code, end);
}

static void jump_to(struct c_test *test, uint32_t row, uint32_t target)
{
    litmus_code_thread(&test->code)->insns[row].jump = target;
}

static void read_while(struct c_test *test)
{
    uint32_t start = litmus_code_next_row(&test->code);
    uint32_t end = read_condition(test);

    read_statement(test);
    jump_to(test, litmus_code_jump(&test->code), start);
    litmus_code_land(&test->code, end);
}

static void read_do(struct c_test *test)
{
    uint32_t start = litmus_code_next_row(&test->code);

    read_statement(test);
    litmus_lexer_expect(&test->reader->lexer, "while");
    test->code.line = test->reader->lexer.token.line;
    uint32_t end = read_condition(test);
    litmus_lexer_expect(&test->reader->lexer, ";");
    jump_to(test, litmus_code_jump(&test->code), start);
    litmus_code_land(&test->code, end);
}

static void read_return(struct c_test *test)
{
    litmus_lexer_expect(&test->reader->lexer, ";");
    test->returns = litmus_grow(test->returns, test->return_count, sizeof(*test->returns));
    test->returns[test->return_count++] = litmus_code_jump(&test->code);
}

static void read_block(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;

    while (!litmus_lexer_at(lexer, "}")) {
        if (lexer->token.kind == TOKEN_END)
            litmus_lexer_fail(lexer, "expected '}', found the end of the file");
        read_statement(test);
    }
    litmus_lexer_next(lexer);
}

static void read_nothing(struct c_test *test)
{
    (void)test;
}

static const struct {
    const char *text;
    void (*read)(struct c_test *test);
} statements[] = {
    {"{", read_block},     {";", read_nothing}, {"if", read_if},
    {"while", read_while}, {"do", read_do},     {"return", read_return},
};

static void read_statement(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    size_t i = 0;

    litmus_reader_enter(test->reader);
    test->code.temp_count = 0;
    test->code.line = lexer->token.line;
    while (i < sizeof(statements) / sizeof(statements[0]) &&
           !litmus_lexer_accept(lexer, statements[i].text))
        i++;
    if (i < sizeof(statements) / sizeof(statements[0]))
        statements[i].read(test);
    else if (litmus_type_starts(test->reader))
        read_declaration(test);
    else
        read_simple(test);
    test->reader->depth--;
}

/* ---- functions */

/* "atomic_int *x": a pointer to the location of that name. */
static void read_parameter(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;

    if (!litmus_type_starts(test->reader))
        litmus_lexer_fail(lexer, "expected a type, found %s", token_show(&lexer->token).text);
    struct litmus_type type = litmus_type_read(test->reader);
    litmus_type_read_stars(test->reader, &type);
    struct token name = litmus_lexer_name(lexer, "the name of a parameter");
    if (type.stars == 0)
        litmus_lexer_fail_token(lexer, &name, "parameter %s is not a pointer",
                                token_show(&name).text);
    if (litmus_c_variable(test, test->code.thread, &name))
        litmus_lexer_fail_token(lexer, &name, "parameter %s is there twice",
                                token_show(&name).text);
    struct litmus_type pointee = type;
    pointee.stars--;
    uint32_t decl = litmus_reader_decl(test->reader, &name);
    litmus_reader_set_type(test->reader, decl, pointee);
    struct c_variable *variable = add_variable(test, &name);
    variable->parameter = true;
    variable->decl = decl;
    variable->type = type;
}

static void read_function(struct c_test *test)
{
    struct litmus_lexer *lexer = &test->reader->lexer;

    litmus_lexer_accept(lexer, "static");
    litmus_lexer_accept(lexer, "void");
    uint32_t thread = litmus_reader_thread(test->reader);
    test->code = (struct litmus_code){.reader = test->reader, .thread = thread};
    test->return_count = 0;
    litmus_lexer_expect(lexer, "(");
    while (!litmus_lexer_at(lexer, ")")) {
        read_parameter(test);
        if (!litmus_lexer_at(lexer, ")"))
            litmus_lexer_expect(lexer, ",");
    }
    litmus_lexer_next(lexer);
    if (!litmus_lexer_at(lexer, "{"))
        litmus_lexer_expect(lexer, "{");
    lexer->ml_comments = false; /* in C, "(*" opens no comment */
    litmus_lexer_next(lexer);
    while (!litmus_lexer_at(lexer, "}")) {
        if (lexer->token.kind == TOKEN_END)
            litmus_lexer_fail(lexer, "expected '}', found the end of the file");
        read_statement(test);
    }
    lexer->ml_comments = true;
    litmus_lexer_next(lexer);
    for (uint32_t i = 0; i < test->return_count; i++)
        litmus_code_land(&test->code, test->returns[i]);
}

static void c_read(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct c_test *test = litmus_realloc(NULL, 1, sizeof(*test));

    memset(test, 0, sizeof(*test));
    test->reader = reader;
    reader->code = test;
    litmus_lexer_next(lexer);
    do {
        read_function(test);
    } while (litmus_reader_thread_number(&lexer->token) >= 0 || litmus_lexer_at(lexer, "void") ||
             litmus_lexer_at(lexer, "static"));
}

static void c_find_reg(struct litmus_reader *reader, uint32_t thread, const struct token *name,
                       struct litmus_location *location)
{
    const struct c_variable *variable = litmus_c_variable(reader->code, thread, name);

    if (!variable || variable->parameter)
        litmus_lexer_fail_token(&reader->lexer, name, "P%u has no local variable %s", thread,
                                token_show(name).text);
    location->reg = variable->reg;
    location->size = litmus_type_size(reader, variable->type);
    location->sign = variable->type.sign || variable->type.stars > 0;
    location->pointer = variable->type.stars > 0;
    location->name = token_copy(name);
}

static void c_close(struct litmus_reader *reader)
{
    struct c_test *test = reader->code;

    for (uint32_t i = 0; i < LITMUS_THREADS_MAX; i++)
        free(test->threads[i].variables);
    free(test->returns);
    free(test);
}

const struct litmus_arch litmus_arch_c = {
    .name = "C",
    .pointer_size = 8,
    .c_comments = true,
    .read = c_read,
    .find_reg = c_find_reg,
    .close = c_close,
};
