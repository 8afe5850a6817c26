#include "trace/utf8.h"

#include <stdlib.h>
#include <string.h>

static bool is_tail(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t utf8_decode(const char *at, const char *end, uint32_t *character)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*at;
    size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (length == 0 || first >= 0xf8 || (size_t)(end - at) < length)
        return 0;
    *character = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (!is_tail(at[i]))
            return 0;
        *character = *character << 6 | ((unsigned char)at[i] & 0x3f);
    }
    /* longer than needed, half of a UTF-16 pair, or beyond Unicode */
    if (*character < smallest[length] || (*character & ~0x7ffu) == 0xd800 || *character > 0x10ffff)
        return 0;
    return length;
}

struct range {
    uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t character)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}

#define IN(ranges, character) in_ranges((ranges), sizeof(ranges) / sizeof *(ranges), (character))

bool utf8_is_shown(uint32_t character)
{
    static const struct range hidden[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, /* zero width, direction marks */
        {0x2028, 0x202e},                   /* line ends, direction */
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}, /* tags */
    };

    return !IN(hidden, character);
}

/* The large blocks are enough: a mistake only bends a column. */
unsigned utf8_columns(uint32_t character)
{
    static const struct range combining[] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
        {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    };
    static const struct range wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
    };

    if (character < 0x300)
        return 1;
    if (IN(combining, character))
        return 0;
    return IN(wide, character) ? 2 : 1;
}

char *utf8_repair(const char *text, size_t *length, bool controls)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *end = text + *length;
    char *clean = malloc(3 * *length + 1), *to = clean;

    if (!clean)
        return NULL;
    while (text < end) {
        uint32_t character;
        size_t size = utf8_decode(text, end, &character);
        bool fine =
            size &&
            (controls || (character >= ' ' && character != 0x7f && (character & ~1u) != 0xfffe) ||
             character == '\n' || character == '\t');

        memcpy(to, fine ? text : replacement, fine ? size : 3);
        to += fine ? size : 3;
        text += size ? size : 1;
    }
    *to = '\0';
    *length = (size_t)(to - clean);
    return clean;
}
