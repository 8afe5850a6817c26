/* Symbols of C++ as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mangled.h"

static void test_names(void **state)
{
    static const struct {
        const char *symbol, *name;
    } names[] = {
        {"main", "main"},
        {"_Z6workerPv", "worker"},
        {"_ZL6workerPv", "worker"},
        {"_ZN3app7counterE", "app::counter"},
        {"_ZN3app5queue3putEi", "app::queue::put"},
        {"_ZNK3app5queue4sizeEv", "app::queue::size"},
        {"_ZN12_GLOBAL__N_17counterE", "(anonymous namespace)::counter"},
        {"_ZN3appL7counterE", "app::counter"},
        {"_ZNSt6thread4joinEv", "std::thread::join"},
        /* not worth the trouble: as they are */
        {"_Z4swapIiEvRT_S1_", "_Z4swapIiEvRT_S1_"},
        {"_ZN3app5queueIiE3putEi", "_ZN3app5queueIiE3putEi"},
        {"_ZN3app5queueplEi", "_ZN3app5queueplEi"},
        {"_Z", "_Z"},
        {"_ZN", "_ZN"},
        {"_ZNE", "_ZNE"},
        {"_Z99short", "_Z99short"},
        {"_Z99999999999999999999x", "_Z99999999999999999999x"},
        {"_ZN3app", "_ZN3app"},
    };
    char buffer[200];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(mangled_name(names[i].symbol, buffer, sizeof buffer), names[i].name);
    assert_null(mangled_name(NULL, buffer, sizeof buffer));
}

/* A short buffer cuts the name, and no more than that. */
static void test_short_buffer(void **state)
{
    char buffer[8];

    (void)state;
    assert_string_equal(mangled_name("_ZN3app7counterE", buffer, sizeof buffer), "app::co");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_short_buffer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
