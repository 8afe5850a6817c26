#include "script/text_reader.h"

#include <string.h>

#include "script/text.h"

/* printf arguments for a token's text after %.*s */
#define TOKEN_TEXT(token) (int)(token)->length, (token)->text

bool text_take(struct text_reader *reader, const char *symbol)
{
    if (reader->lexer.token.kind != TOKEN_SYMBOL || !text_token_is(&reader->lexer.token, symbol))
        return false;
    text_lexer_next(&reader->lexer);
    return true;
}

bool text_expect(struct text_reader *reader, const char *symbol)
{
    char what[8];

    if (text_take(reader, symbol))
        return true;
    snprintf(what, sizeof(what), "'%s'", symbol);
    return text_lexer_expected(&reader->lexer, what);
}

void text_token_copy(const struct text_token *token, char name[NAME_LENGTH_MAX + 1])
{
    memcpy(name, token->text, token->length);
    name[token->length] = '\0';
}

bool text_read_new_name(struct text_reader *reader, const char *what, struct text_token *name)
{
    *name = reader->lexer.token;
    if (name->kind != TOKEN_WORD)
        return text_lexer_expected(&reader->lexer, what);
    if (text_word_reserved(name->text, name->length))
        return text_lexer_fail(&reader->lexer, name, "'%.*s' cannot be a name: it is a keyword",
                               TOKEN_TEXT(name));
    text_lexer_next(&reader->lexer);
    return true;
}

bool text_read_number(struct text_reader *reader, int64_t *number)
{
    struct text_token sign = reader->lexer.token;
    bool negative = text_take(reader, "-");
    struct text_token token = reader->lexer.token;

    if (token.kind != TOKEN_NUMBER)
        return text_lexer_expected(&reader->lexer, "a number");
    if (negative ? token.value > UINT64_C(1) << 63 : token.value > INT64_MAX && !token.hex)
        return text_lexer_fail(&reader->lexer, negative ? &sign : &token,
                               "the number does not fit 64 bits");
    *number = (int64_t)(negative ? -token.value : token.value); /* modulo 2^64: no overflow */
    text_lexer_next(&reader->lexer);
    return true;
}

/* "+4" or "-4" behind a place, if there. */
static bool read_offset(struct text_reader *reader, int64_t *offset)
{
    struct text_token sign = reader->lexer.token;
    int64_t number = 0;

    if (!text_token_is(&sign, "+") && !text_token_is(&sign, "-"))
        return true;
    text_lexer_next(&reader->lexer);
    if (!text_read_number(reader, &number))
        return false;
    if (number < -PROGRAM_OFFSET_MAX || number > PROGRAM_OFFSET_MAX)
        return text_lexer_fail(&reader->lexer, &sign, "an offset is at most 2^40 bytes");
    *offset = text_token_is(&sign, "-") ? -number : number;
    return true;
}

/* Finds the declaration that the current word names, and passes it; NULL on failure. `user` is what
 * needs it, for the message. */
static struct decl *read_declared(struct text_reader *reader, const struct text_token *user,
                                  enum object_kind kind)
{
    struct text_token name = reader->lexer.token;
    const char *needed = text_kind_word(kind);
    char what[32];

    if (name.kind != TOKEN_WORD) {
        snprintf(what, sizeof(what), "the name of a %s", needed);
        text_lexer_expected(&reader->lexer, what);
        return NULL;
    }
    const struct name_entry *entry = name_table_find(&reader->decls, name.text, name.length);
    if (!entry) {
        text_lexer_fail(&reader->lexer, &name, "unknown name '%.*s': %.*s needs a %s",
                        TOKEN_TEXT(&name), TOKEN_TEXT(user), needed);
        return NULL;
    }
    struct decl *decl = &reader->program->decls[entry->value];
    if (decl->kind != kind) {
        text_lexer_fail(&reader->lexer, &name, "%.*s needs a %s, %.*s is a %s", TOKEN_TEXT(user),
                        needed, TOKEN_TEXT(&name), text_kind_word(decl->kind));
        return NULL;
    }
    text_lexer_next(&reader->lexer);
    return decl;
}

/* &x, &a[2], &[x+3] */
static bool read_address(struct text_reader *reader, struct operand *address)
{
    struct text_token user = reader->lexer.token;
    int64_t offset = 0;

    if (!text_expect(reader, "&"))
        return false;
    bool bytes = text_take(reader, "[");
    const struct decl *decl = read_declared(reader, &user, OBJECT_CELL);
    if (!decl)
        return false;
    if (bytes) {
        if (!read_offset(reader, &offset) || !text_expect(reader, "]"))
            return false;
    } else if (text_take(reader, "[")) {
        struct text_token index = reader->lexer.token;
        if (!text_read_number(reader, &offset))
            return false;
        if (offset < 0 || offset > decl->count)
            return text_lexer_fail(&reader->lexer, &index, "%s has %u elements", decl->name,
                                   (unsigned)decl->count);
        offset *= decl->size;
        if (!text_expect(reader, "]"))
            return false;
    }
    *address = operand_address((uint32_t)(decl - reader->program->decls), offset);
    return true;
}

bool text_read_value(struct text_reader *reader, struct operand *value)
{
    const struct text_token *token = &reader->lexer.token;
    int64_t number = 0;

    if (text_token_is(token, "&"))
        return read_address(reader, value);
    if (token->kind != TOKEN_NUMBER && !text_token_is(token, "-"))
        return text_lexer_expected(&reader->lexer, "a number or '&' and a cell");
    if (!text_read_number(reader, &number))
        return false;
    *value = operand_number(number);
    return true;
}

bool text_read_register(struct text_reader *reader, reg_id *reg)
{
    struct text_token name = reader->lexer.token;
    char copy[NAME_LENGTH_MAX + 1];

    if (name.kind != TOKEN_WORD)
        return text_lexer_expected(&reader->lexer, "a register");
    const struct name_entry *entry = name_table_find(&reader->regs, name.text, name.length);
    if (entry) {
        *reg = (reg_id)entry->value;
        text_lexer_next(&reader->lexer);
        return true;
    }
    entry = name_table_find(&reader->decls, name.text, name.length);
    if (entry)
        return text_lexer_fail(&reader->lexer, &name, "expected a register, %.*s is a %s",
                               TOKEN_TEXT(&name),
                               text_kind_word(reader->program->decls[entry->value].kind));
    if (!text_read_new_name(reader, "a register", &name))
        return false;
    text_token_copy(&name, copy);
    *reg = thread_code_add_reg(reader->thread, copy);
    if (*reg == REG_NONE)
        return text_lexer_fail(&reader->lexer, &name, "a thread has at most %d registers",
                               PROGRAM_REGS_MAX);
    name_table_add(&reader->regs,
                   (struct name_entry){name.text, name.length, (uint32_t)*reg, name.line});
    return true;
}

bool text_read_operand(struct text_reader *reader, struct operand *operand)
{
    const struct text_token *token = &reader->lexer.token;
    reg_id reg = REG_NONE;

    if (token->kind == TOKEN_NUMBER || text_token_is(token, "-") || text_token_is(token, "&"))
        return text_read_value(reader, operand);
    if (token->kind != TOKEN_WORD)
        return text_lexer_expected(&reader->lexer, "a register, a number or '&' and a cell");
    if (!text_read_register(reader, &reg))
        return false;
    *operand = operand_reg(reg);
    return true;
}

/* The operator that the current token is, or ALU_KIND_COUNT; `prefix`: sext and zext, else the
 * others, which stand between their operands. */
static uint8_t find_operator(const struct text_token *token, bool prefix)
{
    uint8_t first = prefix ? ALU_SEXT : 0;
    uint8_t end = prefix ? ALU_KIND_COUNT : ALU_SEXT;

    for (uint8_t alu = first; alu < end; alu++)
        if (text_token_is(token, alu_kind_names[alu]))
            return alu;
    return ALU_KIND_COUNT;
}

/* `alone` and 0 complete a single operand. */
bool text_read_expression(struct text_reader *reader, struct insn *insn, enum alu_kind alone)
{
    insn->alu = find_operator(&reader->lexer.token, true);
    if (insn->alu != ALU_KIND_COUNT) {
        text_lexer_next(&reader->lexer);
        return text_read_operand(reader, &insn->a) && text_expect(reader, ",") &&
               text_read_operand(reader, &insn->b);
    }
    if (!text_read_operand(reader, &insn->a))
        return false;
    insn->alu = find_operator(&reader->lexer.token, false);
    if (insn->alu != ALU_KIND_COUNT) {
        text_lexer_next(&reader->lexer);
        return text_read_operand(reader, &insn->b);
    }
    insn->alu = (uint8_t)alone;
    insn->b = operand_number(0);
    return true;
}

static bool read_index(struct text_reader *reader, struct operand *index)
{
    if (text_token_is(&reader->lexer.token, "&"))
        return text_lexer_expected(&reader->lexer, "a number or a register as index");
    return text_read_operand(reader, index) && text_expect(reader, "]");
}

bool text_read_place(struct text_reader *reader, const struct text_token *verb,
                     enum object_kind kind, struct place *place)
{
    struct text_token name = reader->lexer.token;

    if (kind == OBJECT_CELL && text_take(reader, "[")) {
        *place = (struct place){.kind = PLACE_POINTER};
        return text_read_operand(reader, &place->index) && read_offset(reader, &place->offset) &&
               text_expect(reader, "]");
    }
    const struct decl *decl = read_declared(reader, verb, kind);
    if (!decl)
        return false;
    *place = place_decl((uint32_t)(decl - reader->program->decls));
    if (text_take(reader, "[")) {
        if (!read_index(reader, &place->index))
            return false;
    } else if (decl->is_array) {
        return text_lexer_fail(&reader->lexer, &name, "%s is an array: it needs an index",
                               decl->name);
    }
    return kind != OBJECT_CELL || read_offset(reader, &place->offset);
}

bool text_read_thread(struct text_reader *reader, uint32_t *thread)
{
    struct text_token name = reader->lexer.token;

    if (name.kind != TOKEN_WORD)
        return text_lexer_expected(&reader->lexer, "the name of a thread");
    const struct name_entry *entry = name_table_find(&reader->threads, name.text, name.length);
    if (!entry)
        return text_lexer_fail(&reader->lexer, &name, "unknown thread '%.*s'", TOKEN_TEXT(&name));
    *thread = entry->value;
    text_lexer_next(&reader->lexer);
    return true;
}
