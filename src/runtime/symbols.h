#ifndef RADDLE_RUNTIME_SYMBOLS_H
#define RADDLE_RUNTIME_SYMBOLS_H

#include <stdint.h>

/* The name of the variable or function of the program, static ones too, that `addr` lies in, with the bytes from its
 * start in *offset; NULL if none is known. Reads the program's file at the first call: for reports only. */
const char *symbols_find(uint64_t addr, uint64_t *offset);

#endif
