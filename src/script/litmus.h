#ifndef RADDLE_SCRIPT_LITMUS_H
#define RADDLE_SCRIPT_LITMUS_H

/* Litmus tests in the formats of herd7: X86 (destination first), X86_64 (AT&T) and C. A test
 * becomes a program table, one thread a column, and a question about its final states. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "script/program.h"
#include "script/read_error.h"

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };

enum litmus_location_kind {
    LITMUS_REGISTER, /* register `reg` of thread `thread` */
    LITMUS_CELL,     /* what element `index` of cell `decl` holds */
    LITMUS_ADDRESS,  /* where element `index` of cell `decl` is */
};

/* Something that has a value in a final state. */
struct litmus_location {
    enum litmus_location_kind kind;
    uint32_t thread; /* index into program.threads */
    reg_id reg;
    uint32_t decl; /* index into program.decls */
    uint32_t index;
    uint8_t size;  /* bytes that count: 1, 2, 4 or 8 */
    bool sign;     /* they are a signed number */
    bool pointer;  /* may hold an address: shown by name */
    uint32_t rank; /* place among the registers of its thread when states are shown */
    char *name;    /* as herd7 shows it: "0:EAX", "[x]", "a[1]" */
};

enum litmus_node_kind {
    LITMUS_TRUE,
    LITMUS_FALSE,
    LITMUS_EQUAL, /* location a == number, or == location b */
    LITMUS_NOT,
    LITMUS_AND,
    LITMUS_OR,
    LITMUS_IMPLIES,
};

#define LITMUS_NONE UINT32_MAX

/* One node of a condition. */
struct litmus_node {
    enum litmus_node_kind kind;
    uint32_t a, b;  /* indices: of nodes; for EQUAL of locations, b may be LITMUS_NONE */
    int64_t number; /* EQUAL without b */
};

struct litmus {
    char *name;
    char *arch; /* "X86", "X86_64" or "C" */
    struct program program;
    enum litmus_quantifier quantifier;
    struct litmus_node *nodes;
    uint32_t node_count;
    uint32_t condition;                /* index of the root node */
    uint32_t filter;                   /* index of the root node, or LITMUS_NONE */
    struct litmus_location *locations; /* all that conditions mention, and addresses */
    uint32_t location_count;
    uint32_t *observed; /* indices into locations: what a state shows, in that order */
    uint32_t observed_count;
};

/* The value of a location in a final state: all 64 bits of the register, the bytes of the cell
 * (extended or not), or the address. */
typedef int64_t (*litmus_value_fn)(void *context, const struct litmus_location *location);

/* Reads a test. `file` only names it if the title gives no name; may be NULL. False: *error says
 * why, and *out holds nothing. Takes time linear in `length`. */
bool litmus_read(const char *source, size_t length, const char *file, struct litmus *out,
                 struct read_error *error);

/* Frees what `litmus` points to, not `litmus` itself. */
void litmus_free(struct litmus *litmus);

/* Whether the state satisfies the condition (without its quantifier); passes the filter. */
bool litmus_holds(const struct litmus *litmus, litmus_value_fn value, void *context);
bool litmus_keeps(const struct litmus *litmus, litmus_value_fn value, void *context);

/* The low `size` bytes of a number, signed or not. */
int64_t litmus_number_fit(int64_t number, unsigned size, bool sign);

/* The value of a location as a number of its type. */
int64_t litmus_value(const struct litmus_location *location, litmus_value_fn value, void *context);

/* Finds the cell whose address `number` is, if the location may hold addresses. */
bool litmus_address_find(const struct litmus *litmus, const struct litmus_location *pointer,
                         int64_t number, litmus_value_fn value, void *context,
                         struct litmus_location *where);

/* Writes one state as herd7 does, "0:EAX=0; [x]=1;", without a newline. `values` has one number for
 * each observed location; `value` is asked only for addresses. */
void litmus_state_print(const struct litmus *litmus, const int64_t *values, litmus_value_fn value,
                        void *context, FILE *out);

/* Writes the condition with its quantifier, "exists (0:EAX=0 /\ [x]=1)". */
void litmus_condition_print(const struct litmus *litmus, FILE *out);

#endif
