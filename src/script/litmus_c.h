#ifndef RADDLE_SCRIPT_LITMUS_C_H
#define RADDLE_SCRIPT_LITMUS_C_H

/* C litmus tests: statements (litmus_c.c), expressions (litmus_c_expression.c) and atomic functions
 * (litmus_c_call.c), turned into rows while they are read. */

#include "script/litmus_code.h"

/* A parameter, which points to a memory location, or a local variable. */
struct c_variable {
    struct token name;
    bool parameter;
    reg_id reg;    /* local */
    uint32_t decl; /* parameter */
    struct litmus_type type;
};

struct c_thread {
    struct c_variable *variables;
    uint32_t count;
};

struct c_test {
    struct litmus_reader *reader;
    struct c_thread threads[LITMUS_THREADS_MAX];
    uint32_t thread_count;
    struct litmus_code code; /* of the last thread */
    uint32_t *returns;       /* rows that jump to the end of the thread */
    uint32_t return_count;
};

/* A value in C. Invariant: a register or number holds it extended from its type's size to 64 bits,
 * by sign or by zeros as the type says. */
struct c_value {
    struct operand operand;
    struct litmus_type type;
};

/* What can be assigned: a local variable, or the memory that `pointer` points to. */
struct c_lvalue {
    const struct c_variable *local; /* or NULL */
    struct c_value pointer;
};

static const struct litmus_type c_int = {.size = 4, .sign = true};

const struct c_variable *litmus_c_variable(struct c_test *test, uint32_t thread,
                                           const struct token *name);

/* Reads an expression. */
struct c_value litmus_c_expression(struct c_test *test);

/* Reads something assignable, whose first name (if it starts with one) was read already or not. */
struct c_lvalue litmus_c_lvalue(struct c_test *test);
struct c_lvalue litmus_c_lvalue_named(struct c_test *test, const struct token *name);

/* The value as another type; how many bytes a value takes; what a pointer points to. */
struct c_value litmus_c_convert(struct c_test *test, struct c_value value, struct litmus_type type);
uint8_t litmus_c_size(struct c_test *test, struct litmus_type type);
struct litmus_type litmus_c_pointee(struct c_test *test, struct c_value pointer);

/* Reads and writes through an lvalue. */
void litmus_c_assign(struct c_test *test, struct c_lvalue to, struct c_value value,
                     enum memory_order order);
struct c_value litmus_c_load(struct c_test *test, struct c_value pointer, enum memory_order order);

/* Reads a call whose name was read; the current token is its '('. */
struct c_value litmus_c_call(struct c_test *test, const struct token *name);

#endif
