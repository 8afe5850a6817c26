#ifndef RADDLE_BASE_PLACE_H
#define RADDLE_BASE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a place in the source is of the system or of the library of C++: nobody looks for a bug there, but in what calls it. Any of them may
 * be NULL; without debug information, `line` is 0 and only the function tells. */
bool place_is_of_system(const char *file, const char *function, uint32_t line);

#endif
