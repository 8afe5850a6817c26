#include "detect/suppression.h"

#include <string.h>

static const struct {
    const char *word;
    enum suppression_kind kind;
} kinds[] = {
    {"race", SUPPRESSION_RACE},
    {"race_top", SUPPRESSION_RACE_TOP},
    {"thread", SUPPRESSION_NONE},
    {"mutex", SUPPRESSION_NONE},
    {"signal", SUPPRESSION_NONE},
    {"deadlock", SUPPRESSION_NONE},
    {"called_from_lib", SUPPRESSION_NONE},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool suppression_read(const char *line, size_t length, struct suppression *suppression)
{
    const char *colon;
    size_t word;

    *suppression = (struct suppression){SUPPRESSION_NONE, "", 0};
    while (length && is_blank(line[length - 1]))
        length--;
    while (length && is_blank(*line)) {
        line++;
        length--;
    }
    if (length == 0 || *line == '#')
        return true;
    colon = memchr(line, ':', length);
    if (!colon || colon + 1 == line + length)
        return false;
    word = (size_t)(colon - line);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].word) == word && memcmp(kinds[i].word, line, word) == 0) {
            *suppression = (struct suppression){kinds[i].kind, colon + 1, length - word - 1};
            return true;
        }
    return false;
}

/* `pattern` without anchors at the start of `text`; `whole`: up to its end. */
static bool matches_here(const char *pattern, const char *text, bool whole)
{
    const char *star = NULL, *resume = NULL;

    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '\0' || (*pattern == '$' && pattern[1] == '\0')) {
            if (!whole || *text == '\0')
                return true;
            if (!star)
                return false;
            pattern = star;
            text = ++resume;
        } else if (*text && *pattern == *text) {
            pattern++;
            text++;
        } else {
            if (!star || *text == '\0')
                return false;
            pattern = star;
            text = ++resume;
        }
    }
}

bool suppression_matches(const char *pattern, const char *text)
{
    size_t length = strlen(pattern);
    bool whole = length && pattern[length - 1] == '$';

    if (*pattern == '^')
        return matches_here(pattern + 1, text, whole);
    for (;; text++) {
        if (matches_here(pattern, text, whole))
            return true;
        if (*text == '\0')
            return false;
    }
}
