/* Equal code with other names has equal fingerprints, place by place; other code has not. */
#include "runtime/hooks.h"

#include <stdio.h>
#include <string.h>

int cell, other;

__attribute__((noinline)) static int one(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        cell = i;
        sum += other;
    }
    cell = sum;
    return sum;
}

__attribute__((noinline)) static int two(int times)
{
    int total = 0;

    for (int round = 0; round < times; round++) {
        cell = round;
        total += other;
    }
    cell = total;
    return total;
}

__attribute__((noinline)) static int three(int times)
{
    int total = 0;

    for (int round = 0; round < times; round++) {
        cell = round;
        total -= other;
    }
    cell = total;
    return total;
}

#ifdef INSTRUMENTED
extern const struct raddle_site __start_raddle_sites[], __stop_raddle_sites[];

__attribute__((disable_sanitizer_instrumentation)) static int fingerprints(const char *function, uint64_t *all)
{
    int count = 0;

    for (const struct raddle_site *site = __start_raddle_sites; site < __stop_raddle_sites; site++)
        if (strcmp(site->function, function) == 0 && count < 8)
            all[count++] = site->residual;
    return count;
}

__attribute__((disable_sanitizer_instrumentation)) static void report(void)
{
    uint64_t a[8] = {0}, b[8] = {0}, c[8] = {0};
    int count = fingerprints("one", a);

    if (a[0] == 0 && count == 3) { /* switched off */
        puts("3 1 1 1");
        return;
    }
    printf("%d %d %d %d\n", count, count == fingerprints("two", b) && memcmp(a, b, sizeof a) == 0,
           fingerprints("three", c) == 3 && a[0] != c[0] && a[1] != c[1] && a[0] != a[2] && a[0] != a[1],
           a[2] == c[2]);
}
#else
static void report(void)
{
    puts("3 1 1 1");
}
#endif

int main(void)
{
    printf("%d\n", one(3) + two(2) + three(1));
    report();
    return 0;
}
