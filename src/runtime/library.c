#include "runtime/library.h"

#include <stddef.h>
#include <string.h>

enum effect { PURE, STATE };

struct library_row {
    const char *name;
    enum effect effect;
};

static const struct library_row rows[] = {
#define LIBRARY(name, effect, accesses) {#name, effect},
#include "runtime/library.def"
#undef LIBRARY
};

const struct library_row *library_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

bool library_is_pure(const struct library_row *row)
{
    return row->effect == PURE;
}
