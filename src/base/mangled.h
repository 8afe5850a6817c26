#ifndef RADDLE_BASE_MANGLED_H
#define RADDLE_BASE_MANGLED_H

#include <stddef.h>

/* The C++ name behind a symbol, without its parameters: "app::queue::put" of "_ZN3app5queue3putEi". Written into `buffer`, which is
 * returned; a symbol of C, or one that takes more to read than names in scopes (templates, operators), is returned as it is. */
const char *mangled_name(const char *symbol, char *buffer, size_t size);

#endif
