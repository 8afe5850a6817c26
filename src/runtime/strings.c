#include <stdlib.h>
#include <string.h>

#include "runtime/native.h"

/* Functions of libc that do nothing but access memory, byte by byte through the hooks. Where nobody else can look, libc's
 * own would do as well; but these are short, and a byte that is private costs a comparison. */

size_t __raddlestr_strlen(const char *s);
size_t __raddlestr_strnlen(const char *s, size_t max);
int __raddlestr_strcmp(const char *a, const char *b);
int __raddlestr_strncmp(const char *a, const char *b, size_t n);
char *__raddlestr_strcpy(char *to, const char *from);
char *__raddlestr_stpcpy(char *to, const char *from);
char *__raddlestr_strncpy(char *to, const char *from, size_t n);
char *__raddlestr_strcat(char *to, const char *from);
char *__raddlestr_strncat(char *to, const char *from, size_t n);
char *__raddlestr_strchr(const char *s, int c);
char *__raddlestr_strrchr(const char *s, int c);
int __raddlestr_memcmp(const void *a, const void *b, size_t n);
void *__raddlestr_memchr(const void *s, int c, size_t n);
char *__raddlestr_strdup(const char *s);
char *__raddlestr_strndup(const char *s, size_t max);
int __raddlestr_atoi(const char *s);
long __raddlestr_atol(const char *s);

static unsigned char get(const char *p)
{
    return __raddle_load1(p, HOOK_PLAIN, native_site());
}

static void put(char *p, unsigned char byte)
{
    __raddle_store1(p, byte, HOOK_PLAIN, native_site());
}

INTERPOSE size_t __raddlestr_strnlen(const char *s, size_t max)
{
    size_t n = 0;

    while (n < max && get(s + n))
        n++;
    return n;
}

INTERPOSE size_t __raddlestr_strlen(const char *s)
{
    return __raddlestr_strnlen(s, SIZE_MAX);
}

/* Compares up to `n` bytes; a 0 ends it if `text`. */
static int compare(const char *a, const char *b, size_t n, bool text)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = get(a + i), y = get(b + i);

        if (x != y)
            return x < y ? -1 : 1;
        if (text && !x)
            return 0;
    }
    return 0;
}

INTERPOSE int __raddlestr_strcmp(const char *a, const char *b)
{
    return compare(a, b, SIZE_MAX, true);
}

INTERPOSE int __raddlestr_strncmp(const char *a, const char *b, size_t n)
{
    return compare(a, b, n, true);
}

INTERPOSE int __raddlestr_memcmp(const void *a, const void *b, size_t n)
{
    return compare(a, b, n, false);
}

INTERPOSE char *__raddlestr_stpcpy(char *to, const char *from)
{
    for (;; to++, from++) {
        unsigned char byte = get(from);

        put(to, byte);
        if (!byte)
            return to;
    }
}

INTERPOSE char *__raddlestr_strcpy(char *to, const char *from)
{
    __raddlestr_stpcpy(to, from);
    return to;
}

INTERPOSE char *__raddlestr_strncpy(char *to, const char *from, size_t n)
{
    unsigned char byte = 1;

    for (size_t i = 0; i < n; i++) {
        if (byte)
            byte = get(from + i);
        put(to + i, byte);
    }
    return to;
}

INTERPOSE char *__raddlestr_strcat(char *to, const char *from)
{
    __raddlestr_stpcpy(to + __raddlestr_strlen(to), from);
    return to;
}

INTERPOSE char *__raddlestr_strncat(char *to, const char *from, size_t n)
{
    char *end = to + __raddlestr_strlen(to);
    size_t length = __raddlestr_strnlen(from, n);

    for (size_t i = 0; i < length; i++)
        put(end + i, get(from + i));
    put(end + length, 0);
    return to;
}

INTERPOSE void *__raddlestr_memchr(const void *s, int c, size_t n)
{
    const char *at = s;

    for (size_t i = 0; i < n; i++)
        if (get(at + i) == (unsigned char)c)
            return (void *)(at + i);
    return NULL;
}

INTERPOSE char *__raddlestr_strchr(const char *s, int c)
{
    for (;; s++) {
        unsigned char byte = get(s);

        if (byte == (unsigned char)c)
            return (char *)s;
        if (!byte)
            return NULL;
    }
}

INTERPOSE char *__raddlestr_strrchr(const char *s, int c)
{
    const char *last = NULL;

    for (;; s++) {
        unsigned char byte = get(s);

        if (byte == (unsigned char)c)
            last = s;
        if (!byte)
            return (char *)last;
    }
}

INTERPOSE char *__raddlestr_strndup(const char *s, size_t max)
{
    size_t length = __raddlestr_strnlen(s, max);
    char *copy = malloc(length + 1);

    for (size_t i = 0; copy && i < length; i++)
        copy[i] = (char)get(s + i);
    if (copy)
        copy[length] = '\0';
    return copy;
}

INTERPOSE char *__raddlestr_strdup(const char *s)
{
    return __raddlestr_strndup(s, SIZE_MAX);
}

/* No number is longer; what follows does not count. */
INTERPOSE long __raddlestr_atol(const char *s)
{
    char text[128];
    size_t length = __raddlestr_strnlen(s, sizeof text - 1);

    for (size_t i = 0; i < length; i++)
        text[i] = (char)get(s + i);
    text[length] = '\0';
    return strtol(text, NULL, 10);
}

INTERPOSE int __raddlestr_atoi(const char *s)
{
    return (int)__raddlestr_atol(s);
}
