#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/driver.h"
#include "detect/suppression.h"

/* Takes one line into the session, or only checks it (`session` NULL). */
static bool line_take(struct session *session, const char *line, size_t length)
{
    struct suppression suppression;
    char *pattern;

    if (!suppression_read(line, length, &suppression))
        return false;
    if (!session || suppression.kind == SUPPRESSION_NONE)
        return true;
    pattern = arena_alloc(&session->arena, suppression.length + 1);
    memcpy(pattern, suppression.pattern, suppression.length);
    pattern[suppression.length] = '\0';
    vec_push(&session->arena, &session->suppressions,
             (struct session_suppression){.top = suppression.kind == SUPPRESSION_RACE_TOP,
                                          .pattern = pattern});
    return true;
}

bool suppressions_read(const char *file, struct session *session)
{
    size_t length, number = 1;
    char *text = input_read(file, &length), *line = text;

    if (!text)
        return false;
    for (; *line; number++) {
        size_t here = strcspn(line, "\n");

        if (!line_take(session, line, here)) {
            fprintf(stderr,
                    "raddle: %s:%zu: a suppression is a kind, a colon and a pattern, as in "
                    "race:function\n",
                    file, number);
            free(text);
            return false;
        }
        line += here + (line[here] == '\n');
    }
    free(text);
    return true;
}
