#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/intern.h"

#define LENGTH 5
#define COUNT  100000u

/* Sequences of different lengths, many with the same words. */
static uint32_t sequence(uint32_t i, uint64_t *words)
{
    uint32_t count = 1 + i % LENGTH;

    for (uint32_t k = 0; k < count; k++)
        words[k] = i / LENGTH >> 3 * k & 7;
    words[count - 1] = i / LENGTH;
    return count;
}

static void test_numbers(void **state)
{
    struct arena arena;
    struct intern intern;
    uint64_t words[LENGTH];
    uint32_t count;

    (void)state;
    assert_int_equal(arena_open(&arena, (size_t)1 << 30), 0);
    intern_open(&intern, &arena);
    assert_int_equal(intern_number(&intern, NULL, 0), 0);
    intern_words(&intern, 0, &count);
    assert_int_equal(count, 0);
    for (unsigned again = 0; again < 2; again++)
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(intern_number(&intern, words, sequence(i, words)), i + 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t *kept = intern_words(&intern, i + 1, &count);

        assert_int_equal(count, sequence(i, words));
        assert_memory_equal(kept, words, count * sizeof *words);
    }
    assert_true(intern_bytes(&intern) >= intern.words.count * sizeof *words);
    assert_true(intern_bytes(&intern) <= arena.used);
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
