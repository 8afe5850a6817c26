// EXPECT: incomplete
// NAMES: __VERIFIER_nondet_int
// The annotations, and those of the competition on software verification: 2 * 2 * 2 … executions, of which the assumptions keep a few.
#include "conform.h"
#include <raddle.h>

_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
void __VERIFIER_assume(int);
void assume_abort_if_not(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_error(void);
void reach_error(void);

static int x, y;

static void *adds(void *argument)
{
    raddle_atomic_begin();
    x++;
    y++;
    raddle_atomic_end();
    __VERIFIER_atomic_begin();
    if (x != y)
        __VERIFIER_error();
    __VERIFIER_atomic_end();
    return argument;
}

static void program(void)
{
    pthread_t a, b;
    unsigned long long sum = 0;

    sum += __VERIFIER_nondet_bool();
    sum += (unsigned long long)__VERIFIER_nondet_char();
    __VERIFIER_assume(sum == 1);
    sum += (unsigned long long)__VERIFIER_nondet_schar() + __VERIFIER_nondet_uchar();
    assume_abort_if_not(sum == 2);
    sum += (unsigned long long)__VERIFIER_nondet_short() + __VERIFIER_nondet_ushort();
    raddle_assume(sum == 3);
    sum += (unsigned long long)__VERIFIER_nondet_int() + __VERIFIER_nondet_uint();
    raddle_assume(sum == 4);
    sum += (unsigned long long)__VERIFIER_nondet_long() + __VERIFIER_nondet_ulong();
    raddle_assume(sum == 5);
    sum += (unsigned long long)__VERIFIER_nondet_longlong() + __VERIFIER_nondet_ulonglong();
    raddle_assert(sum >= 5 && sum <= 7);
    if (raddle_choose(3) > 2)
        reach_error();
    pthread_create(&a, NULL, adds, NULL);
    pthread_create(&b, NULL, adds, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(x == 2 && y == 2);
}
