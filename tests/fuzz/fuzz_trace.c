/* Any bytes: the reader of traces refuses them with a line and a reason, or gives a trace that
 * comes out the same when it is written, read and written again, and that can be shown at any
 * width. Chance does not find checksums, so each input is tried as it is and with the last line
 * that it needs. */

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace/lanes.h"
#include "trace/report.h"

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_trace: %s\n", what);
        abort();
    }
}

static char *written(const struct trace *trace, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);

    require(stream && trace_write(trace, stream), "no memory");
    fclose(stream);
    return text;
}

/* No control characters, and none but ASCII. */
static void require_clean(const char *text)
{
    for (; *text; text++)
        require(*text == '\n' || (*text >= ' ' && *text < 0x7f),
                "a character that cannot be shown");
}

static void show(const struct trace *trace, uint32_t width)
{
    struct lanes_style style = {.width = width};
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    require(stream != NULL, "no memory");
    require(lanes_print(trace, &style, stream) == 0, "lanes");
    require(lanes_print_list(trace, &style, stream) == 0, "list");
    style.unicode = style.colour = true;
    fflush(stream);
    require_clean(text);
    require(strlen(text) == length, "a zero byte");
    require(lanes_print(trace, &style, stream) == 0, "lanes");
    fclose(stream);
    free(text);
}

/* Every format takes every trace that was read. */
static void report(const struct trace *trace)
{
    for (int i = 0; i < REPORT_COUNT; i++) {
        char *text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);

        require(stream != NULL, "no memory");
        require(reports[i]->write_trace(trace, &(struct report_options){0}, stream),
                "a format refuses it");
        fclose(stream);
        require(strlen(text) == length, "a zero byte in a report");
        free(text);
    }
}

static void try_text(const char *text, size_t length)
{
    struct trace trace, again;
    struct trace_error error;
    size_t first_length, second_length;
    char *first, *second;

    if (!trace_read(text, length, &trace, &error)) {
        require(error.message[0] != '\0', "an error without a message");
        require_clean(error.message);
        require(!trace.arena.base, "an error, but a trace too");
        return;
    }
    first = written(&trace, &first_length);
    require(trace_read(first, first_length, &again, &error), "what was written is refused");
    second = written(&again, &second_length);
    require(first_length == second_length && memcmp(first, second, first_length) == 0,
            "written twice, two files");
    report(&trace);
    show(&trace, 40 + (uint32_t)(length % 100));
    free(first);
    free(second);
    trace_free(&trace);
    trace_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 32);

    require(text != NULL, "no memory");
    if (size)
        memcpy(text, data, size);
    try_text((const char *)data, size);
    snprintf(text + size, 32, "end %016" PRIx64 "\n", (uint64_t)XXH3_64bits(data, size));
    try_text(text, size + 21);
    free(text);
    return 0;
}
