#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/core/spin_image.h"

/* What counts as the same state at another time. */

static char stack[64];

static struct spin_image image(uint64_t word)
{
    struct spin_image image = {.low = stack, .size = 16, .variables = 7, .registers = {1, 2, 3}};

    memcpy(image.bytes + 8, &word, sizeof word);
    return image;
}

static bool moved(uint64_t then, uint64_t now, uint64_t seconds)
{
    static struct spin_image a, b;

    a = image(then);
    b = image(now);
    return spin_image_moved(&a, &b, seconds);
}

static void times_move(void **state)
{
    (void)state;
    assert_true(moved(5, 5, 3));
    assert_true(moved(5, 8, 3));
    assert_true(moved(5, 3005, 3));
    assert_true(moved(5, 3000005, 3));
    assert_true(moved(5, 3000000005u, 3));
    assert_true(moved(UINT32_MAX, (uint64_t)UINT32_MAX + SPIN_FAR, SPIN_FAR));
}

static void halves_move(void **state)
{
    (void)state;
    assert_true(moved((uint64_t)9 << 32 | UINT32_MAX, (uint64_t)9 << 32 | 2, 3));
    assert_true(moved((uint64_t)9 << 32 | 4, (uint64_t)12 << 32 | 3004, 3));
}

static void others_do_not(void **state)
{
    (void)state;
    assert_false(moved(5, 6, 3));
    assert_false(moved(8, 5, 3));
    assert_false(moved(5, 305, SPIN_FAR));
    assert_false(moved(5, 5, 0)); /* no time has passed, and it has looked all the same */
}

static void all_else_is_equal(void **state)
{
    static struct spin_image a, b;

    (void)state;
    a = image(5);
    b = image(5);
    b.variables++;
    assert_false(spin_image_moved(&a, &b, 3));
    b = image(5);
    b.registers[4] = 1;
    assert_false(spin_image_moved(&a, &b, 3));
    b.registers[4] = 3;
    assert_true(spin_image_moved(&a, &b, 3));
    b = image(5);
    b.low++;
    assert_false(spin_image_moved(&a, &b, 3));
    a.low = b.low = NULL;
    assert_false(spin_image_moved(&a, &b, 3));
}

static void copies_are_equal(void **state)
{
    static struct spin_image a, b;

    (void)state;
    a = image(5);
    spin_image_copy(&b, &a);
    assert_true(spin_image_moved(&a, &b, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_move),       cmocka_unit_test(halves_move),
        cmocka_unit_test(others_do_not),    cmocka_unit_test(all_else_is_equal),
        cmocka_unit_test(copies_are_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
