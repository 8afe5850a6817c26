#include "script/text.h"

#include <stdlib.h>
#include <string.h>

#include "script/mnemonic.h"
#include "script/text_reader.h"

/* A statement that begins with a word of its own; its function finds that word as current token. */
struct statement {
    const char *word;
    bool (*read)(struct text_reader *);
    bool row; /* belongs into a thread */
};

static bool read_program_line(struct text_reader *reader);
static bool read_thread_line(struct text_reader *reader);
static bool read_regs(struct text_reader *reader);
static bool read_let(struct text_reader *reader);
static bool read_if(struct text_reader *reader);
static bool read_goto(struct text_reader *reader);

static const struct statement statements[] = {
    {"program", read_program_line, false},
    {"thread", read_thread_line, false},
    {"reg", read_regs, true},
    {"let", read_let, true},
    {"if", read_if, true},
    {"goto", read_goto, true},
};

enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

bool text_word_reserved(const char *word, size_t length)
{
    struct text_token token = {.kind = TOKEN_WORD, .text = word, .length = (uint32_t)length};
    struct mnemonic mnemonic;
    uint8_t kind;
    uint8_t size;

    for (size_t i = 0; i < STATEMENTS; i++)
        if (text_token_is(&token, statements[i].word))
            return true;
    for (size_t alu = 0; alu < ALU_KIND_COUNT; alu++)
        if (text_token_is(&token, alu_kind_names[alu]))
            return true;
    return text_decl_word(&token, &kind, &size) || mnemonic_find(word, length, &mnemonic);
}

/* ---- the program and its threads */

/* A name that can be printed in one line and read again: visible characters, none that starts a
 * comment. */
static bool name_character(unsigned char c)
{
    return c > ' ' && c < 0x7f && c != '#';
}

static bool read_program_line(struct text_reader *reader)
{
    struct text_token word = reader->lexer.token;
    struct text_token name = text_lexer_rest(&reader->lexer);

    if (reader->program->name)
        return text_lexer_fail(&reader->lexer, &word, "the program has a name already");
    if (name.length == 0)
        return text_lexer_fail(&reader->lexer, &name, "expected the name of the program");
    if (name.length > NAME_LENGTH_MAX)
        return text_lexer_fail(&reader->lexer, &name, "a name is at most %d characters long",
                               NAME_LENGTH_MAX);
    for (uint32_t i = 0; i < name.length; i++) {
        if (!name_character((unsigned char)name.text[i]) && name.text[i] != ' ') {
            name.column += i;
            return text_lexer_fail(&reader->lexer, &name, "unexpected byte 0x%02x in a name",
                                   (unsigned char)name.text[i]);
        }
    }
    reader->program->name = strndup(name.text, name.length);
    return true;
}

/* The program is called as its file, without directory and ending. */
static char *name_of_file(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *stem = slash ? slash + 1 : file;
    size_t length = stem ? strcspn(stem, ".") : 0;

    if (length == 0)
        return strdup("program");
    char *name = strndup(stem, length < NAME_LENGTH_MAX ? length : NAME_LENGTH_MAX);
    for (char *c = name; c && *c; c++)
        if (!name_character((unsigned char)*c))
            *c = '_';
    return name;
}

/* Gives the branches of the thread that ends here their rows. */
static bool finish_thread(struct text_reader *reader)
{
    for (uint32_t i = 0; i < reader->jump_count; i++) {
        const struct jump *jump = &reader->jumps[i];
        const struct name_entry *label =
            name_table_find(&reader->labels, jump->label.text, jump->label.length);
        if (!label)
            return text_lexer_fail(&reader->lexer, &jump->label, "thread %s has no label '%.*s'",
                                   reader->thread->name, (int)jump->label.length, jump->label.text);
        reader->thread->insns[jump->row].jump = label->value;
    }
    reader->jump_count = 0;
    name_table_free(&reader->labels);
    name_table_free(&reader->regs);
    return true;
}

static bool read_thread_line(struct text_reader *reader)
{
    uint32_t thread;

    if (!finish_thread(reader))
        return false;
    text_lexer_next(&reader->lexer);
    if (!text_read_thread(reader, &thread))
        return false;
    reader->thread = &reader->program->threads[thread]; /* stays: the first pass made them all */
    return true;
}

static bool read_regs(struct text_reader *reader)
{
    struct thread_code *thread = reader->thread;

    if (thread->insn_count > 0 || reader->labels.count > 0)
        return text_lexer_fail(&reader->lexer, &reader->lexer.token,
                               "reg comes before the first instruction of its thread");
    do {
        text_lexer_next(&reader->lexer); /* past "reg" or the comma */
        struct text_token name = reader->lexer.token;
        uint32_t before = thread->reg_count;
        reg_id reg;
        if (!text_read_register(reader, &reg))
            return false;
        if (thread->reg_count == before)
            return text_lexer_fail(&reader->lexer, &name, "register %.*s is listed twice",
                                   (int)name.length, name.text);
        if (text_take(reader, "=") && !text_read_value(reader, &thread->regs[reg].init))
            return false;
    } while (text_token_is(&reader->lexer.token, ","));
    return true;
}

/* ---- rows */

/* A new row of the current thread, or NULL. */
static struct insn *add_row(struct text_reader *reader, const struct text_token *first,
                            enum insn_kind kind)
{
    if (reader->rows >= PROGRAM_ROWS_MAX) {
        text_lexer_fail(&reader->lexer, first, "more than %d rows", PROGRAM_ROWS_MAX);
        return NULL;
    }
    reader->rows++;

    struct insn *insn = thread_code_add(reader->thread, kind);
    insn->line = first->line;
    return insn;
}

static bool check_row(struct text_reader *reader, const struct text_token *first,
                      const struct insn *insn)
{
    const char *wrong = program_check_row(reader->program, reader->thread, insn);

    return !wrong || text_lexer_fail(&reader->lexer, first, "%s", wrong);
}

static bool read_let(struct text_reader *reader)
{
    struct text_token first = reader->lexer.token;
    struct insn *insn = add_row(reader, &first, INSN_LET);

    text_lexer_next(&reader->lexer);
    return insn && text_read_register(reader, &insn->dst) && text_expect(reader, "=") &&
           text_read_expression(reader, insn, ALU_ADD) && check_row(reader, &first, insn);
}

/* "goto L" of the last row. */
static bool read_jump(struct text_reader *reader)
{
    struct jump jump = {.row = reader->thread->insn_count - 1};

    if (!text_token_is(&reader->lexer.token, "goto"))
        return text_lexer_expected(&reader->lexer, "'goto'");
    text_lexer_next(&reader->lexer);
    if (!text_read_new_name(reader, "a label", &jump.label))
        return false;
    if (reader->jump_count == reader->jump_capacity) {
        uint32_t capacity = reader->jump_capacity ? reader->jump_capacity * 2 : 16;
        struct jump *larger = realloc(reader->jumps, capacity * sizeof(*larger));
        if (!larger)
            return text_lexer_fail(&reader->lexer, &jump.label, "out of memory");
        reader->jumps = larger;
        reader->jump_capacity = capacity;
    }
    reader->jumps[reader->jump_count++] = jump;
    return true;
}

static bool read_if(struct text_reader *reader)
{
    struct text_token first = reader->lexer.token;
    struct insn *insn = add_row(reader, &first, INSN_BRANCH);

    text_lexer_next(&reader->lexer);
    return insn && text_read_expression(reader, insn, ALU_NE) && read_jump(reader) &&
           check_row(reader, &first, insn);
}

static bool read_goto(struct text_reader *reader)
{
    struct text_token first = reader->lexer.token;
    struct insn *insn = add_row(reader, &first, INSN_BRANCH);

    if (!insn)
        return false;
    insn->alu = ALU_EQ; /* 0 == 0: always */
    insn->a = operand_number(0);
    insn->b = operand_number(0);
    return read_jump(reader);
}

static bool read_label(struct text_reader *reader, const struct text_token *name)
{
    const struct name_entry *entry = name_table_find(&reader->labels, name->text, name->length);

    if (entry)
        return text_lexer_fail(&reader->lexer, name,
                               "label '%.*s' is defined twice, first in line %u", (int)name->length,
                               name->text, (unsigned)entry->line);
    if (text_word_reserved(name->text, name->length))
        return text_lexer_fail(&reader->lexer, name, "'%.*s' cannot be a name: it is a keyword",
                               (int)name->length, name->text);
    name_table_add(&reader->labels, (struct name_entry){name->text, name->length,
                                                        reader->thread->insn_count, name->line});
    return text_expect(reader, ":");
}

static bool read_part(struct text_reader *reader, const struct text_token *verb, struct insn *insn,
                      char part)
{
    switch (part) {
    case 'p':
        return text_read_place(reader, verb, op_place_kind(insn->op), &insn->place);
    case 'm':
        return text_read_place(reader, verb, OBJECT_MUTEX, &insn->mutex);
    case 'a':
        return text_read_operand(reader, &insn->a);
    case 'b':
        return text_read_operand(reader, &insn->b);
    case 'e':
        return text_read_expression(reader, insn, ALU_NE);
    case 't':
        return text_read_thread(reader, &insn->thread);
    }
    return false;
}

/* ".rel" behind the word of an operation, if there. */
static bool read_order(struct text_reader *reader, const struct text_token *verb, struct insn *insn)
{
    const struct op_shape *shape = &op_shapes[insn->op];
    struct text_token dot = reader->lexer.token;

    insn->order = shape->order;
    if (!text_take(reader, "."))
        return true;
    if (!shape->ordered)
        return text_lexer_fail(&reader->lexer, &dot, "%.*s has no memory order", (int)verb->length,
                               verb->text);
    for (unsigned order = 0; order <= ORDER_SEQ_CST; order++) {
        if (text_token_is(&reader->lexer.token, memory_order_names[order])) {
            insn->order = (uint8_t)order;
            text_lexer_next(&reader->lexer);
            return true;
        }
    }
    return text_lexer_expected(&reader->lexer, "one of the orders rlx, acq, rel, ar, sc");
}

/* The operation `verb`, which is passed already. */
static bool read_op(struct text_reader *reader, const struct text_token *verb, struct insn *insn)
{
    struct mnemonic mnemonic;

    if (!mnemonic_find(verb->text, verb->length, &mnemonic))
        return text_lexer_fail(&reader->lexer, verb, "unknown instruction '%.*s'%s",
                               (int)verb->length, verb->text,
                               insn->dst == REG_NONE ? "" : " (arithmetic: let REGISTER = ...)");
    insn->op = mnemonic.op;
    insn->rmw = mnemonic.rmw;
    insn->size = mnemonic.size;
    insn->sign = mnemonic.sign;
    if (insn->dst != REG_NONE && !op_shapes[insn->op].result)
        return text_lexer_fail(&reader->lexer, verb, "%.*s gives no result", (int)verb->length,
                               verb->text);
    if (!read_order(reader, verb, insn))
        return false;
    for (const char *part = op_shapes[insn->op].operands; *part; part++) {
        if (part != op_shapes[insn->op].operands && !text_expect(reader, ","))
            return false;
        if (!read_part(reader, verb, insn, *part))
            return false;
    }
    if (insn->place.kind == PLACE_POINTER && insn->size == 0)
        insn->size = 8;
    if (insn->op == OP_THREAD_CREATE)
        reader->program->threads[insn->thread].created = true;
    return check_row(reader, verb, insn);
}

/* "VERB …", "REGISTER = VERB …", or "LABEL:". */
static bool read_row(struct text_reader *reader)
{
    struct text_lexer before = reader->lexer;
    struct text_token first = reader->lexer.token;
    struct insn *insn;
    reg_id dst = REG_NONE;

    text_lexer_next(&reader->lexer);
    if (text_token_is(&reader->lexer.token, ":"))
        return read_label(reader, &first);
    if (text_token_is(&reader->lexer.token, "=")) {
        reader->lexer = before;
        if (!text_read_register(reader, &dst) || !text_expect(reader, "="))
            return false;
        first = reader->lexer.token;
        if (first.kind != TOKEN_WORD)
            return text_lexer_expected(&reader->lexer, "an instruction");
        text_lexer_next(&reader->lexer);
    }
    insn = add_row(reader, &first, INSN_OP);
    if (!insn)
        return false;
    insn->dst = dst;
    return read_op(reader, &first, insn);
}

/* ---- lines */

static bool read_statement(struct text_reader *reader)
{
    const struct text_token *first = &reader->lexer.token;
    uint8_t kind;
    uint8_t size;

    if (text_decl_word(first, &kind, &size) &&
        !text_is_arrival(&reader->lexer, reader->thread != NULL))
        return text_read_decl(reader);
    for (size_t i = 0; i < STATEMENTS; i++)
        if (text_token_is(first, statements[i].word) && (reader->thread || !statements[i].row))
            return statements[i].read(reader);
    if (!reader->thread)
        return text_lexer_expected(&reader->lexer, "a declaration or 'thread'");
    if (first->kind != TOKEN_WORD)
        return text_lexer_expected(&reader->lexer, "an instruction");
    return read_row(reader);
}

static bool read_lines(struct text_reader *reader)
{
    struct text_lexer *lexer = &reader->lexer;

    while (lexer->token.kind != TOKEN_END) {
        if (lexer->token.kind != TOKEN_LINE_END && !read_statement(reader))
            return false;
        if (lexer->token.kind != TOKEN_LINE_END && lexer->token.kind != TOKEN_END)
            return text_lexer_expected(lexer, "the end of the line");
        if (lexer->token.kind == TOKEN_LINE_END)
            text_lexer_next(lexer);
    }
    return finish_thread(reader);
}

static bool read_all(struct text_reader *reader, const char *source, size_t length,
                     struct read_error *error)
{
    if (length > TEXT_LENGTH_MAX) {
        *error = (struct read_error){.message = "the input is longer than 16 MiB"};
        return false;
    }
    text_lexer_start(&reader->lexer, source, length, error);
    if (!text_declare_all(reader))
        return false;
    text_lexer_start(&reader->lexer, source, length, error);
    if (!read_lines(reader))
        return false;

    struct text_token place = {0};
    const char *wrong = NULL;
    if (reader->program->thread_count == 0)
        wrong = "the program has no thread";
    else
        wrong = program_check(reader->program, &place.line);
    return !wrong || text_lexer_fail(&reader->lexer, &place, "%s", wrong);
}

bool text_read(const char *source, size_t length, const char *file, struct program *out,
               struct read_error *error)
{
    struct text_reader reader = {.program = out};
    bool ok;

    *out = (struct program){0};
    *error = (struct read_error){0};
    ok = read_all(&reader, source, length, error);
    if (ok && !out->name)
        out->name = name_of_file(file);
    if (!ok)
        program_free(out);
    name_table_free(&reader.decls);
    name_table_free(&reader.threads);
    name_table_free(&reader.regs);
    name_table_free(&reader.labels);
    free(reader.jumps);
    return ok;
}
