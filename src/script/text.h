#ifndef RADDLE_SCRIPT_TEXT_H
#define RADDLE_SCRIPT_TEXT_H

/* The text form of scripted programs. One thing a line; `#` starts a comment.
 *
 *   program NAME                 any characters; else the name of the file without its ending
 *   cell x = 1                   8 bytes; cell1, cell2, cell4, cell8
 *   cell a[6] = 0 3 &x           the rest is 0; &x, &a[2] and &[x+3] are addresses
 *   mutex m[128]                 also spin, rwlock, cond
 *   sem s = 1                    the value, 0 if not given
 *   barrier b = 2                how many threads it takes
 *   thread T
 *     reg r = 5, q = &x          initial values; else registers are 0, and exist by being used
 *     r = load a[2]              memory: x, a[NUMBER], a[REGISTER], x+4 (bytes), [r], [r+8]
 *     r = loadu4.acq [q]         u: without sign; 4: bytes; orders: rlx acq rel ar sc
 *     store x, r                 load and store are rlx if not said, the others sc
 *     r = cas x, 0, 1            expected, desired; the old value; also xchg add sub and or xor
 *     fence.rel
 *     lock m[r]                  all words of model/ops.def that programs may use
 *     r = timedwait c, m[0]
 *     create U                   a thread that no row creates starts at once
 *     r = choose 3
 *     let r = r + 1              operators: alu_kind_names; let r = sext q, 4
 *     if r == 0 goto L           also: if r goto L; assert r; assume r
 *     goto L
 *   L:
 *
 * A word that means something above cannot name anything. Declarations may stand anywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "script/program.h"
#include "script/read_error.h"

enum { TEXT_LENGTH_MAX = 16 << 20 };

/* Reads a whole program that passes program_check; the caller frees it. `source` need not end in 0
 * and may hold any bytes; time and memory grow linearly with `length`. `file` gives the program its
 * name if the source does not, and may be NULL. On false *out is empty and *error says why. */
bool text_read(const char *source, size_t length, const char *file, struct program *out,
               struct read_error *error);

/* Writes a program that passes program_check. Reading it again gives the same table, but for the line
 * numbers, the names that the text form cannot hold (they become _reg3, _decl3, _thread3), and fields
 * that mean nothing in their row. */
void text_print(const struct program *program, FILE *stream);

/* How a decl's kind is written, without size; NULL if it has no word. */
const char *text_kind_word(enum object_kind kind);

/* Whether a word means something in the text form by itself, so that it cannot be a name. */
bool text_word_reserved(const char *word, size_t length);

#endif
