/* The loops over the table of parts, with a table of our own: a few that do something among many that do not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/fingerprint.h"
#include "runtime/core/part.h"

static char said[64]; /* what the parts did, a letter each */

static void say(char letter)
{
    size_t length = strlen(said);

    if (length + 1 < sizeof said)
        said[length] = letter;
}

static void first_open(void)
{
    say('o');
}

static void first_restart(void)
{
    say('r');
}

static void first_begins(struct native_thread *thread)
{
    (void)thread;
    say('b');
}

static void last_restart(void)
{
    say('R');
}

static void last_begins(struct native_thread *thread)
{
    (void)thread;
    say('B');
}

static void last_ends(void)
{
    say('E');
}

static bool can_tell;

static bool tells(struct fingerprint *into)
{
    (void)into;
    say('f');
    return true;
}

static bool tells_perhaps(struct fingerprint *into)
{
    (void)into;
    say('F');
    return can_tell;
}

static bool saves(struct part_copies *into)
{
    (void)into;
    say('s');
    return true;
}

static void restores(struct part_copies *from)
{
    (void)from;
    say('t');
}

static const struct part quiet = {
    .name = "quiet", .fingerprint = tells, .save = saves, .restore = restores};
static const struct part first = {.name = "first",
                                  .open = first_open,
                                  .restart = first_restart,
                                  .thread_begins = first_begins,
                                  .fingerprint = tells,
                                  .save = saves,
                                  .restore = restores};
static const struct part last = {.name = "last",
                                 .restart = last_restart,
                                 .thread_begins = last_begins,
                                 .thread_ends = last_ends,
                                 .fingerprint = tells_perhaps,
                                 .save = saves,
                                 .restore = restores};

const struct part *const parts[PART_COUNT] = {
    [0] = &first, [1 ... PART_COUNT - 2] = &quiet, [PART_COUNT - 1] = &last};

static int begin(void **state)
{
    (void)state;
    memset(said, 0, sizeof said);
    parts_open();
    return 0;
}

static void test_order(void **state)
{
    (void)state;
    assert_string_equal(said, "o");
    parts_restart();
    parts_thread_begins(NULL);
    parts_thread_ends();
    assert_string_equal(said, "orRbBE");
}

static void test_fingerprint(void **state)
{
    struct fingerprint print = {0};

    (void)state;
    can_tell = true;
    assert_true(parts_fingerprint(&print));
    assert_int_equal(strlen(said), 1 + PART_COUNT);
    assert_null(parts_first_untold());
    can_tell = false;
    assert_false(parts_fingerprint(&print));
    assert_string_equal(parts_first_untold(), "last");
    assert_int_equal(parts_untold(PART_COUNT - 1), 1);
}

static void test_copies(void **state)
{
    (void)state;
    assert_true(parts_save(NULL));
    parts_restore(NULL);
    assert_int_equal(strlen(said),
                     2 * PART_COUNT + 1 < sizeof said ? 2 * PART_COUNT + 1 : sizeof said - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_order, begin),
        cmocka_unit_test_setup(test_fingerprint, begin),
        cmocka_unit_test_setup(test_copies, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
