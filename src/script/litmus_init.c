/* The initial state of a litmus test: "{ x=0; int y; 0:EAX=5; 0:rdi=x; int a[3]={1,2,3}; }". */

#include "script/litmus_code.h"
#include "script/litmus_memory.h"

/* Takes a value: a number, or the address of a location, which may be mentioned here first. */
static struct operand read_value(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    int64_t offset = 0;

    if (litmus_lexer_at(lexer, "-") || lexer->token.kind == TOKEN_NUMBER)
        return operand_number(litmus_lexer_number(lexer, "a number"));
    litmus_lexer_accept(lexer, "&");
    struct token name = litmus_lexer_name(lexer, "a value");
    if (token_is(&name, "ATOMIC_INIT") || token_is(&name, "ATOMIC_VAR_INIT")) {
        litmus_lexer_expect(lexer, "(");
        offset = litmus_lexer_number(lexer, "a number");
        litmus_lexer_expect(lexer, ")");
        return operand_number(offset);
    }
    uint32_t decl = litmus_reader_decl(reader, &name);
    const struct decl *d = &reader->out->program.decls[decl];
    if (litmus_lexer_accept(lexer, "[")) {
        int64_t index = litmus_lexer_number(lexer, "an index");
        if (index < 0 || index >= d->count)
            litmus_lexer_fail_token(lexer, &name, "index out of range");
        offset = index * d->size;
        litmus_lexer_expect(lexer, "]");
    }
    return litmus_code_address(decl, offset);
}

static void read_reg(struct litmus_reader *reader, int64_t thread, bool typed,
                     struct litmus_type type)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct litmus_reg_init init = {.thread = thread, .typed = typed, .type = type};

    litmus_lexer_expect(lexer, ":");
    litmus_lexer_accept(lexer, "%");
    init.name = litmus_lexer_name(lexer, "a register");
    init.value = operand_number(0);
    if (litmus_lexer_accept(lexer, "="))
        init.value = read_value(reader);
    reader->reg_inits =
        litmus_grow(reader->reg_inits, reader->reg_init_count, sizeof(*reader->reg_inits));
    reader->reg_inits[reader->reg_init_count++] = init;
}

static void read_array(struct litmus_reader *reader, uint32_t decl)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct decl *d = &reader->out->program.decls[decl];
    struct token at = lexer->token;
    int64_t count = litmus_lexer_number(lexer, "a number of elements");
    uint32_t filled = 0;

    if (count < 1 || count > LITMUS_ELEMENTS_MAX)
        litmus_lexer_fail_token(lexer, &at, "an array has 1 to %d elements", LITMUS_ELEMENTS_MAX);
    litmus_lexer_expect(lexer, "]");
    d->count = (uint32_t)count;
    d->is_array = true;
    free(d->init);
    d->init = litmus_realloc(NULL, (size_t)count, sizeof(*d->init));
    for (uint32_t i = 0; i < count; i++)
        d->init[i] = operand_number(0);
    if (!litmus_lexer_accept(lexer, "="))
        return;
    litmus_lexer_expect(lexer, "{");
    do {
        if (filled == count)
            litmus_lexer_fail(lexer, "more values than elements");
        struct operand value = read_value(reader);
        reader->out->program.decls[decl].init[filled++] = value;
    } while (litmus_lexer_accept(lexer, ","));
    litmus_lexer_expect(lexer, "}");
}

static void set_scalar(struct litmus_reader *reader, uint32_t decl, struct operand value)
{
    struct decl *d = &reader->out->program.decls[decl];

    if (!d->init)
        d->init = litmus_realloc(NULL, d->count, sizeof(*d->init));
    for (uint32_t i = 0; i < d->count; i++)
        d->init[i] = value;
    if (value.kind == OPERAND_ADDRESS && !reader->symbols[decl].typed) {
        reader->symbols[decl].type.stars = 1;
        d->size = reader->arch->pointer_size;
    }
}

static void read_cell(struct litmus_reader *reader, bool typed, struct litmus_type type)
{
    struct litmus_lexer *lexer = &reader->lexer;
    bool bracket = litmus_lexer_accept(lexer, "[");
    struct token name = litmus_lexer_name(lexer, "a location");
    uint32_t decl = litmus_reader_decl(reader, &name);

    reader->symbols[decl].name = name;
    if (bracket)
        litmus_lexer_expect(lexer, "]");
    if (typed)
        litmus_reader_set_type(reader, decl, type);
    if (!bracket && litmus_lexer_accept(lexer, "[")) {
        read_array(reader, decl);
        return;
    }
    if (!litmus_lexer_accept(lexer, "="))
        return;
    struct operand value = read_value(reader);
    if (reader->out->program.decls[decl].kind == OBJECT_CELL)
        set_scalar(reader, decl, value);
}

static void read_entry(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct litmus_type type = {.size = 4, .sign = true};
    bool typed = litmus_type_starts(reader);

    if (typed)
        type = litmus_type_read(reader);
    typed |= litmus_lexer_at(lexer, "*");
    litmus_type_read_stars(reader, &type);
    int64_t thread = litmus_reader_thread_number(&lexer->token);
    if (lexer->token.kind == TOKEN_NUMBER) {
        thread = litmus_lexer_number(lexer, "a thread");
        read_reg(reader, thread, typed, type);
    } else if (thread >= 0) {
        litmus_lexer_next(lexer);
        read_reg(reader, thread, typed, type);
    } else {
        read_cell(reader, typed, type);
    }
}

void litmus_init_read(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;

    litmus_lexer_expect(lexer, "{");
    while (!litmus_lexer_at(lexer, "}")) {
        if (litmus_lexer_accept(lexer, ";"))
            continue;
        read_entry(reader);
        if (!litmus_lexer_at(lexer, "}"))
            litmus_lexer_expect(lexer, ";");
    }
}

static void check_address(struct litmus_reader *reader, const struct token *name,
                          const struct operand *value)
{
    const struct decl *decls = reader->out->program.decls;

    if (value->kind == OPERAND_ADDRESS && decls[value->decl].kind != OBJECT_CELL)
        litmus_lexer_fail_token(&reader->lexer, name, "the address of a lock is no value");
}

/* Sizes and locks may follow from the code, so this comes after it. */
static void check_cells(struct litmus_reader *reader)
{
    const struct program *program = &reader->out->program;

    for (uint32_t i = 0; i < program->decl_count; i++) {
        const struct decl *d = &program->decls[i];

        for (uint32_t j = 0; d->init && d->kind == OBJECT_CELL && j < d->count; j++) {
            check_address(reader, &reader->symbols[i].name, &d->init[j]);
            if (d->init[j].kind == OPERAND_NUMBER && !cell_number_fits(d->init[j].number, d->size))
                litmus_lexer_fail_token(&reader->lexer, &reader->symbols[i].name,
                                        "the initial value does not fit the %u bytes of %s",
                                        d->size, d->name);
        }
    }
}

void litmus_init_apply(struct litmus_reader *reader)
{
    struct program *program = &reader->out->program;

    check_cells(reader);

    for (uint32_t i = 0; i < reader->reg_init_count; i++) {
        const struct litmus_reg_init *init = &reader->reg_inits[i];
        struct litmus_location location = {0};

        if (init->thread < 0 || init->thread >= program->thread_count)
            litmus_lexer_fail_token(&reader->lexer, &init->name, "there is no thread P%lld",
                                    (long long)init->thread);
        reader->arch->find_reg(reader, (uint32_t)init->thread, &init->name, &location);
        free(location.name);
        struct operand value = init->value;
        check_address(reader, &init->name, &value);
        if (value.kind == OPERAND_NUMBER)
            value.number = litmus_number_fit(value.number, location.size,
                                             location.sign && !reader->arch->regs_unsigned);
        program->threads[init->thread].regs[location.reg].init = value;
    }
}
