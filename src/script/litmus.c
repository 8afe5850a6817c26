#include "script/litmus.h"

#include "script/litmus_memory.h"
#include "script/litmus_reader.h"

static const struct litmus_arch *const archs[] = {
    &litmus_arch_x86,
    &litmus_arch_x86_64,
    &litmus_arch_c,
};

/* The next word of the title line: up to a blank. */
static struct token read_word(struct litmus_lexer *lexer)
{
    while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t'))
        lexer->at++;
    struct token word = {
        .kind = TOKEN_NAME,
        .text = lexer->at,
        .line = lexer->line,
        .column = (uint32_t)(lexer->at - lexer->line_start) + 1,
    };
    while (lexer->at < lexer->end && (unsigned char)*lexer->at > ' ')
        lexer->at++;
    word.length = (uint32_t)(lexer->at - word.text);
    if (word.length == 0 && lexer->at == lexer->end)
        word.kind = TOKEN_END;
    return word;
}

static const struct litmus_arch *find_arch(const struct token *word)
{
    for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
        if (token_is(word, archs[i]->name))
            return archs[i];
    }
    return NULL;
}

/* "X86 SB". Comments may come before it. */
static void read_title(struct litmus_reader *reader, const char *file)
{
    struct litmus_lexer *lexer = &reader->lexer;

    litmus_lexer_skip_blanks(lexer);
    struct token arch = read_word(lexer);
    if (arch.kind == TOKEN_END)
        litmus_lexer_fail_token(lexer, &arch, "the file is empty");
    reader->arch = find_arch(&arch);
    if (!reader->arch)
        litmus_lexer_fail_token(lexer, &arch,
                                "architecture %s is not supported; X86, X86_64 and C are",
                                token_show(&arch).text);
    lexer->c_comments = reader->arch->c_comments;
    reader->out->arch = token_copy(&arch);
    struct token name = read_word(lexer);
    if (name.length == 0 && !file)
        litmus_lexer_fail_token(lexer, &name, "expected the name of the test");
    for (uint32_t i = 0; i < name.length; i++) {
        if (name.text[i] < 0x20 || name.text[i] >= 0x7f)
            litmus_lexer_fail_token(lexer, &name, "the name of the test has an unprintable byte");
    }
    reader->out->name = name.length ? token_copy(&name) : litmus_copy(file, strlen(file));
}

static void skip_line(struct litmus_lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n')
        lexer->at++;
}

/* Skips what may stand between the title and the initial state: strings, key=value lines. */
static void skip_header(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;

    for (;;) {
        litmus_lexer_skip_blanks(lexer);
        if (lexer->at < lexer->end && *lexer->at == '"') {
            skip_line(lexer);
            continue;
        }
        litmus_lexer_next(lexer);
        if (litmus_lexer_at(lexer, "{"))
            return;
        if (lexer->token.kind != TOKEN_NAME)
            litmus_lexer_fail(lexer, "expected '{' and the initial state, found %s",
                              token_show(&lexer->token).text);
        struct token key = lexer->token;
        litmus_lexer_next(lexer);
        if (!litmus_lexer_at(lexer, "=") || lexer->token.line != key.line)
            litmus_lexer_fail_token(lexer, &key, "expected '{' and the initial state, found %s",
                                    token_show(&key).text);
        skip_line(lexer);
    }
}

/* Leaves by a jump when something is wrong. */
static void read_test(struct litmus_reader *reader, size_t length, const char *file)
{
    struct litmus_lexer *lexer = &reader->lexer;
    uint32_t line = 0;

    if (length > LITMUS_BYTES_MAX)
        litmus_lexer_fail_here(lexer, "larger than %d KiB: not a litmus test",
                               LITMUS_BYTES_MAX / 1024);
    read_title(reader, file);
    reader->out->program.name = litmus_copy(reader->out->name, strlen(reader->out->name));
    skip_header(reader);
    litmus_init_read(reader);
    reader->arch->read(reader);
    litmus_init_apply(reader);
    litmus_condition_read(reader);
    const char *wrong = program_check(&reader->out->program, &line);
    if (wrong) {
        struct token at = {.line = line};
        litmus_lexer_fail_token(lexer, &at, "%s", wrong);
    }
}

bool litmus_read(const char *source, size_t length, const char *file, struct litmus *out,
                 struct read_error *error)
{
    /* On the heap, so that nothing read after the jump lives in a register. */
    struct litmus_reader *reader = litmus_realloc(NULL, 1, sizeof(*reader));
    bool ok;

    memset(reader, 0, sizeof(*reader));
    memset(out, 0, sizeof(*out));
    memset(error, 0, sizeof(*error));
    out->filter = LITMUS_NONE;
    reader->out = out;
    reader->symbols = litmus_realloc(NULL, LITMUS_DECLS_MAX, sizeof(*reader->symbols));
    litmus_lexer_open(&reader->lexer, source, length, error);
    if (setjmp(reader->lexer.escape) == 0)
        read_test(reader, length, file);
    ok = error->message[0] == '\0';
    if (reader->arch && reader->code)
        reader->arch->close(reader);
    free(reader->symbols);
    free(reader->reg_inits);
    free(reader);
    if (!ok)
        litmus_free(out);
    return ok;
}

void litmus_free(struct litmus *litmus)
{
    program_free(&litmus->program);
    for (uint32_t i = 0; i < litmus->location_count; i++)
        free(litmus->locations[i].name);
    free(litmus->locations);
    free(litmus->observed);
    free(litmus->nodes);
    free(litmus->name);
    free(litmus->arch);
    memset(litmus, 0, sizeof(*litmus));
}
