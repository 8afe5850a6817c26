/* Lines of suppressions files, and their patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "detect/suppression.h"

static void test_lines(void **state)
{
    static const struct {
        const char *line;
        bool ok;
        enum suppression_kind kind;
        const char *pattern;
    } cases[] = {
        {"race:counter", true, SUPPRESSION_RACE, "counter"},
        {"  race:foo bar \t\r", true, SUPPRESSION_RACE, "foo bar"},
        {"race_top:^f$", true, SUPPRESSION_RACE_TOP, "^f$"},
        {"race:a:b", true, SUPPRESSION_RACE, "a:b"},
        {"", true, SUPPRESSION_NONE, ""},
        {"   ", true, SUPPRESSION_NONE, ""},
        {"# race:counter", true, SUPPRESSION_NONE, ""},
        {"thread:main", true, SUPPRESSION_NONE, ""},
        {"deadlock:x", true, SUPPRESSION_NONE, ""},
        {"called_from_lib:libz.so", true, SUPPRESSION_NONE, ""},
        {"race", false, SUPPRESSION_NONE, ""},
        {"race:", false, SUPPRESSION_NONE, ""},
        {":x", false, SUPPRESSION_NONE, ""},
        {"raze:x", false, SUPPRESSION_NONE, ""},
    };
    struct suppression s;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(suppression_read(cases[i].line, strlen(cases[i].line), &s), cases[i].ok);
        if (!cases[i].ok)
            continue;
        assert_int_equal(s.kind, cases[i].kind);
        if (s.kind == SUPPRESSION_NONE)
            continue;
        assert_int_equal(s.length, strlen(cases[i].pattern));
        assert_memory_equal(s.pattern, cases[i].pattern, s.length);
    }
}

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"count", "counter", true},
        {"count", "account", true},
        {"^count", "account", false},
        {"^count", "counter", true},
        {"count$", "account", true},
        {"count$", "counter", false},
        {"^count$", "count", true},
        {"^count$", "counts", false},
        {"a*c", "xabbbcx", true},
        {"a*c", "xabbb", false},
        {"^a*c$", "abcbc", true},
        {"^a*c$", "abcb", false},
        {"*", "", true},
        {"src/*.c", "/home/me/src/queue.c", true},
        {"src/*.c$", "src/queue.cc", false},
        {"^*r$", "counter", true},
        {"x", "", false},
        {"a*b*c", "aXbYc", true},
        {"a*b*c", "aXcYb", false},
        {"$", "anything", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (suppression_matches(cases[i].pattern, cases[i].text) != cases[i].matches)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
