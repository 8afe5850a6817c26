#ifndef RADDLE_SCRIPT_READ_ERROR_H
#define RADDLE_SCRIPT_READ_ERROR_H

/* Why a reader (text form, litmus test) refused its input. Header only: both readers share it. */

#include <stdint.h>
#include <stdio.h>

struct read_error {
    char message[200]; /* one line, printable, without a place */
    uint32_t line;     /* 1-based; 0: the input as a whole */
    uint32_t column;   /* 1-based, in bytes; 0: the line as a whole */
};

/* Writes "file:line:column: message" without a newline, shortened to `size` bytes if need be; leaves
 * out what is 0 or NULL. Returns `buffer`. */
static inline const char *read_error_format(const struct read_error *error, const char *file,
                                            char *buffer, size_t size)
{
    char place[32] = "";

    if (error->line != 0 && error->column != 0)
        snprintf(place, sizeof(place), ":%u:%u", (unsigned)error->line, (unsigned)error->column);
    else if (error->line != 0)
        snprintf(place, sizeof(place), ":%u", (unsigned)error->line);
    snprintf(buffer, size, "%s%s: %s", file ? file : "input", place, error->message);
    return buffer;
}

#endif
