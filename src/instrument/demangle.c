#include <stdlib.h>
#include <string.h>

#include "base/demangled.h"
#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Names of C++ as the source has them. */

/* Of the library of C++, which the plugin needs for its registration anyway. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

#define NAME_MAX_OWN 400

/* "a<b<c> >" is "a<b<c>>" in the source. */
static void brackets_close(char *name)
{
    char *to = name;

    for (const char *at = name; *at; at++)
        if (!(at > name && at[-1] == '>' && at[0] == ' ' && at[1] == '>'))
            *to++ = *at;
    *to = '\0';
}

const char *demangled_name(struct pass *pass, const char *symbol)
{
    char *name = starts_with(symbol, "_Z") ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
    char *copy;

    if (!name)
        return NULL;
    brackets_close(name);
    copy = arena_alloc(&pass->arena, strlen(name) + 1);
    strcpy(copy, name);
    free(name);
    return copy;
}

/* Adds to `start` what `add` makes of the symbol. */
static const char *shortened(struct pass *pass, const char *start, const char *symbol,
                             void (*add)(struct text *, const char *))
{
    const char *name = demangled_name(pass, symbol);
    char *words;
    struct text t;

    if (!name)
        return NULL;
    words = arena_alloc(&pass->arena, NAME_MAX_OWN);
    t = text_open(words, NAME_MAX_OWN);
    text_add(&t, "%s", start);
    add(&t, name);
    return t.used ? words : NULL;
}

const char *demangled_function_name(struct pass *pass, const char *symbol)
{
    return shortened(pass, "", symbol, demangled_function);
}

const char *demangled_pointer_name(struct pass *pass, const char *symbol)
{
    const char *end = symbol + strlen(symbol);

    if (starts_with(symbol, "_ZNSt6thread11_State_impl") && end - symbol > 9 &&
        strcmp(end - 9, "6_M_runEv") == 0)
        return shortened(pass, HOOK_THREAD_STATE, symbol, demangled_callable);
    return demangled_function_name(pass, symbol);
}
