#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "script/litmus.h"
#include "script/litmus_report.h"

static struct litmus read_good(const char *source)
{
    struct litmus litmus;
    struct read_error error;
    char text[300];

    if (!litmus_read(source, strlen(source), "test", &litmus, &error))
        fail_msg("%s", read_error_format(&error, "test", text, sizeof(text)));
    return litmus;
}

/* A final state for conditions: what a location holds, by its shown name. */
struct named_value {
    const char *name;
    int64_t value;
};

static int64_t named(void *context, const struct litmus_location *location)
{
    const struct named_value *values = context;

    if (location->kind == LITMUS_ADDRESS)
        return 0x1000 + 16 * (int64_t)location->decl + 4 * (int64_t)location->index;
    for (; values->name; values++) {
        if (strcmp(values->name, location->name) == 0)
            return values->value;
    }
    return 0;
}

#define STATE(...) ((struct named_value[]){__VA_ARGS__, {NULL, 0}})

static const char sb[] =
    "X86 SB\n\"PodWR Fre PodWR Fre\"\nCycle=Fre PodWR Fre PodWR\n{ x=0; y=0; }\n"
    " P0          | P1          ;\n"
    " MOV [x],$1  | MOV [y],$1  ;\n"
    " MOV EAX,[y] | MOV EAX,[x] ;\n"
    "exists (0:EAX=0 /\\ 1:EAX=0)\n";

static void test_store_buffering(void **state)
{
    struct litmus litmus = read_good(sb);
    const struct thread_code *p0 = &litmus.program.threads[0];

    (void)state;
    assert_string_equal(litmus.name, "SB");
    assert_string_equal(litmus.arch, "X86");
    assert_int_equal(litmus.program.thread_count, 2);
    assert_int_equal(litmus.program.decl_count, 2);
    assert_int_equal(litmus.program.decls[0].size, 4);
    assert_int_equal(p0->insn_count, 2);
    assert_int_equal(p0->insns[0].op, OP_STORE);
    assert_int_equal(p0->insns[0].a.number, 1);
    assert_int_equal(p0->insns[0].line, 6);
    assert_int_equal(p0->insns[1].op, OP_LOAD);
    assert_int_equal(litmus.quantifier, LITMUS_EXISTS);
    assert_int_equal(litmus.observed_count, 2);
    assert_true(litmus_holds(&litmus, named, STATE({"0:EAX", 0}, {"1:EAX", 0})));
    assert_false(litmus_holds(&litmus, named, STATE({"0:EAX", 1}, {"1:EAX", 0})));
    litmus_free(&litmus);
}

static char *report_text(const struct litmus *litmus, struct named_value **states, size_t count)
{
    struct litmus_report *report = litmus_report_open(litmus);
    struct litmus_summary summary = {"tso", "reduction optimal", count, 0.5, NULL};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; i < count; i++) {
        litmus_report_add(report, named, states[i], i);
        litmus_report_add(report, named, states[i], i); /* the same execution counts once */
    }
    litmus_report_print(report, &summary, named, states[0], out);
    fclose(out);
    litmus_report_close(report);
    return text;
}

static void test_report(void **state)
{
    struct litmus litmus = read_good(sb);
    struct named_value *states[] = {
        STATE({"0:EAX", 1}, {"1:EAX", 1}), STATE({"0:EAX", 0}, {"1:EAX", 0}),
        STATE({"0:EAX", 1}, {"1:EAX", 0}), STATE({"0:EAX", -1}, {"1:EAX", 0}),
        STATE({"0:EAX", 1}, {"1:EAX", 1}),
    };
    char *text = report_text(&litmus, states, 5);

    (void)state;
    assert_string_equal(text, "Test SB Allowed\n"
                              "States 4\n"
                              "0:EAX=-1; 1:EAX=0;\n"
                              "0:EAX=0; 1:EAX=0;\n"
                              "0:EAX=1; 1:EAX=0;\n"
                              "0:EAX=1; 1:EAX=1;\n"
                              "Ok\n"
                              "Witnesses\n"
                              "Positive: 1 Negative: 4\n"
                              "Condition exists (0:EAX=0 /\\ 1:EAX=0)\n"
                              "Observation SB Sometimes 1 4\n"
                              "Time SB 0.50\n"
                              "Executions SB 5 (reduction optimal, model tso)\n"
                              "\n");
    free(text);
    litmus_free(&litmus);
}

/* ~exists claims that there are no positive executions: its witnesses are the negative ones. */
static void test_report_of_not_exists(void **state)
{
    struct litmus litmus = read_good("C t\n{ int x; }\nP0(int *x) { *x = 1; }\n~exists (x=2)\n");
    struct named_value *states[] = {STATE({"[x]", 1}), STATE({"[x]", 2}), STATE({"[x]", 3})};
    char *text = report_text(&litmus, states, 3);

    (void)state;
    assert_non_null(strstr(text, "Test t Forbidden\n"));
    assert_non_null(strstr(text, "\nNo\nWitnesses\nPositive: 2 Negative: 1\n"));
    assert_non_null(strstr(text, "\nCondition ~exists ([x]=2)\nObservation t Sometimes 1 2\n"));
    free(text);
    litmus_free(&litmus);
}

static char *condition_text(const struct litmus *litmus)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    litmus_condition_print(litmus, out);
    fclose(out);
    return text;
}

#define X86_TEST(init, row, condition) "X86_64 t\n{ " init " }\nP0 ;\n" row " ;\n" condition "\n"

static void test_conditions(void **state)
{
    static const struct {
        const char *condition, *shown;
        int64_t x, y;
        bool holds;
    } cases[] = {
        {"exists x=1", "exists ([x]=1)", 1, 0, true},
        {"exists [x]=0xffffffff", "exists ([x]=-1)", -1, 0, true},
        {"forall ~x=1 /\\ y=0", "forall (not ([x]=1) /\\ [y]=0)", 2, 0, true},
        {"forall ~(x=1 /\\ y=0)", "forall (not ([x]=1 /\\ [y]=0))", 1, 0, false},
        {"exists x=1 \\/ y=2 /\\ x=3", "exists ([x]=1 \\/ [y]=2 /\\ [x]=3)", 1, 0, true},
        {"exists (x=1 \\/ y=2) /\\ x=3", "exists (([x]=1 \\/ [y]=2) /\\ [x]=3)", 1, 0, false},
        {"exists x=1 => y=1", "exists ([x]=1 => [y]=1)", 1, 0, false},
        {"exists x=1 => y=1", "exists ([x]=1 => [y]=1)", 2, 0, true},
        {"exists y=5 /\\ x=1 => y=1", "exists ([y]=5 /\\ ([x]=1 => [y]=1))", 0, 0, false},
        {"exists x!=1", "exists (not ([x]=1))", 1, 0, false},
        {"exists x==1", "exists ([x]=1)", 1, 0, true},
        {"exists [x]=[y]", "exists ([x]=[y])", 7, 7, true},
        {"exists x=*y", "exists ([x]=[y])", 7, 8, false},
        {"not exists x=1", "~exists ([x]=1)", 1, 0, true},
        {"(x=1)", "exists ([x]=1)", 1, 0, true},
        {"final x=1", "exists ([x]=1)", 1, 0, true},
        {"exists false", "exists (false)", 1, 0, false},
        {"locations [x;]", "forall (true)", 1, 0, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char source[300];
        snprintf(source, sizeof(source), X86_TEST("int x; int y;", "nop", "%s"),
                 cases[i].condition);
        struct litmus litmus = read_good(source);
        char *text = condition_text(&litmus);
        assert_string_equal(text, cases[i].shown);
        assert_int_equal(
            litmus_holds(&litmus, named, STATE({"[x]", cases[i].x}, {"[y]", cases[i].y})),
            cases[i].holds);
        free(text);
        litmus_free(&litmus);
    }
}

static void test_addresses(void **state)
{
    struct litmus litmus =
        read_good(X86_TEST("int x; int y; 0:rdi=x; int64_t 0:rsi=-1;", "movq %rdi,%rax",
                           "locations [0:rsi;] exists 0:rax=y \\/ 0:rdi=x"));
    const struct thread_code *p0 = &litmus.program.threads[0];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_true(litmus_holds(&litmus, named, STATE({"0:rax", 0x1010}, {"0:rdi", 0})));
    assert_false(litmus_holds(&litmus, named, STATE({"0:rax", 0x1000}, {"0:rdi", 0x1010})));
    for (uint32_t i = 0; i < p0->reg_count; i++) {
        if (strcmp(p0->regs[i].name, "rdi") == 0)
            assert_int_equal(p0->regs[i].init.kind, OPERAND_ADDRESS);
    }
    litmus_state_print(&litmus, (int64_t[]){0x1010, -1, 0x1000}, named, STATE({"", 0}), out);
    fclose(out);
    assert_string_equal(text, "0:rax=y; 0:rsi=-1; 0:rdi=x;");
    free(text);
    litmus_free(&litmus);
}

static void test_filter(void **state)
{
    struct litmus litmus = read_good(X86_TEST("int x;", "movl $1,(x)", "filter x!=2 exists x=1"));

    (void)state;
    assert_true(litmus_keeps(&litmus, named, STATE({"[x]", 1})));
    assert_false(litmus_keeps(&litmus, named, STATE({"[x]", 2})));
    litmus_free(&litmus);
}

/* The rows that matter to other threads, in order: "load store.rel fence.sc". */
static void visible_rows(const struct thread_code *thread, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < thread->insn_count; i++) {
        const struct insn *insn = &thread->insns[i];
        if (insn->kind == INSN_OP)
            used += (size_t)snprintf(text + used, size - used, "%s%s.%s%u", used ? " " : "",
                                     op_infos[insn->op].text, memory_order_names[insn->order],
                                     insn->size);
    }
}

static void test_x86_operations(void **state)
{
    static const struct {
        const char *row, *rows;
    } cases[] = {
        {"movl $1,(x)", "store.rlx4"},
        {"movb $1,x(%rip)", "store.rlx1"},
        {"mov (y),%rax", "load.rlx8"},
        {"mfence", "fence.sc0"},
        {"sfence", "fence.rel0"},
        {"lfence", "fence.acq0"},
        {"xchgl %eax,(x)", "rmw.sc4"},
        {"uxchl %eax,(x)", "load.rlx4 store.rlx4"},
        {"incl (x)", "load.rlx4 store.rlx4"},
        {"lock incl (x)", "rmw.sc4"},
        {"lock ; addq $1,(y)", "rmw.sc8"},
        {"addl (x),%eax", "load.rlx4"},
        {"cmpl $1,(x)", "load.rlx4"},
        {"lock xaddl %eax,(x)", "rmw.sc4"},
        {"lock cmpxchgl %ecx,(x)", "cas.sc4"},
        {"cmpxchgl %ecx,(x)", "load.rlx4 store.rlx4"},
        {"movzbl (x),%eax", "load.rlx1"},
        {"cmovel (x),%eax", "load.rlx4"},
        {"sete (x)", "store.rlx1"},
        {"not %eax", ""},
        {"negl (x)", "load.rlx4 store.rlx4"},
        {"L0: jmp L0", ""},
        {"leaq (x),%rax", ""},
        {"nopl 0(%rax,%rax,1)", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char source[300], rows[200];
        snprintf(source, sizeof(source), X86_TEST("int x; int64_t y;", "%s", "exists true"),
                 cases[i].row);
        struct litmus litmus = read_good(source);
        visible_rows(&litmus.program.threads[0], rows, sizeof(rows));
        assert_string_equal(rows, cases[i].rows);
        litmus_free(&litmus);
    }
}

static void test_c_operations(void **state)
{
    static const struct {
        const char *statement, *rows;
    } cases[] = {
        {"*x = 1;", "store.rlx4"},
        {"int r0 = *x + *y;", "load.rlx4 load.rlx8"},
        {"atomic_store(x, 1);", "store.sc4"},
        {"atomic_store_explicit(x, 1, memory_order_release);", "store.rel4"},
        {"int r0 = atomic_load_explicit(x, memory_order_consume);", "load.acq4"},
        {"atomic_fetch_or_explicit(y, 1, memory_order_acq_rel);", "rmw.ar8"},
        {"atomic_exchange(x, *x);", "load.rlx4 rmw.sc4"},
        {"int r0 = 0; atomic_compare_exchange_weak(x, &r0, 1);", "cas.sc4"},
        {"atomic_thread_fence(memory_order_relaxed);", ""},
        {"atomic_thread_fence(memory_order_release);", "fence.rel0"},
        {"atomic_signal_fence(memory_order_seq_cst);", ""},
        {"WRITE_ONCE(*x, READ_ONCE(*x) + 1);", "load.rlx4 store.rlx4"},
        {"smp_store_release(x, smp_load_acquire(x));", "load.acq4 store.rel4"},
        {"smp_mb(); smp_rmb(); smp_wmb();", "fence.sc0 fence.acq0 fence.rel0"},
        {"int r0 = xchg_release(x, 1);", "rmw.rel4"},
        {"if (*x) *x = 1; else { *y = (*x); }", "load.rlx4 store.rlx4 load.rlx4 store.rlx8"},
        {"x[0] = 1; /* (* */ // *)\n", "store.rlx4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char source[300], rows[200];
        snprintf(source, sizeof(source),
                 "C t\n{}\nP0(atomic_int *x, volatile long *y) {\n%s\n}\nexists (true)\n",
                 cases[i].statement);
        struct litmus litmus = read_good(source);
        visible_rows(&litmus.program.threads[0], rows, sizeof(rows));
        assert_string_equal(rows, cases[i].rows);
        litmus_free(&litmus);
    }
}

static void test_errors(void **state)
{
    static const struct {
        const char *source, *error;
    } cases[] = {
        {"", "t:1:1: the file is empty"},
        {"PPC SB\n{}\n", "t:1:1: architecture 'PPC' is not supported; X86, X86_64 and C are"},
        {"X86 t\nfoo\n", "t:2:1: expected '{' and the initial state, found 'foo'"},
        {"X86 t\n{ x=0; (* (* *) ", "t:2:8: comment without an end"},
        {"X86 t\n{ x=; }\n", "t:2:5: expected a value, found ';'"},
        {"X86 t\n{ x=99999999999999999999; }\n", "t:2:5: number too large for 64 bits"},
        {"X86 t\n{ int8_t x=300; }\n P0 ;\n NOP ;\n",
         "t:2:10: the initial value does not fit the 1 bytes of x"},
        {"X86 t\n{ 3:EAX=1; }\n P0 ;\n NOP ;\n", "t:2:5: there is no thread P3"},
        {"X86 t\n{ }\n P1 ;\n", "t:3:2: expected thread P0, found 'P1'"},
        {"X86 t\n{ }\n P0 ;\n FROB EAX ;\n", "t:4:2: unknown instruction 'FROB'"},
        {"X86 t\n{ }\n P0 ;\n MOV RAX,$1 ;\n", "t:4:6: X86 has no register 'RAX'; X86_64 has"},
        {"X86 t\n{ }\n P0 ;\n MOV EAX,$1 | NOP ;\n",
         "t:4:15: more fields in this row than threads"},
        {"X86 t\n{ }\n P0 ;\n MOV $1,EAX ;\n", "t:4:2: 'MOV' cannot write to a number"},
        {"X86 t\n{ }\n P0 ;\n JMP L9 ;\n", "t:4:6: no label 'L9' in this thread"},
        {"X86 t\n{ }\n P0 ;\n LOCK MOV [x],$1 ;\n", "t:4:7: 'MOV' cannot be locked"},
        {"X86_64 t\n{ }\n P0 ;\n clflush (x) ;\n",
         "t:4:2: 'clflush' is outside the memory models of raddle"},
        {"X86 t\n{ }\n P0 ;\n MOV [x],$1",
         "t:4:12: expected '|' or ';', found the end of the file"},
        {"X86 t\n{ }\n P0 ;\n NOP ;\nexists (x=1)\n", "t:5:9: no memory location is called 'x'"},
        {"X86 t\n{ x; }\n P0 ;\n NOP ;\nexists (x=1",
         "t:5:12: expected ')', found the end of the file"},
        {"X86 t\n{ x; }\n P0 ;\n NOP ;\nexists x=1 y\n",
         "t:5:12: unexpected 'y' after the condition"},
        {"X86 t\n{ x; }\n P0 ;\n NOP ;\nexists 0:r7=1\n", "t:5:10: X86 has no register 'r7'"},
        {"X86_64 t\n{ int x; }\n P0 ;\n movq $1,(x) ;\n",
         "t:4: 8 bytes at offset 0 are not inside x, which has 4"},
        {"C t\n{ int a[2]; }\nP0(int *a) {\n  a[2] = 1;\n}\n",
         "t:4: 4 bytes at offset 8 are not inside a, which has 8"},
        {"C t\n{}\nP0(int x) { }\n", "t:3:8: parameter 'x' is not a pointer"},
        {"C t\n{}\nP0(int *x) {\n  r0 = *x;\n}\n", "t:4:3: no variable 'r0' in this thread"},
        {"C t\n{}\nP0(int *x) {\n  int r0 = *x\n}\n", "t:5:1: expected ';', found '}'"},
        {"C t\n{}\nP0(int *x) {\n  frob(x);\n}\n", "t:4:3: unknown function 'frob'"},
        {"C t\n{}\nP0(int *x) {\n  atomic_store_explicit(x, 1, strong);\n}\n",
         "t:4:31: expected a memory order, found 'strong'"},
        {"C t\n{}\nP0(int *x) {\n  *x = 1;\n", "t:5:1: expected '}', found the end of the file"},
        {"C t\n{}\nP0(int *x) { }\nexists 0:r0=1\n", "t:4:10: P0 has no local variable 'r0'"},
        {"X86 t\n{ \001 }\n", "t:2:3: unexpected byte 0x01"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct litmus litmus;
        struct read_error error;
        char text[300];
        const char *source = cases[i].source;

        assert_false(litmus_read(source, strlen(source), "t", &litmus, &error));
        assert_string_equal(read_error_format(&error, "t", text, sizeof(text)), cases[i].error);
    }
}

/* Hostile nesting and length end in an error, not in a full stack. */
static void test_bounds(void **state)
{
    static const char *const openings[] = {
        "C t\n{}\nP0(int *x) { int r0 = ",
        "C t\n{}\nP0(int *x) { ",
        "X86 t\n{ x; }\nP0 ;\n NOP ;\nexists ",
        "X86 t\n{ x; }\nP0 ;\n NOP ;\nexists ",
    };
    static const char *const repeated[] = {"(-", "{", "~(", "x=1=>"};
    size_t room = 200000;
    char *source = malloc(room + 100);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct litmus litmus;
        struct read_error error;
        char *end = stpcpy(source, openings[i]);

        while (end < source + room)
            end = stpcpy(end, repeated[i]);
        assert_false(litmus_read(source, (size_t)(end - source), "t", &litmus, &error));
        assert_string_equal(error.message, "nested deeper than 200 levels");
    }
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store_buffering),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_of_not_exists),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_x86_operations),
        cmocka_unit_test(test_c_operations),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
