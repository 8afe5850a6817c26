#include "cli/source.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONTEXT    8 /* lines before and after a place */
#define LINE_BYTES 400
#define FILE_SIZE  ((off_t)8 << 20)

/* One place that wants its lines. */
struct place {
    const char *file;
    uint32_t line;
};

typedef VEC(struct place) place_vec;

static void place_add(struct arena *arena, place_vec *places, const struct trace_site *site)
{
    if (site->file && site->line)
        vec_push(arena, places, (struct place){site->file, site->line});
}

static int place_compare(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = strcmp(a->file, b->file);

    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static void places_find(struct arena *arena, const struct trace *trace, place_vec *places)
{
    place_add(arena, places, &trace->bug.site);
    for (uint32_t i = 0; i < trace->threads.count; i++)
        place_add(arena, places, &trace->threads.at[i].created);
    for (uint32_t i = 0; i < trace->frames.count; i++)
        place_add(arena, places, &trace->frames.at[i].site);
    for (uint32_t i = 0; i < trace->steps.count; i++)
        place_add(arena, places, &trace->steps.at[i].site);
    for (uint32_t i = 0; i < trace->waits.count; i++)
        place_add(arena, places, &trace->waits.at[i].site);
    qsort(places->at, places->count, sizeof *places->at, place_compare);
}

/* A relative name is one of the directory where the compiler ran: this one, or that of the program. */
static FILE *source_open(const char *file, const char *program)
{
    const char *slash = strrchr(program, '/');
    FILE *stream = fopen(file, "rb");
    char path[PATH_MAX];

    if (stream || file[0] == '/' || !slash)
        return stream;
    if (snprintf(path, sizeof path, "%.*s/%s", (int)(slash - program), program, file) >= PATH_MAX)
        return NULL;
    return fopen(path, "rb");
}

static bool source_is_fit(FILE *stream, const char *file, struct trace *trace)
{
    struct stat source, program;

    if (fstat(fileno(stream), &source) != 0 || !S_ISREG(source.st_mode) ||
        source.st_size > FILE_SIZE)
        return false;
    if (stat(trace->program, &program) == 0 && source.st_mtime > program.st_mtime &&
        !trace_option(trace, "newer-source"))
        trace_set_option(trace, "newer-source", file);
    return true;
}

/* The lines of one file; `places` are its `count` places, sorted. */
static void file_fill(struct trace *trace, FILE *stream, const struct place *places, uint32_t count)
{
    uint32_t index = trace_add_file(trace, places->file), number = 0;
    char *line = NULL;
    size_t room = 0;
    ssize_t got;

    while (count && (got = getline(&line, &room, stream)) >= 0) {
        size_t length = strcspn(line, "\r\n");

        number++;
        while (count && (uint64_t)places->line + CONTEXT < number) {
            places++;
            count--;
        }
        if (count && (uint64_t)number + CONTEXT >= places->line)
            trace_add_line(trace, index, number, line, length < LINE_BYTES ? length : LINE_BYTES);
    }
    free(line);
}

void source_fill(struct trace *trace)
{
    place_vec places = {0};
    uint32_t end;

    places_find(&trace->arena, trace, &places);
    for (uint32_t i = 0; i < places.count; i = end) {
        FILE *stream = source_open(places.at[i].file, trace->program);

        for (end = i; end < places.count && strcmp(places.at[end].file, places.at[i].file) == 0;)
            end++;
        if (stream && source_is_fit(stream, places.at[i].file, trace))
            file_fill(trace, stream, places.at + i, end - i);
        if (stream)
            fclose(stream);
    }
}
