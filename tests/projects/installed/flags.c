/* Compiles only with CMAKE_C_FLAGS, and the options of the target or the directory. */
#include <assert.h>
#include "tally.h"

#if !FROM_FLAGS || !FROM_OPTIONS || !THREADS
#error a flag is missing
#endif

#ifdef NDEBUG
#error no assertion would fail
#endif
