#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

struct text text_open(char *at, size_t size)
{
    at[0] = '\0';
    return (struct text){at, size, 0};
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->at + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length;
    if (text->used >= text->size)
        text->used = text->size - 1;
}
