#ifndef RADDLE_RUNTIME_CORE_SYMBOLS_H
#define RADDLE_RUNTIME_CORE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* The name of the variable or function of the program, static ones too, that `addr` lies in, with the bytes from its
 * start in *offset; NULL if none is known. Reads the program's file at the first call: for reports only. */
const char *symbols_find(uint64_t addr, uint64_t *offset);

/* The section of that name of the i-th module that has one, in memory, and its bytes. False: there are not so many. */
bool symbols_section(unsigned i, const char *section, const void **start, uint64_t *bytes);

/* Whether `addr` lies in that section of a module: so that a pointer of a program that has gone mad can be judged. */
bool symbols_in_section(uint64_t addr, const char *section);

#endif
