#include "base/mangled.h"

#include <string.h>

#include "base/text.h"

/* One name with its length before it. Returns what follows, or NULL. */
static const char *add_part(struct text *t, const char *at)
{
    static const char unnamed[] = "_GLOBAL__N_";
    size_t length = 0;

    while (*at >= '0' && *at <= '9' && length < 10000)
        length = length * 10 + (size_t)(*at++ - '0');
    if (length == 0 || strnlen(at, length) < length)
        return NULL;
    if (strncmp(at, unnamed, sizeof unnamed - 1) == 0)
        text_add(t, "%s(anonymous namespace)", t->used ? "::" : "");
    else
        text_add(t, "%s%.*s", t->used ? "::" : "", (int)length, at);
    return at + length;
}

/* "St" and the qualifiers of a member function. */
static const char *skip_nested(struct text *t, const char *at)
{
    at += strspn(at, "rVKRO");
    if (strncmp(at, "St", 2) == 0) {
        text_add(t, "std");
        at += 2;
    }
    return at;
}

const char *mangled_name(const char *symbol, char *buffer, size_t size)
{
    struct text t = text_open(buffer, size);
    const char *at = symbol;

    if (!symbol || strncmp(symbol, "_Z", 2) != 0)
        return symbol;
    at += 2;
    if (*at == 'L')
        at++; /* static */
    if (*at != 'N') {
        at = add_part(&t, at);
        return at && *at != 'I' ? buffer : symbol;
    }
    at = skip_nested(&t, at + 1);
    while (at && *at && *at != 'E')
        at = *at == 'L' ? at + 1 : add_part(&t, at);
    return at && *at == 'E' && t.used ? buffer : symbol;
}
