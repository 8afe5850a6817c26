/* Fibers and their stacks. */
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <cmocka.h>

#include "base/check.h"
#include "runtime/core/fiber.h"

static struct fiber engine;
static struct fiber fibers[RUNTIME_THREADS];

static void begin(uint32_t thread, void (*entry)(void *), void *arg)
{
    struct stack stack = stack_get(thread);

    assert_non_null(stack.low);
    fiber_prepare(&fibers[thread], stack.low, stack.size, entry, arg);
}

static void count_up(void *arg)
{
    int *counter = arg;

    for (;;) {
        ++*counter;
        fiber_switch(&fibers[0], &engine);
    }
}

static void switches_back_and_forth(void **unused)
{
    int counter = 0;

    (void)unused;
    begin(0, count_up, &counter);
    for (int i = 1; i <= 1000; i++) {
        fiber_switch(&engine, &fibers[0]);
        assert_int_equal(counter, i);
    }
    begin(0, count_up, &counter); /* abandons it in the middle */
    fiber_switch(&engine, &fibers[0]);
    assert_int_equal(counter, 1001);
}

static char *borrowed; /* where the function was that is called on another stack */

static void *note_stack(void)
{
    borrowed = __builtin_frame_address(0);
    return &borrowed;
}

static void borrow(void *arg)
{
    char own;

    *(bool *)arg = fiber_borrow(&engine, note_stack) == &borrowed;
    assert_true(borrowed < (char *)engine.sp && borrowed > (char *)engine.sp - 4096);
    assert_false(borrowed < &own && borrowed > &own - 4096);
    fiber_switch(&fibers[0], &engine);
}

static void lends_its_stack(void **unused)
{
    volatile uint64_t above = 0x1234567890abcdef;
    bool returned = false;

    (void)unused;
    begin(0, borrow, &returned);
    fiber_switch(&engine, &fibers[0]);
    assert_true(returned);
    assert_int_equal(above, 0x1234567890abcdef);
}

/* What a fiber with an OS thread of its own finds out. */
struct finding {
    uint32_t fiber;
    pid_t thread;
    uintptr_t stack;
    int turns;
};

static void look_around(void *arg)
{
    struct finding *finding = arg;
    int here;

    for (;;) {
        finding->thread = gettid();
        finding->stack = (uintptr_t)&here;
        finding->turns++;
        fiber_hand_over(&fibers[finding->fiber], &engine);
    }
}

/* In a child, as there is no way back to fibers. */
static void hands_over_between_os_threads(void **unused)
{
    pid_t child = fork();
    int status;

    (void)unused;
    if (child == 0) {
        struct finding found[2] = {{.fiber = 0}, {.fiber = 1}};

        fiber_threads_open(&engine, "engine");
        for (uint32_t i = 0; i < 2; i++) {
            begin(i, look_around, &found[i]);
            fiber_threads_start(&fibers[i], "one of two");
        }
        for (int turn = 0; turn < 1000; turn++)
            fiber_hand_over(&engine, &fibers[turn % 2]);
        for (uint32_t i = 0; i < 2; i++) {
            struct stack stack = stack_get(i);

            if (found[i].turns != 500 || found[i].thread == getpid() ||
                found[i].stack - (uintptr_t)stack.low >= stack.size)
                _exit(1);
        }
        _exit(found[0].thread == found[1].thread);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void clobber(void *arg)
{
    (void)arg;
    for (;;) {
        __asm__ volatile("movq $-1, %%rbx\n\tmovq $-2, %%r12\n\tmovq $-3, %%r13\n\t"
                         "movq $-4, %%r14\n\tmovq $-5, %%r15" ::
                             : "rbx", "r12", "r13", "r14", "r15");
        fiber_switch(&fibers[0], &engine);
    }
}

static void keeps_registers(void **unused)
{
    struct fiber *from = &engine, *to = &fibers[0];
    uint64_t changed;

    (void)unused;
    begin(0, clobber, NULL);
    /* Skips the red zone and aligns the stack by hand, as the compiler does not know that this is a
     * call. */
    __asm__ volatile("movq %%rsp, %%rbx\n\tsubq $256, %%rsp\n\tandq $-16, %%rsp\n\t"
                     "pushq %%rbx\n\tpushq %%rbp\n\t"
                     "movq $1, %%rbx\n\tmovq $2, %%r12\n\tmovq $3, %%r13\n\tmovq $4, %%r14\n\t"
                     "movq $5, %%r15\n\tmovq $6, %%rbp\n\t"
                     "call fiber_switch\n\t"
                     "subq $1, %%rbx\n\tsubq $2, %%r12\n\tsubq $3, %%r13\n\tsubq $4, %%r14\n\t"
                     "subq $5, %%r15\n\tsubq $6, %%rbp\n\t"
                     "movq %%rbx, %%rax\n\torq %%r12, %%rax\n\torq %%r13, %%rax\n\t"
                     "orq %%r14, %%rax\n\torq %%r15, %%rax\n\torq %%rbp, %%rax\n\t"
                     "popq %%rbp\n\tpopq %%rsp"
                     : "=a"(changed), "+D"(from), "+S"(to)
                     :
                     : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                       "memory", "cc");
    assert_int_equal(changed, 0);
}

/* What fesetround sets; that function is in libm, which nothing else here needs. */
static void set_rounding(unsigned sse, uint16_t x87)
{
    _mm_setcsr(sse);
    __asm__ volatile("fldcw %0" : : "m"(x87));
}

static bool rounding_is(unsigned sse, uint16_t x87)
{
    uint16_t now;

    __asm__ volatile("fnstcw %0" : "=m"(now));
    return (_mm_getcsr() & ~0x3fu) == sse &&
           now == x87; /* without the exceptions that have happened */
}

static void round_upward(void *arg)
{
    bool *right = arg;

    set_rounding(0x5f80, 0x0b7f);
    for (;;) {
        *right = rounding_is(0x5f80, 0x0b7f);
        fiber_switch(&fibers[0], &engine);
    }
}

static void round_by_default(void *arg)
{
    bool *right = arg;

    for (;;) {
        *right = rounding_is(0x1f80, 0x037f);
        fiber_switch(&fibers[1], &engine);
    }
}

static void keeps_rounding_mode(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        bool upward = false, by_default = false;

        begin(0, round_upward, &upward);
        begin(1, round_by_default, &by_default);
        for (int j = 0; j < 3; j++) {
            upward = by_default = false;
            fiber_switch(&engine, &fibers[0]);
            assert_true(rounding_is(0x1f80, 0x037f));
            fiber_switch(&engine, &fibers[1]);
            assert_true(upward && by_default);
        }
    }
}

static void look_at_alignment(void *arg)
{
    uintptr_t *frame = arg;

    *frame =
        (uintptr_t)__builtin_frame_address(0); /* where rbp was pushed: 16 below the caller's sp */
    fiber_switch(&fibers[0], &engine);
    abort();
}

static void aligns_stack(void **unused)
{
    uintptr_t frame = 1;

    (void)unused;
    begin(0, look_at_alignment, &frame);
    fiber_switch(&engine, &fibers[0]);
    assert_int_equal(frame % 16, 0);
}

static void look_at_callers(void *arg)
{
    void *frames[16];

    *(int *)arg = backtrace(frames, 16);
    fiber_switch(&fibers[0], &engine);
    abort();
}

static void unwinds_to_the_bottom(void **unused)
{
    void *frames[4];
    int depth = 0;

    (void)unused;
    backtrace(frames, 4); /* loads the unwinder, on a stack that it expects */
    begin(0, look_at_callers, &depth);
    fiber_switch(&engine, &fibers[0]);
    assert_in_range(depth, 1, 3); /* the entry, fiber_start, and no garbage beyond */
}

static uint32_t visits;

static void visit_once(void *arg)
{
    uint32_t thread = (uint32_t)(uintptr_t)arg;
    char local[64];

    memset(local, (int)thread, sizeof local);
    visits++;
    fiber_switch(&fibers[thread], &engine);
    for (size_t i = 0; i < sizeof local; i++) {
        if (local[i] != (char)thread)
            abort();
    }
    visits++;
    fiber_switch(&fibers[thread], &engine);
    abort();
}

static void runs_all_threads(void **unused)
{
    (void)unused;
    visits = 0;
    for (uint32_t i = 0; i < RUNTIME_THREADS; i++)
        begin(i, visit_once, (void *)(uintptr_t)i);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < RUNTIME_THREADS; i++)
            fiber_switch(&engine, &fibers[i]);
    }
    assert_int_equal(visits, 2 * RUNTIME_THREADS);
    assert_null(stack_get(RUNTIME_THREADS).low);
}

static void finds_stacks(void **unused)
{
    struct stack stack = stack_get(7);
    uint32_t thread = 0;

    (void)unused;
    assert_ptr_equal(stack.low, stack_get(7).low);
    assert_int_equal(stack_find(stack.low, &thread), STACK_INSIDE);
    assert_int_equal(thread, 7);
    assert_int_equal(stack_find(stack.low + stack.size - 1, &thread), STACK_INSIDE);
    assert_int_equal(stack_find(stack.low - 1, &thread), STACK_BELOW);
    assert_int_equal(stack_find(stack.low - ((size_t)32 << 20), &thread), STACK_BELOW);
    assert_int_equal(thread, 7);
    assert_int_equal(stack_find(stack.low + stack.size, &thread), STACK_ABOVE);
    assert_int_equal(thread, 7);
    assert_int_equal(stack_find(&thread, &thread), STACK_NOWHERE);
    assert_int_equal(stack_find(NULL, &thread), STACK_NOWHERE);
}

static void grows_stacks(void **unused)
{
    struct stack small = stack_get(8);
    struct stack large = stack_get_sized(8, (size_t)64 << 20);

    (void)unused;
    assert_ptr_equal(small.low + small.size, large.low + large.size);
    assert_int_equal(large.size, (size_t)64 << 20);
    *large.low = 1;
    assert_int_equal(stack_get(8).size, large.size);
    assert_null(stack_get_sized(8, STACK_MAX + 1).low);
}

static void report_overflow(int signal, siginfo_t *info, void *context)
{
    uint32_t thread = 99;

    (void)signal, (void)context;
    _exit(stack_find(info->si_addr, &thread) == STACK_BELOW ? (int)thread : 100);
}

static int recurse(volatile int depth)
{
    volatile char frame[1024];

    frame[0] = (char)depth;
    return depth < 0 ? frame[0] : recurse(depth + 1) + frame[0];
}

static void overflow(void *arg)
{
    (void)arg;
    _exit(recurse(0));
}

static void returns(void *arg)
{
    (void)arg;
}

/* The exit status of a child that runs `entry` as thread 3. */
static int status_of(void (*entry)(void *))
{
    pid_t child = fork();
    int status;

    if (!child) {
        struct sigaction action = {.sa_sigaction = report_overflow,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK};
        stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};

        sigaltstack(&other, NULL);
        sigaction(SIGSEGV, &action, NULL);
        begin(3, entry, NULL);
        close(STDERR_FILENO);
        fiber_switch(&engine, &fibers[3]);
        _exit(101);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void reports_overflow(void **unused)
{
    (void)unused;
    assert_int_equal(status_of(overflow), 3);
}

static void refuses_to_return(void **unused)
{
    (void)unused;
    assert_int_equal(status_of(returns), EXIT_RADDLE_IS_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_back_and_forth),
        cmocka_unit_test(lends_its_stack),
        cmocka_unit_test(hands_over_between_os_threads),
        cmocka_unit_test(keeps_registers),
        cmocka_unit_test(keeps_rounding_mode),
        cmocka_unit_test(aligns_stack),
        cmocka_unit_test(unwinds_to_the_bottom),
        cmocka_unit_test(runs_all_threads),
        cmocka_unit_test(finds_stacks),
        cmocka_unit_test(grows_stacks),
        cmocka_unit_test(reports_overflow),
        cmocka_unit_test(refuses_to_return),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
