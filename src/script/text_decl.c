#include "script/text_reader.h"

#include <string.h>

#include "script/text.h"

/* All arrays with initial values together: each value takes the memory of an operand. */
enum { INIT_ELEMENTS_MAX = 1 << 20 };

/* The words that declare. A cell may have its size behind its word. */
static const struct {
    const char *word;
    uint8_t kind;
    uint8_t size;
} decl_words[] = {
    {"cell", OBJECT_CELL, 8},  {"cell1", OBJECT_CELL, 1},      {"cell2", OBJECT_CELL, 2},
    {"cell4", OBJECT_CELL, 4}, {"cell8", OBJECT_CELL, 8},      {"mutex", OBJECT_MUTEX, 0},
    {"spin", OBJECT_SPIN, 0},  {"rwlock", OBJECT_RWLOCK, 0},   {"cond", OBJECT_COND, 0},
    {"sem", OBJECT_SEM, 0},    {"barrier", OBJECT_BARRIER, 0}, {"channel", OBJECT_CHANNEL, 0},
};

enum { DECL_WORDS = sizeof(decl_words) / sizeof(decl_words[0]) };

const char *text_kind_word(enum object_kind kind)
{
    for (size_t i = 0; i < DECL_WORDS; i++)
        if (decl_words[i].kind == kind)
            return decl_words[i].word;
    return NULL;
}

bool text_decl_word(const struct text_token *word, uint8_t *kind, uint8_t *size)
{
    for (size_t i = 0; i < DECL_WORDS; i++) {
        if (text_token_is(word, decl_words[i].word)) {
            *kind = decl_words[i].kind;
            *size = decl_words[i].size;
            return true;
        }
    }
    return false;
}

/* What stands before the initial values: "cell4 a[6]". */
struct decl_head {
    struct text_token name;
    uint8_t kind;
    uint8_t size;
    uint32_t count;
    bool is_array;
};

static bool read_head(struct text_reader *reader, struct decl_head *head)
{
    int64_t count = 1;

    *head = (struct decl_head){0};
    text_decl_word(&reader->lexer.token, &head->kind, &head->size);
    text_lexer_next(&reader->lexer);
    if (!text_read_new_name(reader, "a name", &head->name))
        return false;
    if (text_take(reader, "[")) {
        struct text_token number = reader->lexer.token;
        head->is_array = true;
        if (!text_read_number(reader, &count))
            return false;
        if (count < 1 || count > PROGRAM_CELL_BYTES_MAX)
            return text_lexer_fail(&reader->lexer, &number, "an array has 1 to %d elements",
                                   PROGRAM_CELL_BYTES_MAX);
        if (!text_expect(reader, "]"))
            return false;
    }
    head->count = (uint32_t)count;
    return true;
}

static bool check_new(struct text_reader *reader, const struct name_table *table,
                      const struct text_token *name)
{
    const struct name_entry *entry = name_table_find(table, name->text, name->length);

    if (!entry)
        return true;
    return text_lexer_fail(&reader->lexer, name, "'%.*s' is declared twice, first in line %u",
                           (int)name->length, name->text, (unsigned)entry->line);
}

/* Limits that program_check has too; here they give a column. */
static bool check_limits(struct text_reader *reader, const struct decl_head *head)
{
    if (head->kind == OBJECT_CELL)
        reader->cell_bytes += (uint64_t)head->count * head->size;
    else
        reader->objects += head->count;
    if (reader->cell_bytes > PROGRAM_CELL_BYTES_MAX)
        return text_lexer_fail(&reader->lexer, &head->name, "the cells take more than 64 MiB");
    if (reader->objects > PROGRAM_OBJECTS_MAX)
        return text_lexer_fail(&reader->lexer, &head->name,
                               "more than %d objects that are not cells", PROGRAM_OBJECTS_MAX);
    if (reader->program->decl_count >= PROGRAM_DECLS_MAX)
        return text_lexer_fail(&reader->lexer, &head->name, "more than %d declarations",
                               PROGRAM_DECLS_MAX);
    return true;
}

static bool declare_object(struct text_reader *reader)
{
    struct decl_head head;
    char name[NAME_LENGTH_MAX + 1];

    if (!read_head(reader, &head) || !check_new(reader, &reader->decls, &head.name) ||
        !check_limits(reader, &head))
        return false;
    text_token_copy(&head.name, name);

    uint32_t index = program_add_decl(reader->program, name, head.kind, head.count);
    reader->program->decls[index].size = head.size;
    reader->program->decls[index].is_array = head.is_array;
    name_table_add(&reader->decls,
                   (struct name_entry){head.name.text, head.name.length, index, head.name.line});
    return true;
}

static bool declare_thread(struct text_reader *reader)
{
    struct text_token token;
    char name[NAME_LENGTH_MAX + 1];

    text_lexer_next(&reader->lexer);
    if (!text_read_new_name(reader, "the name of a thread", &token) ||
        !check_new(reader, &reader->threads, &token))
        return false;
    if (reader->program->thread_count >= PROGRAM_THREADS_MAX)
        return text_lexer_fail(&reader->lexer, &token, "more than %d threads", PROGRAM_THREADS_MAX);
    text_token_copy(&token, name);

    uint32_t index = program_add_thread(reader->program, name);
    name_table_add(&reader->threads,
                   (struct name_entry){token.text, token.length, index, token.line});
    return true;
}

bool text_is_arrival(const struct text_lexer *lexer, bool in_thread)
{
    const char *at = lexer->at;

    if (!in_thread || !text_token_is(&lexer->token, "barrier"))
        return false;
    while (at < lexer->end && *at != '\n' && *at != '#' && *at != '=')
        at++;
    return at == lexer->end || *at != '=';
}

bool text_declare_all(struct text_reader *reader)
{
    struct text_lexer *lexer = &reader->lexer;
    uint8_t kind;
    uint8_t size;

    while (lexer->token.kind != TOKEN_END) {
        if (text_decl_word(&lexer->token, &kind, &size) &&
            !text_is_arrival(lexer, reader->program->thread_count > 0)) {
            if (!declare_object(reader))
                return false;
        } else if (text_token_is(&lexer->token, "thread")) {
            if (!declare_thread(reader))
                return false;
        } else if (text_token_is(&lexer->token, "program")) {
            text_lexer_rest(lexer);
        }
        while (lexer->token.kind < TOKEN_LINE_END)
            text_lexer_next(lexer);
        if (lexer->token.kind == TOKEN_BAD)
            return false;
        if (lexer->token.kind == TOKEN_LINE_END)
            text_lexer_next(lexer);
    }
    return true;
}

/* The values behind "=", as many as there are, but no more than elements. */
static bool read_cell_values(struct text_reader *reader, struct decl *decl)
{
    for (uint32_t i = 0;
         reader->lexer.token.kind != TOKEN_LINE_END && reader->lexer.token.kind != TOKEN_END; i++) {
        struct text_token token = reader->lexer.token;
        struct operand value;
        if (!text_read_value(reader, &value))
            return false;
        if (i >= decl->count)
            return text_lexer_fail(&reader->lexer, &token, "more values than elements: %s has %u",
                                   decl->name, (unsigned)decl->count);
        if (value.kind == OPERAND_NUMBER && !cell_number_fits(value.number, decl->size))
            return text_lexer_fail(&reader->lexer, &token,
                                   "the number does not fit a cell of %u bytes", decl->size);
        if (value.kind == OPERAND_NUMBER && value.number == 0)
            continue;
        if (!decl->init && (reader->init_elements += decl->count) > INIT_ELEMENTS_MAX)
            return text_lexer_fail(&reader->lexer, &token,
                                   "arrays with initial values have at most %d elements together",
                                   INIT_ELEMENTS_MAX);
        decl_set_init(decl, i, value);
    }
    return true;
}

static bool read_counter(struct text_reader *reader, struct decl *decl)
{
    struct text_token token = reader->lexer.token;
    int64_t min = decl->kind == OBJECT_SEM ? 0 : 1;
    int64_t max = decl->kind == OBJECT_BARRIER ? PROGRAM_BARRIER_MAX : PROGRAM_SEM_MAX;
    int64_t number;

    if (!text_read_number(reader, &number))
        return false;
    if (number < min || number > max)
        return text_lexer_fail(&reader->lexer, &token, "a %s takes a number from %d to %d",
                               text_kind_word(decl->kind), (int)min, (int)max);
    decl_set_init(decl, 0, operand_number(number));
    return true;
}

bool text_read_decl(struct text_reader *reader)
{
    struct decl_head head;

    if (!read_head(reader, &head))
        return false;

    const struct name_entry *entry =
        name_table_find(&reader->decls, head.name.text, head.name.length);
    struct decl *decl = &reader->program->decls[entry->value]; /* the first pass declared it */
    if (decl->kind == OBJECT_BARRIER && !text_token_is(&reader->lexer.token, "="))
        return text_lexer_expected(&reader->lexer, "'=' and how many threads the barrier takes");
    if (decl->kind == OBJECT_CHANNEL && !text_token_is(&reader->lexer.token, "="))
        return text_lexer_expected(&reader->lexer, "'=' and how much the channel holds");
    if (decl->kind == OBJECT_SEM)
        decl_set_init(decl, 0, operand_number(0));
    if (!text_token_is(&reader->lexer.token, "="))
        return true;
    if (decl->kind != OBJECT_CELL && decl->kind != OBJECT_SEM && decl->kind != OBJECT_BARRIER &&
        decl->kind != OBJECT_CHANNEL)
        return text_lexer_fail(&reader->lexer, &reader->lexer.token, "a %s has no initial value",
                               text_kind_word(decl->kind));
    text_lexer_next(&reader->lexer);
    if (decl->kind != OBJECT_CELL)
        return read_counter(reader, decl);
    if (reader->lexer.token.kind == TOKEN_LINE_END || reader->lexer.token.kind == TOKEN_END)
        return text_lexer_expected(&reader->lexer, "a number or '&' and a cell");
    return read_cell_values(reader, decl);
}
