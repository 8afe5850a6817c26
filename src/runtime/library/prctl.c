#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"
#include "runtime/threads/attributes.h"

/* The name is the thread's, not that of the OS thread that all of them run on. */
static int name_request(int what, char *name)
{
    struct attributes_thread *own = attributes_of(native.current);

    if (what == PR_GET_NAME) {
        native_writes(name, sizeof own->name);
        memcpy(name, own->name, sizeof own->name);
        return 0;
    }
    native_reads(name, strnlen(name, sizeof own->name - 1) + 1);
    memset(own->name, 0, sizeof own->name);
    memcpy(own->name, name, strnlen(name, sizeof own->name - 1));
    return 0;
}

REAL_CALL(prctl)
INTERPOSE int prctl(int what, ...)
{
    unsigned long a[4];
    va_list list;

    va_start(list, what);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(list, unsigned long);
    va_end(list);
    if (native.current && a[0] && (what == PR_GET_NAME || what == PR_SET_NAME))
        return name_request(what, (char *)a[0]);
    request_begin(REQUEST_PRCTL, (unsigned long)what, (void *)a[0]);
    return request_end(REQUEST_PRCTL, (unsigned long)what, (void *)a[0],
                       REAL(prctl)(what, a[0], a[1], a[2], a[3]));
}
