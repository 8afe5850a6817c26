#ifndef RADDLE_TESTS_ENGINE_FILE_H
#define RADDLE_TESTS_ENGINE_FILE_H

#include <stdbool.h>

#include "script/program.h"

/* Reads a script. False if that fails: then it has told why. */
bool file_read(const char *path, struct program *program);

#endif
