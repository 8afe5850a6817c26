#ifndef RADDLE_CLI_PLACES_H
#define RADDLE_CLI_PLACES_H

#include <limits.h>
#include <stdbool.h>

#define PLACES_CHECKING                                                                            \
    "checking" /* below the libraries: the libraddle.so that checks (cmake/places.cmake) */

/* Where the parts of raddle are: in the build tree, or in an installation, wherever that has been moved to. */
struct places {
    char libraries[PATH_MAX]; /* the directory of libraddle.so and raddle_pass.so */
    char include[PATH_MAX];   /* that of raddle.h; "" if it is not there */
};

/* False, after one line on stderr, if the libraries are nowhere. */
bool places_find(struct places *places);

#endif
