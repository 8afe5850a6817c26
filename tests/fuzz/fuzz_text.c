/* Any bytes: the reader of the text form refuses them, or gives a program that passes program_check
 * and that comes out the same when it is printed and read again. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "script/text.h"

static char *printed(const struct program *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        abort();
    text_print(program, stream);
    fclose(stream);
    return text;
}

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_text: %s\n", what);
        abort();
    }
}

static void require_printable(const struct read_error *error)
{
    require(error->message[0] != '\0', "an error without a message");
    for (const char *c = error->message; *c; c++)
        require(*c >= ' ' && *c < 0x7f, "an error that cannot be printed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program program;
    struct program again;
    struct read_error error;
    uint32_t line;

    if (!text_read((const char *)data, size, "fuzz.script", &program, &error)) {
        require_printable(&error);
        require(program.thread_count == 0 && !program.threads, "an error, but a program too");
        return 0;
    }
    require(program_check(&program, &line) == NULL, "program_check refuses what was read");

    char *first = printed(&program);
    require(text_read(first, strlen(first), NULL, &again, &error), "what was printed is refused");
    char *second = printed(&again);
    require(strcmp(first, second) == 0, "printed twice, two texts");
    free(first);
    free(second);
    program_free(&program);
    program_free(&again);
    return 0;
}
