#include "script/litmus_reader.h"

#include "script/litmus_memory.h"

void litmus_reader_enter(struct litmus_reader *reader)
{
    if (++reader->depth > LITMUS_DEPTH_MAX)
        litmus_lexer_fail(&reader->lexer, "nested deeper than %d levels", LITMUS_DEPTH_MAX);
}

uint32_t litmus_reader_find(const struct litmus_reader *reader, const struct token *name)
{
    const struct program *program = &reader->out->program;

    for (uint32_t i = 0; i < program->decl_count; i++) {
        if (token_is(name, program->decls[i].name))
            return i;
    }
    return LITMUS_NONE;
}

uint32_t litmus_reader_decl(struct litmus_reader *reader, const struct token *name)
{
    struct program *program = &reader->out->program;
    uint32_t decl = litmus_reader_find(reader, name);

    if (decl != LITMUS_NONE)
        return decl;
    if (program->decl_count == LITMUS_DECLS_MAX)
        litmus_lexer_fail_token(&reader->lexer, name, "more than %d memory locations",
                                LITMUS_DECLS_MAX);
    char *text = token_copy(name);
    decl = program_decl(program, text, OBJECT_CELL, 1);
    free(text);
    program->decls[decl].size = 4;
    reader->symbols[decl] = (struct litmus_symbol){.type = {.size = 4, .sign = true}};
    return decl;
}

void litmus_reader_set_type(struct litmus_reader *reader, uint32_t decl, struct litmus_type type)
{
    struct decl *d = &reader->out->program.decls[decl];

    if (reader->symbols[decl].typed)
        return;
    reader->symbols[decl].type = type;
    reader->symbols[decl].typed = true;
    d->size = litmus_type_size(reader, type);
    if (type.lock && type.stars == 0)
        d->kind = OBJECT_SPIN;
}

int64_t litmus_reader_thread_number(const struct token *token)
{
    int64_t number = 0;

    if (token->kind != TOKEN_NAME || token->length < 2 || token->length > 4 ||
        token->text[0] != 'P')
        return -1;
    for (uint32_t i = 1; i < token->length; i++) {
        if (token->text[i] < '0' || token->text[i] > '9')
            return -1;
        number = number * 10 + token->text[i] - '0';
    }
    return number;
}

uint32_t litmus_reader_thread(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct program *program = &reader->out->program;
    char name[16];

    snprintf(name, sizeof(name), "P%u", program->thread_count);
    if (!litmus_lexer_at(lexer, name))
        litmus_lexer_fail(lexer, "expected thread %s, found %s", name,
                          token_show(&lexer->token).text);
    if (program->thread_count == LITMUS_THREADS_MAX)
        litmus_lexer_fail(lexer, "more than %d threads", LITMUS_THREADS_MAX);
    litmus_lexer_next(lexer);
    return program_thread(program, name);
}

uint8_t litmus_type_size(const struct litmus_reader *reader, struct litmus_type type)
{
    return type.stars > 0 ? reader->arch->pointer_size : type.size;
}

/* Words that make up a type. size 0: says something of the type, but not its size. */
static const struct type_word {
    const char *text;
    uint8_t size;
    bool sign, lock;
} type_words[] = {
    {"const", 0, true, false},          {"volatile", 0, true, false},
    {"_Atomic", 0, true, false},        {"atomic", 0, true, false},
    {"struct", 0, true, false},         {"signed", 0, true, false},
    {"unsigned", 0, false, false},      {"char", 1, true, false},
    {"_Bool", 1, false, false},         {"bool", 1, false, false},
    {"short", 2, true, false},          {"int", 4, true, false},
    {"long", 8, true, false},           {"int8_t", 1, true, false},
    {"uint8_t", 1, false, false},       {"int16_t", 2, true, false},
    {"uint16_t", 2, false, false},      {"int32_t", 4, true, false},
    {"uint32_t", 4, false, false},      {"int64_t", 8, true, false},
    {"uint64_t", 8, false, false},      {"intptr_t", 8, true, false},
    {"uintptr_t", 8, false, false},     {"size_t", 8, false, false},
    {"atomic_bool", 1, false, false},   {"atomic_char", 1, true, false},
    {"atomic_short", 2, true, false},   {"atomic_int", 4, true, false},
    {"atomic_uint", 4, false, false},   {"atomic_long", 8, true, false},
    {"atomic_ulong", 8, false, false},  {"atomic_llong", 8, true, false},
    {"atomic_ullong", 8, false, false}, {"atomic_int8_t", 1, true, false},
    {"atomic_t", 4, true, false},       {"atomic64_t", 8, true, false},
    {"spinlock_t", 4, true, true},      {"mtx_t", 4, true, true},
    {"mutex", 4, true, true},           {"void", 1, true, false},
};

static const struct type_word *find_type_word(const struct token *token)
{
    for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++) {
        if (token->kind == TOKEN_NAME && token_is(token, type_words[i].text))
            return &type_words[i];
    }
    return NULL;
}

bool litmus_type_starts(const struct litmus_reader *reader)
{
    return find_type_word(&reader->lexer.token) != NULL;
}

/* Adds a word: "long int" and "int long" are both long, "unsigned" alone is an unsigned int. */
static void add_type_word(struct litmus_type *type, const struct type_word *word)
{
    if (word->size != 0 && !(word->size == 4 && type->size != 0))
        type->size = word->size;
    type->sign &= word->sign;
    type->lock |= word->lock;
}

struct litmus_type litmus_type_read(struct litmus_reader *reader)
{
    struct litmus_type type = {.sign = true};
    const struct type_word *word;

    while ((word = find_type_word(&reader->lexer.token))) {
        add_type_word(&type, word);
        litmus_lexer_next(&reader->lexer);
        if (litmus_lexer_at(&reader->lexer, "(") && word->size == 0) { /* _Atomic(int) */
            litmus_lexer_next(&reader->lexer);
            if (!find_type_word(&reader->lexer.token))
                litmus_lexer_fail(&reader->lexer, "expected a type, found %s",
                                  token_show(&reader->lexer.token).text);
            add_type_word(&type, find_type_word(&reader->lexer.token));
            litmus_lexer_next(&reader->lexer);
            litmus_lexer_expect(&reader->lexer, ")");
        }
    }
    if (type.size == 0)
        type.size = 4;
    return type;
}

void litmus_type_read_stars(struct litmus_reader *reader, struct litmus_type *type)
{
    for (;;) {
        if (litmus_lexer_accept(&reader->lexer, "*")) {
            if (++type->stars > 8)
                litmus_lexer_fail(&reader->lexer, "too many pointers in a type");
        } else if (!litmus_lexer_accept(&reader->lexer, "volatile") &&
                   !litmus_lexer_accept(&reader->lexer, "const")) {
            return;
        }
    }
}
