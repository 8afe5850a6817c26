#include "cli/cc_hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 20)

/* Names of warnings that clang 19 takes for errors, and gcc before version 14 does not. */
static const char *const old_c[] = {"implicit-function-declaration", "implicit-int",
                                    "int-conversion", "incompatible-function-pointer-types",
                                    "return-mismatch"};

/* The names stand in the file as they are, whole and not in capitals; so does the text of messages, where a name has "-W" before it. */
static bool names(const char *file, size_t length, const char *name)
{
    size_t size = strlen(name);
    const char *at = file, *end = file + length;

    while ((at = memmem(at, (size_t)(end - at), name, size))) {
        bool begins = at == file || !strchr("-abcdefghijklmnopqrstuvwxyz", at[-1]) || !at[-1];
        bool ends =
            at + size == end || !strchr("-abcdefghijklmnopqrstuvwxyz", at[size]) || !at[size];

        if (begins && ends)
            return true;
        at += size;
    }
    return false;
}

static size_t file_take(const char *path, char *text)
{
    FILE *stream = fopen(path, "rb");
    size_t length = stream ? fread(text, 1, FILE_MAX, stream) : 0;

    if (stream)
        fclose(stream);
    return length;
}

static void hint_old_c(const char *text, size_t length)
{
    bool any = false;

    for (size_t i = 0; i < sizeof old_c / sizeof *old_c; i++)
        if (names(text, length, old_c[i])) {
            fprintf(stderr, "%s -Wno-error=%s",
                    any ? ""
                        : "raddle: hint: gcc may take this with a warning; so does raddle cc with "
                          "these options:",
                    old_c[i]);
            any = true;
        }
    if (any)
        fprintf(stderr, "\n");
}

void cc_hint(const char *diagnostics, bool failed, bool is_cxx)
{
    char *text = malloc(FILE_MAX);
    size_t length = text ? file_take(diagnostics, text) : 0;

    if (failed && !is_cxx)
        hint_old_c(text, length);
    if (!failed && is_cxx && names(text, length, "return-type"))
        fprintf(stderr, "raddle: hint: where that `return` is missing, the program stops; "
                        "-fno-strict-return lets it go on, as gcc does\n");
    free(text);
}
