#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/core/kernel.h"
#include "runtime/program/native.h"

/* Assertions and annotations. */

static const char *message_of(const char *format, const char *a, const char *b, unsigned line)
{
    static char text[512]; /* outlives a run: before the session is there, it is the message */

    snprintf(text, sizeof text, format, a, b, line);
    return native.session ? native_text(text) : text;
}

static _Noreturn void fail_outside(const char *message)
{
    fprintf(stderr, "%s\n", message);
    kernel_exit(134);
}

INTERPOSE _Noreturn void raddle_fail(const char *expression, const char *file, unsigned line)
{
    const char *message = message_of("assertion '%s' fails (%s:%u)", expression, file, line);

    if (!native.current) {
        constructors_leave();
        fail_outside(message);
    }
    native_crash(BUG_ASSERTION, message);
}

INTERPOSE _Noreturn void __assert_fail(const char *expression, const char *file, unsigned line,
                                       const char *function)
{
    (void)function;
    raddle_fail(expression, file, line);
}

INTERPOSE _Noreturn void reach_error(void)
{
    raddle_fail("reach_error() is never called", "", 0);
}

INTERPOSE _Noreturn void __VERIFIER_error(void)
{
    raddle_fail("__VERIFIER_error() is never called", "", 0);
}

INTERPOSE void raddle_assume(int condition)
{
    struct op op = native_op(OP_ASSUME, NULL);

    if (condition || !native.current)
        return;
    native_ask(&op);
}

INTERPOSE void __VERIFIER_assume(int condition)
{
    raddle_assume(condition);
}

INTERPOSE void assume_abort_if_not(int condition)
{
    raddle_assume(condition);
}

INTERPOSE unsigned raddle_choose(unsigned n)
{
    struct op op = native_op(OP_CHOOSE, NULL);

    if (n <= 1 || !native.current)
        return 0;
    op.value = n;
    return (unsigned)native_ask(&op);
}

static void section_begin(uint8_t variant)
{
    struct op op = native_op(OP_SECTION_BEGIN, NULL);

    op.variant = variant;
    if (native.current && !native.alone && native.current->sections++ == 0)
        native_ask(&op);
}

void native_section_begin(void)
{
    section_begin(0);
}

void native_section_end(void)
{
    struct op op = native_op(OP_SECTION_END, NULL);

    if (native.current && native.current->sections > 0 && --native.current->sections == 0)
        native_ask(&op);
}

INTERPOSE void raddle_atomic_begin(void)
{
    section_begin(OP_VARIANT_ANNOTATED);
}

INTERPOSE void raddle_atomic_end(void)
{
    native_section_end();
}

INTERPOSE void __VERIFIER_atomic_begin(void)
{
    raddle_atomic_begin();
}

INTERPOSE void __VERIFIER_atomic_end(void)
{
    raddle_atomic_end();
}

/* A nondeterministic number: from 0 to a bound that an option sets. That is not all it could be, so the verdict is
 * incomplete unless the type has no other values. */
static unsigned choose_number(const char *name, unsigned values)
{
    unsigned bound = native.session ? native.session->nondet_max + 1 : 1;

    if (bound < values)
        native_unsupported(name);
    return raddle_choose(bound < values ? bound : values);
}

#define NONDET(type, name, values)                                                                 \
    INTERPOSE type __VERIFIER_nondet_##name(void)                                                  \
    {                                                                                              \
        return (type)choose_number("__VERIFIER_nondet_" #name ", beyond --nondet-max", values);    \
    }

NONDET(_Bool, bool, 2)
NONDET(char, char, 256)
NONDET(signed char, schar, 256)
NONDET(unsigned char, uchar, 256)
NONDET(short, short, 65536)
NONDET(unsigned short, ushort, 65536)
NONDET(int, int, UINT32_MAX)
NONDET(unsigned, uint, UINT32_MAX)
NONDET(long, long, UINT32_MAX)
NONDET(unsigned long, ulong, UINT32_MAX)
NONDET(long long, longlong, UINT32_MAX)
NONDET(unsigned long long, ulonglong, UINT32_MAX)
