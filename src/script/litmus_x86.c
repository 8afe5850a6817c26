/* Reads the code of x86 litmus tests. X86 writes the destination first, X86_64 last (AT&T). */

#include "script/litmus_x86.h"

#include <strings.h>

#include "script/litmus_memory.h"

/* Names by size, in herd7's order of registers, which is also the order in shown states. */
static const struct reg_row {
    const char *names[4]; /* of 1, 2, 4 and 8 bytes */
} reg_rows[X86_REG_COUNT] = {
    {{"al", "ax", "eax", "rax"}},      {{"bl", "bx", "ebx", "rbx"}},
    {{"cl", "cx", "ecx", "rcx"}},      {{"dl", "dx", "edx", "rdx"}},
    {{"sil", "si", "esi", "rsi"}},     {{"dil", "di", "edi", "rdi"}},
    {{"bpl", "bp", "ebp", "rbp"}},     {{"spl", "sp", "esp", "rsp"}},
    {{"r8b", "r8w", "r8d", "r8"}},     {{"r9b", "r9w", "r9d", "r9"}},
    {{"r10b", "r10w", "r10d", "r10"}}, {{"r11b", "r11w", "r11d", "r11"}},
    {{"r12b", "r12w", "r12d", "r12"}}, {{"r13b", "r13w", "r13d", "r13"}},
    {{"r14b", "r14w", "r14d", "r14"}}, {{"r15b", "r15w", "r15d", "r15"}},
    {{"", "", "eip", "rip"}},
};

static const struct x86_mnemonic mnemonics[] = {
    {"mov", X86_MOVE, 0, 2},
    {"movabs", X86_MOVE, 0, 2},
    {"movzb", X86_EXTEND, 1, 2},
    {"movzw", X86_EXTEND, 2, 2},
    {"movsb", X86_EXTEND, 1 | X86_SIGNED, 2},
    {"movsw", X86_EXTEND, 2 | X86_SIGNED, 2},
    {"movsl", X86_EXTEND, 4 | X86_SIGNED, 2},
    {"lea", X86_LEA, 0, 2},
    {"add", X86_BINARY, X86_ADD, 2},
    {"sub", X86_BINARY, X86_SUB, 2},
    {"and", X86_BINARY, X86_AND, 2},
    {"or", X86_BINARY, X86_OR, 2},
    {"xor", X86_BINARY, X86_XOR, 2},
    {"cmp", X86_BINARY, X86_CMP, 2},
    {"test", X86_BINARY, X86_TEST, 2},
    {"inc", X86_UNARY, X86_INC, 1},
    {"dec", X86_UNARY, X86_DEC, 1},
    {"neg", X86_UNARY, X86_NEG, 1},
    {"not", X86_UNARY, X86_NOT, 1},
    {"xchg", X86_EXCHANGE, true, 2},
    {"uxch", X86_EXCHANGE, false, 2}, /* herd7's xchg without its lock */
    {"xadd", X86_EXCHANGE_ADD, 0, 2},
    {"cmpxchg", X86_COMPARE_EXCHANGE, 0, 2},
    {"mfence", X86_FENCE, ORDER_SEQ_CST, 0},
    {"sfence", X86_FENCE, ORDER_RELEASE, 0},
    {"lfence", X86_FENCE, ORDER_ACQUIRE, 0},
    {"jmp", X86_JUMP, X86_ALWAYS, 0},
    {"nop", X86_NOP, 0, 0},
    {"pause", X86_NOP, 0, 0},
    {"endbr64", X86_NOP, 0, 0},
    {"ret", X86_RETURN, 0, 0},
    {"movnti", X86_REFUSED, 0, 0},
    {"movntdqa", X86_REFUSED, 0, 0},
    {"clflush", X86_REFUSED, 0, 0},
    {"clflushopt", X86_REFUSED, 0, 0},
    {"clwb", X86_REFUSED, 0, 0},
    {"cmpxchg8b", X86_REFUSED, 0, 0},
    {"cmpxchg16b", X86_REFUSED, 0, 0},
};

static const struct {
    const char *name;
    enum x86_condition condition;
} conditions[] = {
    {"e", X86_E},   {"z", X86_E},   {"ne", X86_NE}, {"nz", X86_NE}, {"l", X86_L},   {"lt", X86_L},
    {"nge", X86_L}, {"ge", X86_GE}, {"nl", X86_GE}, {"le", X86_LE}, {"ng", X86_LE}, {"g", X86_G},
    {"gt", X86_G},  {"nle", X86_G}, {"b", X86_B},   {"c", X86_B},   {"nae", X86_B}, {"ae", X86_AE},
    {"nb", X86_AE}, {"nc", X86_AE}, {"be", X86_BE}, {"na", X86_BE}, {"a", X86_A},   {"nbe", X86_A},
    {"s", X86_S},   {"ns", X86_NS}, {"o", X86_O},   {"no", X86_NO},
};

static const struct {
    const char *prefix;
    enum x86_form form;
    uint8_t operands;
} conditionals[] = {{"cmov", X86_CMOVE, 2}, {"set", X86_SET, 1}, {"j", X86_JUMP, 0}};

static bool find_reg_name(const struct token *name, uint8_t *reg, uint8_t *size)
{
    for (uint8_t i = 0; i < X86_REG_COUNT; i++) {
        for (uint8_t j = 0; j < 4; j++) {
            if (token_is_caseless(name, reg_rows[i].names[j])) {
                *reg = i;
                *size = (uint8_t)(1u << j);
                return true;
            }
        }
    }
    return false;
}

static bool is_64(const struct litmus_reader *reader)
{
    return reader->arch == &litmus_arch_x86_64;
}

/* A register by name; false if it is something else. */
static bool find_register(struct litmus_reader *reader, const struct token *name, uint8_t *reg,
                          uint8_t *size)
{
    if (name->kind != TOKEN_NAME)
        return false;
    if (name->length == 2 && (name->text[1] | 0x20) == 'h' && strchr("abcdABCD", name->text[0]))
        litmus_lexer_fail_token(&reader->lexer, name, "register %s is not supported",
                                token_show(name).text);
    if (!find_reg_name(name, reg, size))
        return false;
    if (!is_64(reader) && (*size == 8 || (*reg >= 8 && *reg != X86_IP)))
        litmus_lexer_fail_token(&reader->lexer, name, "X86 has no register %s; X86_64 has",
                                token_show(name).text);
    return true;
}

/* ---- mnemonics */

static const struct {
    char letter;
    uint8_t size;
} suffixes[] = {{'b', 1}, {'w', 2}, {'l', 4}, {'q', 8}};

static bool find_exact(const struct token *name, struct x86_insn *insn, uint8_t *operands)
{
    for (size_t i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]); i++) {
        if (!token_is_caseless(name, mnemonics[i].name))
            continue;
        insn->form = mnemonics[i].form;
        insn->detail = mnemonics[i].detail;
        *operands = mnemonics[i].operands;
        return true;
    }
    for (size_t i = 0; i < sizeof(conditionals) / sizeof(conditionals[0]); i++) {
        uint32_t prefix = (uint32_t)strlen(conditionals[i].prefix);
        struct token rest = *name;

        if (name->length <= prefix || strncasecmp(name->text, conditionals[i].prefix, prefix) != 0)
            continue;
        rest.text += prefix;
        rest.length -= prefix;
        for (size_t j = 0; j < sizeof(conditions) / sizeof(conditions[0]); j++) {
            if (!token_is_caseless(&rest, conditions[j].name))
                continue;
            insn->form = conditionals[i].form;
            insn->detail = conditions[j].condition;
            *operands = conditionals[i].operands;
            return true;
        }
    }
    return false;
}

/* Finds the instruction, with or without a letter for its size. Returns its number of operands. */
static uint8_t find_mnemonic(struct litmus_reader *reader, struct x86_insn *insn)
{
    struct token name = insn->name;
    uint8_t operands;

    if (find_exact(&name, insn, &operands))
        return operands;
    char last = (char)(name.text[--name.length] | 0x20);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (last != suffixes[i].letter || !find_exact(&name, insn, &operands))
            continue;
        if (insn->form == X86_JUMP || insn->form == X86_SET)
            break;
        insn->size = suffixes[i].size;
        if (insn->size == 8 && !is_64(reader))
            litmus_lexer_fail_token(&reader->lexer, &insn->name,
                                    "X86 has no 64-bit instructions; X86_64 has");
        return operands;
    }
    litmus_lexer_fail_token(&reader->lexer, &insn->name, "unknown instruction %s",
                            token_show(&insn->name).text);
}

/* ---- operands */

/* One part of an address: a register, a location or a number. */
static void read_address_part(struct litmus_reader *reader, struct x86_operand *operand)
{
    struct litmus_lexer *lexer = &reader->lexer;
    bool percent = litmus_lexer_accept(lexer, "%");
    struct token name = lexer->token;
    uint8_t reg, size;

    if (find_register(reader, &name, &reg, &size)) {
        litmus_lexer_next(lexer);
        if (operand->reg == X86_REG_NONE)
            operand->reg = reg;
        else if (operand->index == X86_REG_NONE)
            operand->index = reg;
        else
            litmus_lexer_fail_token(lexer, &name, "too many registers in an address");
        return;
    }
    if (percent)
        litmus_lexer_fail_token(lexer, &name, "unknown register %s", token_show(&name).text);
    if (name.kind == TOKEN_NAME && operand->decl == LITMUS_NONE) {
        litmus_lexer_next(lexer);
        operand->decl = litmus_reader_decl(reader, &name);
        return;
    }
    int64_t number = litmus_lexer_number(lexer, "an address");
    operand->number = (int64_t)((uint64_t)operand->number + (uint64_t)number);
}

/* "(x)", "[x+4]", "(%rdi)", "(%rax,%rbx,8)"; a number or a name before it was read already. */
static void read_address(struct litmus_reader *reader, struct x86_operand *operand)
{
    struct litmus_lexer *lexer = &reader->lexer;
    const char *close = litmus_lexer_at(lexer, "[") ? "]" : ")";

    litmus_lexer_next(lexer);
    if (!litmus_lexer_at(lexer, ","))
        read_address_part(reader, operand);
    while (litmus_lexer_at(lexer, "-") || litmus_lexer_accept(lexer, "+"))
        read_address_part(reader, operand);
    if (litmus_lexer_accept(lexer, ",")) {
        uint8_t base = operand->reg;
        operand->reg = X86_REG_NONE;
        read_address_part(reader, operand);
        operand->index = operand->reg;
        operand->reg = base;
        operand->scale = 1;
        if (litmus_lexer_accept(lexer, ",")) {
            struct token at = lexer->token;
            int64_t scale = litmus_lexer_number(lexer, "a scale");
            if (scale != 0 && scale != 1 && scale != 2 && scale != 4 && scale != 8)
                litmus_lexer_fail_token(lexer, &at, "the scale is 1, 2, 4 or 8");
            operand->scale = (uint8_t)scale;
        }
    }
    litmus_lexer_expect(lexer, close);
    if (operand->reg == X86_IP) /* x(%rip) is the way to write x */
        operand->reg = X86_REG_NONE;
}

static void read_immediate(struct litmus_reader *reader, struct x86_operand *operand)
{
    struct token name = reader->lexer.token;

    operand->kind = X86_IMMEDIATE;
    if (name.kind == TOKEN_NAME) {
        litmus_lexer_next(&reader->lexer);
        operand->decl = litmus_reader_decl(reader, &name);
    } else {
        operand->number = litmus_lexer_number(&reader->lexer, "a number");
    }
}

static struct x86_operand read_operand(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct x86_operand operand = {
        .kind = X86_MEMORY,
        .reg = X86_REG_NONE,
        .index = X86_REG_NONE,
        .decl = LITMUS_NONE,
        .scale = 1,
    };
    struct token name = lexer->token;

    if (litmus_lexer_accept(lexer, "$")) {
        read_immediate(reader, &operand);
        return operand;
    }
    bool percent = litmus_lexer_accept(lexer, "%");
    name = lexer->token;
    if (find_register(reader, &name, &operand.reg, &operand.size)) {
        litmus_lexer_next(lexer);
        operand.kind = X86_REGISTER;
        return operand;
    }
    if (percent)
        litmus_lexer_fail(lexer, "unknown register %s", token_show(&name).text);
    if (name.kind == TOKEN_NUMBER || litmus_lexer_at(lexer, "-")) {
        operand.number = litmus_lexer_number(lexer, "a number");
        if (!litmus_lexer_at(lexer, "(") && !litmus_lexer_at(lexer, "["))
            operand.kind = X86_IMMEDIATE;
    } else if (name.kind == TOKEN_NAME) {
        litmus_lexer_next(lexer);
        operand.decl = litmus_reader_decl(reader, &name);
    } else if (!litmus_lexer_at(lexer, "(") && !litmus_lexer_at(lexer, "[")) {
        litmus_lexer_fail(lexer, "expected an operand, found %s", token_show(&name).text);
    }
    if (litmus_lexer_at(lexer, "(") || litmus_lexer_at(lexer, "["))
        read_address(reader, &operand);
    return operand;
}

/* ---- rows */

/* nopl and nopw come from compilers with an address that means nothing. */
static void skip_operands(struct litmus_lexer *lexer)
{
    while (lexer->token.kind != TOKEN_END && !litmus_lexer_at(lexer, "|") &&
           !litmus_lexer_at(lexer, ";"))
        litmus_lexer_next(lexer);
}

static void read_two_operands(struct litmus_reader *reader, struct x86_insn *insn)
{
    struct x86_operand first = read_operand(reader);

    litmus_lexer_expect(&reader->lexer, ",");
    struct x86_operand second = read_operand(reader);
    bool last = is_64(reader);
    /* herd7's grammar has "cmpxchg (x),%ecx", assemblers the other order: memory decides. */
    if ((insn->form == X86_COMPARE_EXCHANGE || insn->form == X86_EXCHANGE_ADD ||
         insn->form == X86_EXCHANGE) &&
        first.kind != second.kind)
        last = second.kind == X86_MEMORY;
    insn->destination = last ? second : first;
    insn->source = last ? first : second;
}

static void read_instruction(struct litmus_reader *reader, struct x86_thread *thread,
                             struct token name)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct x86_insn insn = {.lock = token_is_caseless(&name, "lock"), .name = name};

    if (insn.lock) {
        litmus_lexer_accept(lexer, ";");
        insn.name = litmus_lexer_name(lexer, "an instruction");
    }
    uint8_t operands = find_mnemonic(reader, &insn);
    if (insn.form == X86_REFUSED)
        litmus_lexer_fail_token(lexer, &insn.name, "%s is outside the memory models of raddle",
                                token_show(&insn.name).text);
    if (insn.form == X86_JUMP)
        insn.label = litmus_lexer_name(lexer, "a label");
    if (insn.form == X86_NOP)
        skip_operands(lexer);
    if (operands == 1)
        insn.destination = read_operand(reader);
    if (operands == 2)
        read_two_operands(reader, &insn);
    thread->uses_flags |= insn.form == X86_JUMP || insn.form == X86_SET || insn.form == X86_CMOVE;
    thread->insns = litmus_grow(thread->insns, thread->insn_count, sizeof(*thread->insns));
    thread->insns[thread->insn_count++] = insn;
}

static void add_label(struct litmus_reader *reader, struct x86_thread *thread, struct token name)
{
    if (thread->label_count == LITMUS_REGS_MAX)
        litmus_lexer_fail_token(&reader->lexer, &name, "more than %d labels in one thread",
                                LITMUS_REGS_MAX);
    for (uint32_t i = 0; i < thread->label_count; i++) {
        const struct token *other = &thread->labels[i].name;
        if (other->length == name.length && memcmp(other->text, name.text, name.length) == 0)
            litmus_lexer_fail_token(&reader->lexer, &name, "label %s is there twice",
                                    token_show(&name).text);
    }
    thread->labels = litmus_grow(thread->labels, thread->label_count, sizeof(*thread->labels));
    thread->labels[thread->label_count++] =
        (struct x86_label){.name = name, .insn = thread->insn_count};
}

/* One field of the table: labels, then an instruction or nothing. */
static void read_field(struct litmus_reader *reader, struct x86_thread *thread)
{
    struct litmus_lexer *lexer = &reader->lexer;

    while (lexer->token.kind == TOKEN_NAME) {
        struct token name = litmus_lexer_name(lexer, "an instruction");
        if (!litmus_lexer_accept(lexer, ":")) {
            read_instruction(reader, thread, name);
            return;
        }
        add_label(reader, thread, name);
    }
}

/* Whether the code is over. "not" may be an instruction, or begin "not exists". */
static bool at_condition(const struct litmus_lexer *lexer)
{
    static const char *const starts[] = {"exists", "forall", "~",        "filter",
                                         "final",  "(",      "locations"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (litmus_lexer_at(lexer, starts[i]))
            return true;
    }
    if (litmus_lexer_at(lexer, "not")) {
        struct litmus_lexer ahead = *lexer;
        litmus_lexer_next(&ahead);
        return litmus_lexer_at(&ahead, "exists");
    }
    return lexer->token.kind == TOKEN_END;
}

static void read_row(struct litmus_reader *reader, struct x86_test *test)
{
    struct litmus_lexer *lexer = &reader->lexer;

    for (uint32_t i = 0;; i++) {
        if (i == test->thread_count)
            litmus_lexer_fail(lexer, "more fields in this row than threads");
        read_field(reader, &test->threads[i]);
        if (litmus_lexer_accept(lexer, ";"))
            return;
        if (!litmus_lexer_at(lexer, "|"))
            litmus_lexer_fail(lexer, "expected '|' or ';', found %s",
                              token_show(&lexer->token).text);
        litmus_lexer_next(lexer);
    }
}

static void read_threads(struct litmus_reader *reader, struct x86_test *test)
{
    struct litmus_lexer *lexer = &reader->lexer;

    lexer->columns = true;
    litmus_lexer_next(lexer);
    litmus_lexer_accept(lexer, ";");
    do {
        litmus_reader_thread(reader);
    } while (litmus_lexer_accept(lexer, "|"));
    litmus_lexer_expect(lexer, ";");
    test->thread_count = reader->out->program.thread_count;
    test->threads = litmus_realloc(NULL, test->thread_count, sizeof(*test->threads));
    memset(test->threads, 0, test->thread_count * sizeof(*test->threads));
}

/* ---- sizes */

/* The size an instruction names: by its last letter or a register; else 0. */
static uint8_t named_size(const struct x86_insn *insn)
{
    if (insn->size)
        return insn->size;
    if (insn->form == X86_SET)
        return 1;
    if (insn->destination.kind == X86_REGISTER)
        return insn->destination.size;
    return insn->source.kind == X86_REGISTER ? insn->source.size : 0;
}

/* Untyped locations are ints, as in herd7, unless 64 bits of them are used; an access through a
 * register may reach any of them. */
static void widen(struct litmus_reader *reader, const struct x86_operand *operand)
{
    struct program *program = &reader->out->program;

    if (operand->kind != X86_MEMORY)
        return;
    for (uint32_t i = 0; i < program->decl_count; i++) {
        if ((operand->decl == i || operand->decl == LITMUS_NONE) && !reader->symbols[i].typed)
            program->decls[i].size = 8;
    }
}

/* X86 moves addresses in 32-bit registers; the cells that hold them have 64 bits. */
static bool moves_address(struct litmus_reader *reader, const struct x86_insn *insn)
{
    const struct x86_operand *memory =
        insn->source.kind == X86_MEMORY ? &insn->source : &insn->destination;

    return insn->form == X86_MOVE && memory->kind == X86_MEMORY && memory->decl != LITMUS_NONE &&
           !is_64(reader) && reader->symbols[memory->decl].type.stars > 0;
}

static void resolve_sizes(struct litmus_reader *reader, struct x86_test *test)
{
    for (uint32_t i = 0; i < test->thread_count; i++) {
        for (uint32_t j = 0; j < test->threads[i].insn_count; j++) {
            struct x86_insn *insn = &test->threads[i].insns[j];
            insn->size = moves_address(reader, insn) ? 8 : named_size(insn);
            if (insn->size == 8 && insn->form != X86_LEA && insn->form != X86_EXTEND) {
                widen(reader, &insn->destination);
                widen(reader, &insn->source);
            }
        }
    }
    for (uint32_t i = 0; i < test->thread_count; i++) {
        for (uint32_t j = 0; j < test->threads[i].insn_count; j++) {
            struct x86_insn *insn = &test->threads[i].insns[j];
            uint32_t decl = insn->destination.decl;
            if (insn->size == 0 && insn->destination.kind == X86_MEMORY && decl != LITMUS_NONE)
                insn->size = reader->out->program.decls[decl].size;
            else if (insn->size == 0)
                insn->size = 4;
        }
    }
}

/* ---- the architectures */

static void x86_read(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct x86_test *test = litmus_realloc(NULL, 1, sizeof(*test));

    *test = (struct x86_test){0};
    reader->code = test;
    read_threads(reader, test);
    while (!at_condition(lexer))
        read_row(reader, test);
    lexer->columns = false;
    resolve_sizes(reader, test);
    for (uint32_t i = 0; i < test->thread_count; i++)
        litmus_x86_compile(reader, i);
}

reg_id litmus_x86_reg(struct litmus_code *code, uint8_t reg)
{
    static const char upper[][4] = {"EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP"};
    const char *name = reg_rows[reg].names[3];

    if (!is_64(code->reader))
        name = reg < 8 ? upper[reg] : "EIP";
    return thread_code_reg(litmus_code_thread(code), name);
}

/* An untyped register has as many bytes as the thread writes: eax alone makes rax an int. */
static uint8_t shown_size(struct litmus_reader *reader, uint32_t thread, uint8_t reg, uint8_t size)
{
    const struct x86_test *test = reader->code;
    uint8_t written = test->threads[thread].written[reg];

    return size < 8 || written == 0 || written == 8 ? size : 4;
}

static void x86_find_reg(struct litmus_reader *reader, uint32_t thread, const struct token *name,
                         struct litmus_location *location)
{
    struct litmus_code code = {.reader = reader, .thread = thread};
    uint8_t reg, size;

    if (!find_register(reader, name, &reg, &size))
        litmus_lexer_fail_token(&reader->lexer, name, "%s has no register %s", reader->arch->name,
                                token_show(name).text);
    location->reg = litmus_x86_reg(&code, reg);
    location->rank = reg;
    location->sign = true;
    location->size = shown_size(reader, thread, reg, size);
    for (uint32_t i = 0; i < reader->reg_init_count; i++) {
        const struct litmus_reg_init *init = &reader->reg_inits[i];
        uint8_t other, ignored;

        if (init->thread != thread || !find_reg_name(&init->name, &other, &ignored) || other != reg)
            continue;
        location->pointer |= init->value.kind == OPERAND_ADDRESS;
        if (init->typed) {
            uint8_t typed = litmus_type_size(reader, init->type);
            location->size = typed < size ? typed : size;
            location->sign = init->type.sign || init->type.stars > 0;
        }
    }
    location->name = litmus_copy(name->text, name->length);
    for (char *c = location->name; *c; c++)
        *c = (char)(is_64(reader) ? *c | 0x20 : (*c >= 'a' ? *c - 0x20 : *c));
}

static void x86_close(struct litmus_reader *reader)
{
    struct x86_test *test = reader->code;

    for (uint32_t i = 0; i < test->thread_count; i++) {
        free(test->threads[i].insns);
        free(test->threads[i].labels);
        free(test->threads[i].jumps);
        free(test->threads[i].starts);
    }
    free(test->threads);
    free(test);
}

const struct litmus_arch litmus_arch_x86 = {
    .name = "X86",
    .pointer_size = 8, /* the addresses of raddle's cells need that, here too */
    .regs_unsigned = true,
    .read = x86_read,
    .find_reg = x86_find_reg,
    .close = x86_close,
};

const struct litmus_arch litmus_arch_x86_64 = {
    .name = "X86_64",
    .pointer_size = 8,
    .regs_unsigned = true,
    .read = x86_read,
    .find_reg = x86_find_reg,
    .close = x86_close,
};
