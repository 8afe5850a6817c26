#include "base/place.h"

#include <stddef.h>
#include <string.h>

static bool begins_with(const char *text, const char *const *starts)
{
    for (; text && *starts; starts++)
        if (strncmp(text, *starts, strlen(*starts)) == 0)
            return true;
    return false;
}

bool place_is_of_system(const char *file, const char *function, uint32_t line)
{
    static const char *const files[] = {"/usr/include/", "/usr/lib/", NULL};
    static const char *const scopes[] = {"std::", "__gnu_cxx::", "__gthread_", NULL};

    return begins_with(file, files) || (line == 0 && begins_with(function, scopes));
}
