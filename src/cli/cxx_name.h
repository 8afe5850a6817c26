#ifndef RADDLE_CLI_CXX_NAME_H
#define RADDLE_CLI_CXX_NAME_H

#include <stddef.h>

/* What a symbol is called in the source, without parameters: "std::ostream::operator<<" of "_ZNSolsEi". Written into `buffer`, which is returned; a symbol of C, or
 * one that nobody here can read, is returned as it is. */
const char *cxx_name(const char *symbol, char *buffer, size_t size);

#endif
