#ifndef RADDLE_CLI_CC_HINT_H
#define RADDLE_CLI_CC_HINT_H

#include <stdbool.h>

/* What clang refuses and gcc takes: which options let it pass. `diagnostics` is a file that clang has written for programs
 * (--serialize-diagnostics), of a compilation that has failed, or not. Says nothing if there is nothing to say. */
void cc_hint(const char *diagnostics, bool failed, bool is_cxx);

#endif
