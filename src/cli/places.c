#include "cli/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* cmake/places.cmake knows the ways of this build. */
#ifndef RADDLE_BIN_TO_PRIVATE
#define RADDLE_BIN_TO_PRIVATE "../lib/raddle"
#define RADDLE_BIN_TO_INCLUDE "../include"
#endif

/* The directory `way` from `from`, without links and dots, if it holds `name`; else "". */
static bool place_find(char place[PATH_MAX], const char *from, const char *way, const char *name)
{
    char path[3 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", from, way);
    if (realpath(path, place)) {
        snprintf(path, sizeof path, "%s/%s", place, name);
        if (access(path, R_OK) == 0)
            return true;
    }
    *place = '\0';
    return false;
}

bool places_find(struct places *places)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length <= 0) {
        fprintf(stderr, "raddle: /proc/self/exe cannot be read\n");
        return false;
    }
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    if (place_find(places->libraries, self, ".", "raddle_pass.so")) {
        place_find(places->include, self, "include", "raddle.h");
        return true;
    }
    place_find(places->include, self, RADDLE_BIN_TO_INCLUDE, "raddle.h");
    if (place_find(places->libraries, self, RADDLE_BIN_TO_PRIVATE, "raddle_pass.so"))
        return true;
    fprintf(stderr, "raddle: raddle_pass.so is neither in %s nor in %s/%s\n", self, self,
            RADDLE_BIN_TO_PRIVATE);
    return false;
}
