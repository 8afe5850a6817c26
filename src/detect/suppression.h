#ifndef RADDLE_DETECT_SUPPRESSION_H
#define RADDLE_DETECT_SUPPRESSION_H

#include <stdbool.h>
#include <stddef.h>

/* Lines of a suppressions file, as ThreadSanitizer has them: "race:pattern". */

enum suppression_kind {
    SUPPRESSION_NONE,     /* an empty line, a comment, or a kind that is not about data races */
    SUPPRESSION_RACE,     /* any function or file of either stack, or the global variable */
    SUPPRESSION_RACE_TOP, /* the innermost frame of either stack only */
};

struct suppression {
    enum suppression_kind kind;
    const char *pattern; /* in the line, not ended by a 0 */
    size_t length;
};

/* Reads one line, without its end. False: it is malformed. */
bool suppression_read(const char *line, size_t length, struct suppression *suppression);

/* Whether `text` holds the pattern: `*` stands for anything, `^` at its start and `$` at its end tie it to those of the text. */
bool suppression_matches(const char *pattern, const char *text);

#endif
