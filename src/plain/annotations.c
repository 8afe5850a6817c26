#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "plain/plain.h"

/* What the annotations of raddle.h, and those of SV-COMP, mean to a program that is not checked: of all that could be, one case. */

EXPORTED _Noreturn void raddle_fail(const char *expression, const char *file, unsigned line)
{
    fflush(stdout);
    fprintf(stderr, "%s:%u: assertion '%s' fails\n", file, line, expression);
    abort();
}

EXPORTED _Noreturn void reach_error(void)
{
    raddle_fail("reach_error() is never called", "", 0);
}

EXPORTED _Noreturn void __VERIFIER_error(void)
{
    raddle_fail("__VERIFIER_error() is never called", "", 0);
}

/* A run that does not count ends here, and has not failed. */
EXPORTED void raddle_assume(int condition)
{
    if (condition)
        return;
    fflush(NULL);
    _exit(0);
}

EXPORTED void __VERIFIER_assume(int condition)
{
    raddle_assume(condition);
}

EXPORTED void assume_abort_if_not(int condition)
{
    raddle_assume(condition);
}

EXPORTED unsigned raddle_choose(unsigned n)
{
    (void)n;
    return 0;
}

/* Threads that are in no section do not wait: a section is atomic to other sections. */
static pthread_mutex_t section = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

EXPORTED void raddle_atomic_begin(void)
{
    pthread_mutex_lock(&section);
}

EXPORTED void raddle_atomic_end(void)
{
    pthread_mutex_unlock(&section);
}

EXPORTED void __VERIFIER_atomic_begin(void)
{
    raddle_atomic_begin();
}

EXPORTED void __VERIFIER_atomic_end(void)
{
    raddle_atomic_end();
}

#define NONDET(type, name)                                                                         \
    EXPORTED type __VERIFIER_nondet_##name(void)                                                   \
    {                                                                                              \
        return 0;                                                                                  \
    }

NONDET(_Bool, bool)
NONDET(char, char)
NONDET(signed char, schar)
NONDET(unsigned char, uchar)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(int, int)
NONDET(unsigned, uint)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
