// stat under the names of programs that were built long ago: the linker would not find them.
#include "conform.h"
#include <dlfcn.h>
#include <sys/stat.h>

static void program(void)
{
    struct stat status;
    int (*__xstat)(int, const char *, struct stat *) = dlsym(RTLD_DEFAULT, "__xstat");
    int (*__lxstat)(int, const char *, struct stat *) = dlsym(RTLD_DEFAULT, "__lxstat");
    int (*__fxstat)(int, int, struct stat *) = dlsym(RTLD_DEFAULT, "__fxstat");
    void (*cfree)(void *) = dlsym(RTLD_DEFAULT, "cfree");

    SYS(__xstat(1, "/", &status));
    NUM(S_ISDIR(status.st_mode));
    SYS(__lxstat(1, "conform.none", &status));
    SYS(__fxstat(1, 0, &status));
    SYS(__fxstat(1, 999, &status));
    if (cfree)
        cfree(malloc(1));
}
