#include "cli/cxx_name.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangled.h"
#include "base/mangled.h"

typedef char *demangler(const char *symbol, char *buffer, size_t *size, int *status);

/* Programs of C++ come with a library that can read all names. raddle itself does without it. */
static demangler *demangler_find(void)
{
    static demangler *found;
    static bool tried;
    void *library;

    if (tried)
        return found;
    tried = true;
    library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library)
        found = (demangler *)dlsym(library, "__cxa_demangle");
    return found;
}

const char *cxx_name(const char *symbol, char *buffer, size_t size)
{
    demangler *demangle = strncmp(symbol, "_Z", 2) == 0 ? demangler_find() : NULL;
    struct text t = text_open(buffer, size);
    int status;
    char *full = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;

    if (!full)
        return mangled_name(symbol, buffer, size);
    demangled_function(&t, full);
    free(full);
    return buffer[0] ? buffer : symbol;
}
