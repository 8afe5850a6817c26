#ifndef RADDLE_BASE_TEXT_H
#define RADDLE_BASE_TEXT_H

#include <stddef.h>

/* A text in a buffer of the caller's: stops growing at its end, always with a 0 behind. */
struct text {
    char *at;
    size_t size, used;
};

/* An empty one. `size` is at least 1. */
struct text text_open(char *at, size_t size);

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
