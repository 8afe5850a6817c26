/* The text form: what it accepts, that printing and reading are inverse, and each way to refuse. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "script/classics.h"
#include "script/mnemonic.h"
#include "script/text.h"

/* ---- helpers */

static void read_bytes(const char *source, size_t length, struct program *program)
{
    struct read_error error;
    char message[300];

    if (!text_read(source, length, "dir/some.script", program, &error))
        fail_msg("%s", read_error_format(&error, NULL, message, sizeof(message)));
}

static void read_good(const char *source, struct program *program)
{
    read_bytes(source, strlen(source), program);
}

static char *printed(const struct program *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    text_print(program, stream);
    fclose(stream);
    return text;
}

static void assert_operands_equal(const struct operand *a, const struct operand *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == OPERAND_REG)
        assert_int_equal(a->reg, b->reg);
    else
        assert_int_equal(a->number, b->number);
    if (a->kind == OPERAND_ADDRESS)
        assert_int_equal(a->decl, b->decl);
}

static void assert_places_equal(const struct place *a, const struct place *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == PLACE_NONE)
        return;
    if (a->kind == PLACE_DECL)
        assert_int_equal(a->decl, b->decl);
    assert_operands_equal(&a->index, &b->index);
    assert_int_equal(a->offset, b->offset);
}

static void assert_rows_equal(const struct insn *a, const struct insn *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->order, b->order);
    assert_int_equal(a->rmw, b->rmw);
    assert_int_equal(a->alu, b->alu);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->sign, b->sign);
    assert_int_equal(a->dst, b->dst);
    assert_int_equal(a->jump, b->jump);
    assert_int_equal(a->thread, b->thread);
    assert_places_equal(&a->place, &b->place);
    assert_places_equal(&a->mutex, &b->mutex);
    assert_operands_equal(&a->a, &b->a);
    assert_operands_equal(&a->b, &b->b);
}

static void assert_threads_equal(const struct thread_code *a, const struct thread_code *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->created, b->created);
    assert_int_equal(a->reg_count, b->reg_count);
    assert_int_equal(a->insn_count, b->insn_count);
    for (uint32_t i = 0; i < a->reg_count; i++) {
        assert_string_equal(a->regs[i].name, b->regs[i].name);
        assert_operands_equal(&a->regs[i].init, &b->regs[i].init);
    }
    for (uint32_t i = 0; i < a->insn_count; i++)
        assert_rows_equal(&a->insns[i], &b->insns[i]);
}

static void assert_decls_equal(const struct decl *a, const struct decl *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->is_array, b->is_array);
    assert_int_equal(a->init != NULL, b->init != NULL);
    for (uint32_t i = 0; a->init && i < (a->kind == OBJECT_CELL ? a->count : 1); i++)
        assert_operands_equal(&a->init[i], &b->init[i]);
}

static void assert_round_trip(const struct program *program)
{
    struct program again;
    char *text = printed(program);
    uint32_t line;

    assert_null(program_check(program, &line));
    read_good(text, &again);
    assert_string_equal(program->name, again.name);
    assert_int_equal(program->decl_count, again.decl_count);
    assert_int_equal(program->thread_count, again.thread_count);
    for (uint32_t i = 0; i < program->decl_count; i++)
        assert_decls_equal(&program->decls[i], &again.decls[i]);
    for (uint32_t i = 0; i < program->thread_count; i++)
        assert_threads_equal(&program->threads[i], &again.threads[i]);
    free(text);
    program_free(&again);
}

/* ---- good programs */

static void test_small(void **state)
{
    struct program program;

    (void)state;
    read_good("# store buffering\n"
              "cell x\ncell4 y = -2\n\n"
              "thread A\n  store.rel x, 1\n  a = loadu2 y+2\n"
              "thread B # comes second\n  lock m[a]\nmutex m[3]",
              &program);
    assert_string_equal(program.name, "some");
    assert_int_equal(program.decl_count, 3);
    assert_int_equal(program.decls[0].size, 8);
    assert_null(program.decls[0].init);
    assert_int_equal(program.decls[1].size, 4);
    assert_int_equal(program.decls[1].init[0].number, -2);
    assert_int_equal(program.decls[2].count, 3);
    assert_true(program.decls[2].is_array);

    const struct thread_code *thread = &program.threads[0];
    assert_int_equal(thread->insn_count, 2);
    assert_int_equal(thread->insns[0].op, OP_STORE);
    assert_int_equal(thread->insns[0].order, ORDER_RELEASE);
    assert_int_equal(thread->insns[0].dst, REG_NONE);
    assert_int_equal(thread->insns[0].line, 6);
    assert_int_equal(thread->insns[1].op, OP_LOAD);
    assert_int_equal(thread->insns[1].size, 2);
    assert_false(thread->insns[1].sign);
    assert_int_equal(thread->insns[1].place.decl, 1);
    assert_int_equal(thread->insns[1].place.offset, 2);
    assert_int_equal(thread->insns[1].dst, 0);
    assert_int_equal(program.threads[1].insns[0].place.index.kind, OPERAND_REG);
    program_free(&program);
}

static void test_control(void **state)
{
    struct program program;

    (void)state;
    read_good("thread T\nL:\n  if r goto END\n  if 3 < r goto L\n  goto L\n  let r = q\nEND:\n"
              "  create U\nthread U\nEND:\n  goto END\n",
              &program);
    const struct thread_code *thread = &program.threads[0];
    assert_int_equal(thread->insn_count, 5);
    assert_int_equal(thread->insns[0].alu, ALU_NE);
    assert_int_equal(thread->insns[0].jump, 4);
    assert_int_equal(thread->insns[1].alu, ALU_LT);
    assert_int_equal(thread->insns[1].jump, 0);
    assert_int_equal(thread->insns[2].alu, ALU_EQ);
    assert_int_equal(thread->insns[3].alu, ALU_ADD);
    assert_int_equal(thread->insns[3].b.number, 0);
    assert_false(thread->created);
    assert_true(program.threads[1].created);
    assert_round_trip(&program);
    program_free(&program);
}

static void test_cas_operands(void **state)
{
    struct program program;

    (void)state;
    read_good("cell x\nthread T\n  r = cas x, 3, 4\n  xchg.rlx x, 5", &program);
    const struct insn *insns = program.threads[0].insns;
    assert_int_equal(insns[0].b.number, 3);
    assert_int_equal(insns[0].a.number, 4);
    assert_int_equal(insns[0].order, ORDER_SEQ_CST);
    assert_int_equal(insns[1].op, OP_RMW);
    assert_int_equal(insns[1].rmw, RMW_XCHG);
    assert_int_equal(insns[1].order, ORDER_RELAXED);
    assert_int_equal(insns[1].dst, REG_NONE);
    program_free(&program);
}

static void test_numbers(void **state)
{
    struct program program;

    (void)state;
    read_good("cell x = 0xffffffffffffffff\ncell y = -9223372036854775808\ncell1 z[3] = 255 -128\n"
              "thread T\n  reg r = -0x10\n  let r = r - -1\n  let r = 5 -3\n",
              &program);
    assert_int_equal(program.decls[0].init[0].number, -1);
    assert_true(program.decls[1].init[0].number == INT64_MIN);
    assert_int_equal(program.decls[2].init[0].number, 255);
    assert_int_equal(program.decls[2].init[1].number, -128);
    assert_int_equal(program.decls[2].init[2].number, 0);
    assert_int_equal(program.threads[0].regs[0].init.number, -16);
    assert_int_equal(program.threads[0].insns[0].b.number, -1);
    assert_int_equal(program.threads[0].insns[1].alu, ALU_SUB);
    assert_int_equal(program.threads[0].insns[1].b.number, 3);
    assert_round_trip(&program);
    program_free(&program);
}

static void test_addresses(void **state)
{
    struct program program;

    (void)state;
    read_good("cell p = &a[2]\ncell4 a[4]\ncell q[2] = &[p-3] &p\n"
              "thread T\n  reg r = &a[4]\n  s = load4 [r-4]\n  store [&a+8], &q\n  load [64]\n",
              &program);
    assert_int_equal(program.decls[0].init[0].kind, OPERAND_ADDRESS);
    assert_int_equal(program.decls[0].init[0].number, 8);
    assert_int_equal(program.decls[2].init[0].number, -3);
    assert_int_equal(program.threads[0].regs[0].init.number, 16);
    assert_int_equal(program.threads[0].insns[0].place.kind, PLACE_POINTER);
    assert_int_equal(program.threads[0].insns[0].place.offset, -4);
    assert_int_equal(program.threads[0].insns[1].size, 8);
    assert_int_equal(program.threads[0].insns[1].place.index.kind, OPERAND_ADDRESS);
    assert_int_equal(program.threads[0].insns[1].place.offset, 8);
    assert_round_trip(&program);
    program_free(&program);
}

static void test_layout(void **state)
{
    static const char crlf[] =
        "\xef\xbb\xbfprogram  a b \t# c\r\ncell x\r\nthread T\r\n\tload x\r\n";
    struct program program;

    (void)state;
    read_bytes(crlf, sizeof(crlf) - 1, &program);
    assert_string_equal(program.name, "a b");
    assert_int_equal(program.threads[0].insns[0].line, 4);
    assert_round_trip(&program);
    program_free(&program);
    read_good("# caf\xc3\xa9\nthread T", &program);
    program_free(&program);
}

static void test_every_operation(void **state)
{
    static const char *const operands[OBJECT_KIND_COUNT] = {
        [OBJECT_CELL] = "x", [OBJECT_MUTEX] = "m", [OBJECT_SPIN] = "l",    [OBJECT_RWLOCK] = "w",
        [OBJECT_COND] = "c", [OBJECT_SEM] = "s",   [OBJECT_BARRIER] = "b", [OBJECT_CHANNEL] = "h",
    };
    char source[256];

    (void)state;
    for (unsigned op = 0; op < OP_KIND_COUNT; op++) {
        const char *parts = op_shapes[op].operands;
        if (op_infos[op].flags & OP_HIDDEN) {
            assert_null(parts);
            continue;
        }
        assert_non_null(parts);
        int length = snprintf(
            source, sizeof(source),
            "cell x\nmutex m\nspin l\nrwlock w\ncond c\nsem s\nbarrier b = 1\nchannel h = 2\n"
            "thread T\n  %s%s",
            op_shapes[op].result ? "r = " : "", op == OP_RMW ? "xor" : op_infos[op].text);
        for (const char *part = parts; *part; part++) {
            const char *text = *part == 'p'   ? operands[op_place_kind((uint8_t)op)]
                               : *part == 'm' ? "m"
                               : *part == 't' ? "U"
                               : *part == 'e' ? "q == 3"
                                              : "3";
            length += snprintf(source + length, sizeof(source) - (size_t)length, "%s %s",
                               part == parts ? "" : ",", text);
        }
        snprintf(source + length, sizeof(source) - (size_t)length, "\nthread U\n");

        struct program program;
        read_good(source, &program);
        assert_int_equal(program.threads[0].insn_count, 1);
        assert_int_equal(program.threads[0].insns[0].op, op);
        assert_round_trip(&program);
        program_free(&program);
    }
}

static void test_every_operator(void **state)
{
    (void)state;
    for (unsigned alu = 0; alu < ALU_KIND_COUNT; alu++) {
        bool prefix = alu == ALU_SEXT || alu == ALU_ZEXT;
        char source[200];
        struct program program;

        snprintf(source, sizeof(source),
                 prefix ? "thread T\nlet r = %s q, 4\nassert %s q, 4\nL:\nif %s q, 4 goto L\n"
                        : "thread T\nlet r = q %s 4\nassert q %s 4\nL:\nif q %s 4 goto L\n",
                 alu_kind_names[alu], alu_kind_names[alu], alu_kind_names[alu]);
        read_good(source, &program);
        for (unsigned row = 0; row < 3; row++)
            assert_int_equal(program.threads[0].insns[row].alu, alu);
        assert_round_trip(&program);
        program_free(&program);
    }
}

/* Names that the text form cannot hold, as a reader of another form may give, are replaced. */
static void test_foreign_names(void **state)
{
    struct program program = {.name = strdup("MP #1\n")};
    struct program again;
    char *text;

    (void)state;
    uint32_t x = program_decl(&program, "x", OBJECT_CELL, 1);
    program_decl(&program, "lock", OBJECT_MUTEX, 1);
    program_thread(&program, "P 0");
    struct thread_code *thread = &program.threads[0];
    struct insn *insn = thread_code_add(thread, INSN_OP);
    insn->op = OP_LOAD;
    insn->dst = thread_code_reg(thread, "x"); /* as the cell */
    insn->place = place_decl(x);
    text = printed(&program);
    assert_string_equal(text, "program MP _1_\n\ncell x\nmutex _decl1\n\n"
                              "thread _thread0\n  reg _reg0\n  _reg0 = load x\n");
    read_good(text, &again);
    free(text);
    program_free(&program);
    program_free(&again);
}

static void test_classics(void **state)
{
    struct program program;

    (void)state;
    for (const struct classic *classic = classics; classic->name; classic++) {
        unsigned n = classic->n_max == 0 || classic->n_max > 14 ? 14 : classic->n_max;
        assert_true(classic_build(classic->name, n, &program));
        assert_round_trip(&program);
        program_free(&program);
        assert_true(classic_build(classic->name, 1, &program));
        assert_round_trip(&program);
        program_free(&program);
        if (classic->n_max != 0) {
            assert_false(classic_build(classic->name, 0, &program));
            assert_false(classic_build(classic->name, classic->n_max + 1, &program));
        }
    }
    assert_false(classic_build("nonsense", 3, &program));
    assert_true(classic_build("lastzero", 5, &program));
    assert_string_equal(program.name, "lastzero(5)");
    assert_int_equal(program.thread_count, 6);
    program_free(&program);
}

/* ---- refusals */

#define HEAD "cell x\ncell a[6]\nmutex m\ncond c\nthread T\n" /* five lines */

static const struct {
    const char *source;
    uint32_t line, column;
    const char *message;
} refused[] = {
    /* instructions */
    {HEAD "  frobnicate x", 6, 3, "unknown instruction 'frobnicate'"},
    {HEAD "  r = q + 1", 6, 7, "unknown instruction 'q' (arithmetic: let REGISTER = ...)"},
    {HEAD "  flush x", 6, 3, "unknown instruction 'flush'"},
    {HEAD "  load3 x", 6, 3, "unknown instruction 'load3'"},
    {HEAD "  storeu x, 1", 6, 3, "unknown instruction 'storeu'"},
    {HEAD "  r = 5", 6, 7, "expected an instruction, found '5'"},
    {HEAD "  , x", 6, 3, "expected an instruction, found ','"},
    {HEAD "  r = lock m", 6, 7, "lock gives no result"},
    {HEAD "  lock.acq m", 6, 7, "lock has no memory order"},
    {HEAD "  store.foo x, 1", 6, 9,
     "expected one of the orders rlx, acq, rel, ar, sc, found 'foo'"},
    {"lock m\nthread T", 1, 1, "expected a declaration or 'thread', found 'lock'"},
    {"let r = 1\nthread T", 1, 1, "expected a declaration or 'thread', found 'let'"},
    /* names and kinds */
    {HEAD "  lock q", 6, 8, "unknown name 'q': lock needs a mutex"},
    {HEAD "  lock x", 6, 8, "lock needs a mutex, x is a cell"},
    {HEAD "  wait c, c", 6, 11, "wait needs a mutex, c is a cond"},
    {HEAD "  r = load m", 6, 12, "load needs a cell, m is a mutex"},
    {HEAD "  store x, &m", 6, 13, "& needs a cell, m is a mutex"},
    {HEAD "  store x, a", 6, 12, "expected a register, a is a cell"},
    {HEAD "  x = load x", 6, 3, "expected a register, x is a cell"},
    {HEAD "  r = load a", 6, 12, "a is an array: it needs an index"},
    {HEAD "  create U", 6, 10, "unknown thread 'U'"},
    {HEAD "  let add = 1", 6, 7, "'add' cannot be a name: it is a keyword"},
    {HEAD "  lock [r]", 6, 8, "expected the name of a mutex, found '['"},
    {HEAD "  r = load a[&x]", 6, 14, "expected a number or a register as index, found '&'"},
    /* lines that end too early or too late */
    {HEAD "  store x,", 6, 11,
     "expected a register, a number or '&' and a cell, found the end of the input"},
    {HEAD "  store x\n", 6, 10, "expected ',', found the end of the line"},
    {HEAD "  store\n", 6, 8, "expected the name of a cell, found the end of the line"},
    {HEAD "  r =\n", 6, 6, "expected an instruction, found the end of the line"},
    {HEAD "  r = load a[2\n", 6, 15, "expected ']', found the end of the line"},
    {HEAD "  wait c\n", 6, 9, "expected ',', found the end of the line"},
    {HEAD "  if r == 0\n", 6, 12, "expected 'goto', found the end of the line"},
    {HEAD "  fence x\n", 6, 9, "expected the end of the line, found 'x'"},
    {HEAD "L: fence\n", 6, 4, "expected the end of the line, found 'fence'"},
    {HEAD "  let r\n", 6, 8, "expected '=', found the end of the line"},
    {HEAD "  let r = sext q\n", 6, 17, "expected ',', found the end of the line"},
    /* labels and registers */
    {HEAD "  goto L\n", 6, 8, "thread T has no label 'L'"},
    {HEAD "L:\n  goto M\nthread U\nM:\n", 7, 8, "thread T has no label 'M'"},
    {HEAD "L:\n  yield\nL:\n", 8, 1, "label 'L' is defined twice, first in line 6"},
    {HEAD "if:\n", 6, 3, "expected a register, a number or '&' and a cell, found ':'"},
    {HEAD "load:\n", 6, 1, "'load' cannot be a name: it is a keyword"},
    {HEAD "  yield\n  reg r = 1\n", 7, 3, "reg comes before the first instruction of its thread"},
    {HEAD "  reg r, r\n", 6, 10, "register r is listed twice"},
    {HEAD "  reg r = q\n", 6, 11, "expected a number or '&' and a cell, found 'q'"},
    /* numbers */
    {HEAD "  store x, 9223372036854775808", 6, 12, "the number does not fit 64 bits"},
    {HEAD "  store x, -9223372036854775809", 6, 12, "the number does not fit 64 bits"},
    {HEAD "  store x, 99999999999999999999", 6, 12, "the number does not fit 64 bits"},
    {HEAD "  store x, 0x10000000000000000", 6, 12, "the number does not fit 64 bits"},
    {HEAD "  store x, 12ab", 6, 14, "a number cannot go on with 'a'"},
    {HEAD "  store x, 0xg", 6, 13, "a number cannot go on with 'x'"},
    {HEAD "  store x+2000000000000, 1", 6, 10, "an offset is at most 2^40 bytes"},
    {HEAD "  store x, &a[7]", 6, 15, "a has 6 elements"},
    {HEAD "  r = choose 0", 6, 7, "choose takes 1 to 1024"},
    {HEAD "  r = choose 1025", 6, 7, "choose takes 1 to 1024"},
    {HEAD "  let r = sext r, 3", 6, 3, "sext and zext keep 1, 2, 4 or 8 bytes"},
    /* declarations */
    {"cell x\nmutex x\nthread T", 2, 7, "'x' is declared twice, first in line 1"},
    {"thread T\nthread T", 2, 8, "'T' is declared twice, first in line 1"},
    {"cell\nthread T", 1, 5, "expected a name, found the end of the line"},
    {"cell load\nthread T", 1, 6, "'load' cannot be a name: it is a keyword"},
    {"cell a[0]\nthread T", 1, 8, "an array has 1 to 67108864 elements"},
    {"cell a[-1]\nthread T", 1, 8, "an array has 1 to 67108864 elements"},
    {"cell a[67108864]\nthread T", 1, 6, "the cells take more than 64 MiB"},
    {"cell1 a[67108864]\ncell1 b\nthread T", 2, 7, "the cells take more than 64 MiB"},
    {"cell1 a[67108864] = 1\nthread T", 1, 21,
     "arrays with initial values have at most 1048576 elements together"},
    {"mutex m[65537]\nthread T", 1, 7, "more than 65536 objects that are not cells"},
    {"cell a[2] = 1 2 3\nthread T", 1, 17, "more values than elements: a has 2"},
    {"cell a =\nthread T", 1, 9, "expected a number or '&' and a cell, found the end of the line"},
    {"cell1 a = 256\nthread T", 1, 11, "the number does not fit a cell of 1 bytes"},
    {"cell a = r\nthread T", 1, 10, "expected a number or '&' and a cell, found 'r'"},
    {"mutex m = 1\nthread T", 1, 9, "a mutex has no initial value"},
    {"sem s = -1\nthread T", 1, 9, "a sem takes a number from 0 to 2147483647"},
    {"barrier b\nthread T", 1, 10,
     "expected '=' and how many threads the barrier takes, found the end of the line"},
    {"barrier b = 0\nthread T", 1, 13, "a barrier takes a number from 1 to 65536"},
    {"program\nthread T", 1, 8, "expected the name of the program"},
    {"program a\nprogram b\nthread T", 2, 1, "the program has a name already"},
    {"program caf\xc3\xa9\nthread T", 1, 12, "unexpected byte 0xc3 in a name"},
    /* no program at all */
    {"", 0, 0, "the program has no thread"},
    {"cell x\n", 0, 0, "the program has no thread"},
    {"thread T\n  create T", 0, 0, "no thread starts by itself"},
    {"\x7f"
     "ELF\x02\x01",
     1, 1, "unexpected byte 0x7f: this is not a text"},
    {"cell x # \x1b[2J\nthread T", 1, 10, "unexpected byte 0x1b: this is not a text"},
    {"cell x\rthread T", 1, 7, "unexpected byte 0x0d: this is not a text"},
    {"cell \xff\nthread T", 1, 6, "unexpected byte 0xff: only comments may hold it"},
    {"cell x; thread T", 1, 7, "unexpected character ';'"},
    {"cell aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nthread T", 1, 6,
     "a name is at most 64 characters long, this one has 65"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct program program;
        struct read_error error;
        char wanted[300];
        char got[300];

        assert_false(
            text_read(refused[i].source, strlen(refused[i].source), "f", &program, &error));
        assert_null(program.threads);
        assert_null(program.decls);
        snprintf(wanted, sizeof(wanted), "%u:%u: %s", (unsigned)refused[i].line,
                 (unsigned)refused[i].column, refused[i].message);
        snprintf(got, sizeof(got), "%u:%u: %s", (unsigned)error.line, (unsigned)error.column,
                 error.message);
        assert_string_equal(got, wanted);
    }
}

/* NUL is a byte like others, and every shortened program is refused or read, never worse. */
static void test_any_length(void **state)
{
    static const char source[] =
        "cell x = 1\nthread T\n  r = cas.rel x, 0, &x\n  if r != 0 goto L\n"
        "L:\n\0";
    struct program program;
    struct read_error error;

    (void)state;
    for (size_t length = 0; length < sizeof(source) - 1; length++) {
        char *copy = malloc(length ? length : 1); /* so that a sanitizer sees a read past the end */
        assert_non_null(copy);
        memcpy(copy, source, length);
        if (text_read(copy, length, NULL, &program, &error))
            program_free(&program);
        free(copy);
    }
    assert_false(text_read(source, sizeof(source) - 1, NULL, &program, &error));
    assert_string_equal(error.message, "unexpected byte 0x00: this is not a text");
    assert_int_equal(error.line, 6);
    assert_int_equal(error.column, 1);
}

/* `unit` again and again, each %u a new number, behind `head`. */
static char *repeated(const char *head, const char *unit, unsigned count)
{
    size_t size = strlen(head) + (strlen(unit) + 10) * count + 1;
    char *text = malloc(size);
    size_t length;

    assert_non_null(text);
    length = (size_t)snprintf(text, size, "%s", head);
    for (unsigned i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, size - length, unit, i);
    return text;
}

static void test_limits(void **state)
{
    static const struct {
        const char *head, *unit;
        unsigned max;
        uint32_t line, column;
        const char *message;
    } limits[] = {
        {"", "thread T%u\n", 1024, 1025, 8, "more than 1024 threads"},
        {"thread T\n", "let r%u = 1\n", 4096, 4098, 5, "a thread has at most 4096 registers"},
        {"thread T\n", "cell1 c%u\n", 65536, 65538, 7, "more than 65536 declarations"},
        {"thread T\n", "spin c%u\n", 65536, 65538, 6, "more than 65536 objects that are not cells"},
        {"thread T\n", "yield#%u\n", 1 << 20, (1 << 20) + 2, 1, "more than 1048576 rows"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct program program;
        struct read_error error;
        char *text = repeated(limits[i].head, limits[i].unit, limits[i].max);
        read_good(text, &program);
        program_free(&program);
        free(text);
        text = repeated(limits[i].head, limits[i].unit, limits[i].max + 1);
        assert_false(text_read(text, strlen(text), NULL, &program, &error));
        assert_string_equal(error.message, limits[i].message);
        assert_int_equal(error.line, limits[i].line);
        assert_int_equal(error.column, limits[i].column);
        free(text);
    }
}

static void test_length(void **state)
{
    size_t length = TEXT_LENGTH_MAX;
    char *text = malloc(length + 1);
    struct program program;
    struct read_error error;

    (void)state;
    assert_non_null(text);
    memset(text, '\n', length + 1);
    memcpy(text + length - 8, "thread T", 8);
    read_bytes(text, length, &program);
    program_free(&program);
    assert_false(text_read(text, length + 1, NULL, &program, &error));
    assert_string_equal(error.message, "the input is longer than 16 MiB");
    free(text);
}

/* ---- what only a table made by hand can get wrong */

static void test_check_row(void **state)
{
    struct program program = {0};
    uint32_t line;

    (void)state;
    uint32_t x = program_decl(&program, "x", OBJECT_CELL, 1);
    assert_int_equal(program_decl(&program, "x", OBJECT_CELL, 1), x);
    program_thread(&program, "T");
    struct thread_code *thread = &program.threads[0];
    struct insn *insn = thread_code_add(thread, INSN_OP);
    insn->line = 7;
    insn->op = OP_LOAD;
    assert_string_equal(program_check(&program, &line), "the operation needs a place");
    assert_int_equal(line, 7);
    insn->place = place_decl(x);
    assert_null(program_check(&program, &line));
    insn->dst = 0;
    assert_string_equal(program_check(&program, &line), "the result goes to an unknown register");
    insn->dst = thread_code_reg(thread, "r");
    assert_null(program_check(&program, &line));
    insn->place.decl = 1;
    assert_string_equal(program_check(&program, &line), "an unknown declaration");
    insn->place = place_element(x, operand_reg(1));
    assert_string_equal(program_check(&program, &line), "an unknown register");
    insn->place = place_element(x, operand_reg(REG_NONE));
    assert_string_equal(program_check(&program, &line), "an unknown register");
    insn->place = place_decl(x);
    insn->size = 3;
    assert_string_equal(program_check(&program, &line), "cells have 1, 2, 4 or 8 bytes");
    insn->size = 0;
    insn->place.kind = PLACE_POINTER;
    assert_string_equal(program_check(&program, &line), "an access by address needs a size");
    insn->place.kind = PLACE_DECL;
    insn->op = OP_FLUSH;
    assert_string_equal(program_check(&program, &line),
                        "an operation that programs cannot ask for");
    program_free(&program);
}

static void test_check_whole(void **state)
{
    struct program program = {0};
    uint32_t line;

    (void)state;
    program_thread(&program, "T");
    struct insn *insn = thread_code_add(&program.threads[0], INSN_BRANCH);
    insn->jump = 2;
    assert_string_equal(program_check(&program, &line), "a jump past the end of the thread");
    insn->jump = 1;
    assert_null(program_check(&program, &line));
    *insn = (struct insn){.kind = INSN_OP, .op = OP_THREAD_CREATE, .dst = REG_NONE, .thread = 1};
    assert_string_equal(program_check(&program, &line), "an unknown thread");
    program_thread(&program, "U");
    assert_string_equal(program_check(&program, &line),
                        "the created thread is not marked so (program_mark_created)");
    program_mark_created(&program);
    assert_null(program_check(&program, &line));
    program_decl(&program, "s", OBJECT_SEM, 1);
    assert_string_equal(program_check(&program, &line),
                        "a semaphore needs an initial value from 0 to 2147483647");
    program_free(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),           cmocka_unit_test(test_control),
        cmocka_unit_test(test_cas_operands),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_addresses),       cmocka_unit_test(test_layout),
        cmocka_unit_test(test_every_operation), cmocka_unit_test(test_every_operator),
        cmocka_unit_test(test_foreign_names),   cmocka_unit_test(test_classics),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_any_length),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_length),
        cmocka_unit_test(test_check_row),       cmocka_unit_test(test_check_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
