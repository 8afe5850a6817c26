#include "base/demangled.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_OWN 400 /* bytes; what is longer helps nobody */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* What stands in brackets, with them: its end. */
static const char *group_end(const char *at)
{
    static const char opens[] = "<({[", closes[] = ">)}]";
    unsigned depth = 0;

    do {
        if (strchr(opens, *at))
            depth++;
        else if (strchr(closes, *at) && at[-1] != '-')
            depth--;
        at++;
    } while (*at && depth);
    return at;
}

/* Behind "operator", its sign: "operator()", "operator<<". */
static size_t sign_length(const char *at)
{
    if (starts_with(at, "()") || starts_with(at, "[]"))
        return 2;
    return strspn(at, "<>=!+-*/%^&|~,");
}

/* "{lambda(int)#2}": nothing, or " #2" of another than the first one of its function. */
static void add_lambda_number(struct text *t, const char *lambda, const char *end)
{
    const char *sign = end;

    while (sign > lambda && *sign != '#')
        sign--;
    if (*sign == '#' && end - sign > 2 && !starts_with(sign, "#1}"))
        text_add(t, " %.*s", (int)(end - 1 - sign), sign);
}

/* Where the name begins, if the type of a result is before it. */
static const char *behind_result(const char *words)
{
    const char *name = words;

    for (const char *at = words; *at && !starts_with(at, "operator");) {
        if (*at == ' ')
            name = at + 1;
        at = *at == '(' ? group_end(at) : at + 1;
    }
    return name;
}

/* One function, up to a lambda in it or to the end: without parameters, result, arguments of templates and qualifiers. Returns that
 * lambda, or the end. */
static const char *add_scope(struct text *t, const char *at)
{
    const char *begin = at;
    char words[NAME_MAX_OWN];
    struct text name = text_open(words, sizeof words);

    while (*at && *at != '{') {
        const char *open = at, *end = strchr("<([", *at) ? group_end(at) : at + 1;

        if (at - begin >= 8 && strncmp(at - 8, "operator", 8) == 0 && sign_length(at)) {
            text_add(&name, "%.*s", (int)sign_length(at), at);
            at += sign_length(at);
            continue;
        }
        if (end == at + 1)
            text_add(&name, "%c", *at);
        else if (starts_with(at, "(anonymous namespace)"))
            text_add(&name, "%.*s", (int)(end - at), at);
        at = starts_with(end, " const::") ? end + strlen(" const") : end;
        if (*open == '(' && !starts_with(at, "::") && name.used &&
            !starts_with(open, "(anonymous namespace)"))
            at = strchr(at, '\0'); /* these were its parameters */
    }
    while (name.used >= 2 && strcmp(words + name.used - 2, "::") == 0)
        words[name.used -= 2] = '\0';
    while (name.used >= 1 && words[name.used - 1] == ' ')
        words[--name.used] = '\0';
    text_add(t, "%s", behind_result(words));
    return at;
}

/* clang calls a lambda that other files cannot see "f::$_0". */
static void add_plain(struct text *t, const char *words)
{
    const char *lambda = strstr(words, "::$_");
    unsigned number = lambda ? (unsigned)strtoul(lambda + 4, NULL, 10) : 0;

    if (!lambda)
        text_add(t, "%s", words);
    else if (number == 0)
        text_add(t, "lambda in %.*s", (int)(lambda - words), words);
    else
        text_add(t, "lambda #%u in %.*s", number + 1, (int)(lambda - words), words);
}

/* "f()::{lambda()#1}::operator()() const" is a lambda in f; inner ones come last there, first here. */
void demangled_function(struct text *t, const char *at)
{
    char words[NAME_MAX_OWN];
    struct text scope = text_open(words, sizeof words);
    const char *end = add_scope(&scope, at);

    if (!starts_with(end, "{lambda(")) {
        add_plain(t, words);
        return;
    }
    do {
        char inner[NAME_MAX_OWN];
        struct text outer = text_open(inner, sizeof inner);
        const char *behind = group_end(end);

        text_add(&outer, "lambda");
        add_lambda_number(&outer, end, behind);
        text_add(&outer, " in %s", words);
        scope = text_open(words, sizeof words);
        text_add(&scope, "%s", inner);
        end = strstr(behind, "::{lambda(");
        end = end ? end + 2 : NULL;
    } while (end);
    text_add(t, "%s", words);
}

void demangled_callable(struct text *t, const char *state)
{
    static const char before[] = "_Invoker<std::tuple<";
    const char *at = strstr(state, before), *end;
    char type[NAME_MAX_OWN];
    struct text name = text_open(type, sizeof type);

    if (!at)
        return;
    at += sizeof before - 1;
    for (end = at; *end && *end != ',' && *end != '>';)
        end = strchr("<({[", *end) ? group_end(end) : end + 1;
    text_add(&name, "%.*s", (int)(end - at), at);
    if (starts_with(type, "std::__future_base::"))
        text_add(t, "std::async");
    else if (strstr(type, "(*)("))
        text_add(t, DEMANGLED_POINTER);
    else if (strstr(type, "::*)("))
        text_add(t, DEMANGLED_MEMBER_POINTER);
    else
        demangled_function(t, type);
}
