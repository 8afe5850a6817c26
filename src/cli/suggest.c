#include <string.h>

#include "cli/cli.h"

#define WORD_MAX 40 /* longer ones are no slips of the finger */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* How many letters must be put in, left out, changed, or swapped with their neighbour, to make one
 * word of the other. Row i of the usual table needs the two rows before it only. */
static unsigned distance(const char *a, size_t la, const char *b, size_t lb)
{
    unsigned rows[3][WORD_MAX + 1];

    for (unsigned j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < row[j])
                row[j] = two_above[j - 2] + 1;
        }
    }
    return rows[la % 3][lb];
}

/* Three letters or more that a longer word begins with are taken for it, whatever is missing. */
static bool is_beginning(const char *word, size_t length, const char *candidate)
{
    return length >= 3 && strlen(candidate) > length && memcmp(word, candidate, length) == 0;
}

void suggestion_try(struct suggestion *best, const char *word, size_t length, const char *candidate)
{
    size_t longer = strlen(candidate);
    unsigned far;

    if (length == 0 || length > WORD_MAX || longer > WORD_MAX)
        return;
    far = is_beginning(word, length, candidate) ? 1 : distance(word, length, candidate, longer);
    if (longer < length)
        longer = length;
    if (far > (longer + 1) / 3 || (best->nearest && best->distance <= far))
        return;
    best->nearest = candidate;
    best->distance = far;
}
