#ifndef RADDLE_TRACE_UTF8_H
#define RADDLE_TRACE_UTF8_H

/* Text from outside: which bytes are characters, which may be shown, and how wide they are on a
 * terminal. Independent of the locale, so that files and tests look the same everywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at `at`, before `end`: its length in bytes, or 0 if there is no valid UTF-8. */
size_t utf8_decode(const char *at, const char *end, uint32_t *character);

/* Whether a terminal shows it as it is and where it is: no control, nor one that reverses text or
 * hides itself. */
bool utf8_is_shown(uint32_t character);

/* How many columns it takes: 0 (combining), 1 or 2. */
unsigned utf8_columns(uint32_t character);

/* A copy that is UTF-8, to be freed, or NULL: U+FFFD stands for each byte that is no part of a character and, unless
 * `controls`, for control characters other than newline and tab, which XML cannot hold. *length is that of the text,
 * then that of the copy. */
char *utf8_repair(const char *text, size_t *length, bool controls);

#endif
