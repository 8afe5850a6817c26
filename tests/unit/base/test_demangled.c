/* Short names of functions of C++. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/demangled.h"

static void test_functions(void **state)
{
    static const struct {
        const char *name, *words;
    } names[] = {
        {"add(app::stats&, long)", "add"},
        {"app::pool::work()", "app::pool::work"},
        {"app::queue<std::function<void ()>>::size() const", "app::queue::size"},
        {"void app::queue<int>::put<long>(int)", "app::queue::put"},
        {"std::vector<int>& app::get<int, (char)65>(int)", "app::get"},
        {"(anonymous namespace)::run()", "(anonymous namespace)::run"},
        {"void (anonymous namespace)::run<int>(void (*)(int))", "(anonymous namespace)::run"},
        {"app::queue::operator()(int)", "app::queue::operator()"},
        {"app::operator<<(app::out&, int)", "app::operator<<"},
        {"app::out& app::operator<< <int>(app::out&, int)", "app::operator<<"},
        {"app::queue::operator->() const", "app::queue::operator->"},
        {"app::queue::operator bool() const", "app::queue::operator bool"},
        {"app::queue::~queue()", "app::queue::~queue"},
        {"app::pool::pool()::{lambda()#1}::operator()() const", "lambda in app::pool::pool"},
        {"main::{lambda(int)#2}::operator()(int) const", "lambda #2 in main"},
        {"main::{lambda()#1}::operator()() const::{lambda(int)#3}::operator()(int) const",
         "lambda #3 in lambda in main"},
        {"main::$_0::operator()() const", "lambda in main"},
        {"app::f(int)::$_3::operator()() const", "lambda #4 in app::f"},
        {"app::f(int)::g() const::local::run()", "app::f::g::local::run"},
        {"std::thread::thread<main::{lambda()#1}, , void>(main::{lambda()#1}&&)",
         "std::thread::thread"},
        {"", ""},
    };
    char buffer[200];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text t = text_open(buffer, sizeof buffer);

        demangled_function(&t, names[i].name);
        assert_string_equal(buffer, names[i].words);
    }
}

#define STATE(what)                                                                                \
    "std::thread::_State_impl<std::thread::_Invoker<std::tuple<" what ">>>::_M_run()"

static void test_callables(void **state)
{
    static const struct {
        const char *name, *words;
    } names[] = {
        {STATE("void (*)(app::stats&, long), std::reference_wrapper<app::stats>, int"),
         DEMANGLED_POINTER},
        {STATE("void (ordered::*)(), ordered*"), DEMANGLED_MEMBER_POINTER},
        {STATE("app::pool::pool()::{lambda()#1}"), "lambda in app::pool::pool"},
        {STATE("app::worker<int>, int"), "app::worker"},
        {STATE("std::__future_base::_Async_state_impl<int>::_Async_state_impl(int)::{lambda()#1}"),
         "std::async"},
        {"app::pool::_M_run()", ""},
    };
    char buffer[200];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text t = text_open(buffer, sizeof buffer);

        demangled_callable(&t, names[i].name);
        assert_string_equal(buffer, names[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_callables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
