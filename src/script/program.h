#ifndef RADDLE_SCRIPT_PROGRAM_H
#define RADDLE_SCRIPT_PROGRAM_H

/* Ground rules of the room `script`: a scripted program is a table, made by a reader (text form or
 * litmus test), run by script/target.c. The whole engine is tested on such programs. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/op.h"

typedef int16_t reg_id;
#define REG_NONE ((reg_id)-1)

/* What program_check lets pass at most. A reader of foreign input refuses earlier, with a column. */
enum {
    PROGRAM_THREADS_MAX = 1024,
    PROGRAM_REGS_MAX = 4096,           /* of one thread */
    PROGRAM_ROWS_MAX = 1 << 20,        /* of all threads together */
    PROGRAM_DECLS_MAX = 1 << 16,       /* declarations */
    PROGRAM_OBJECTS_MAX = 1 << 16,     /* elements that are not cells, of all declarations */
    PROGRAM_CELL_BYTES_MAX = 64 << 20, /* of all declarations */
    PROGRAM_CHOICES_MAX = 1024,        /* of a CHOOSE whose count is a number */
    PROGRAM_BARRIER_MAX = 1 << 16,
    PROGRAM_SEM_MAX = INT32_MAX,
};

/* Bytes added to an address, either way: small enough that no sum of addresses overflows. */
#define PROGRAM_OFFSET_MAX (INT64_C(1) << 40)

/* A value: a register of the thread, a number, or the address of a cell. */
struct operand {
    enum { OPERAND_NUMBER, OPERAND_REG, OPERAND_ADDRESS } kind;
    reg_id reg;     /* OPERAND_REG */
    uint32_t decl;  /* OPERAND_ADDRESS: index into program.decls; the address of its element 0 */
    int64_t number; /* OPERAND_NUMBER; OPERAND_ADDRESS: bytes added */
};

/* What a visible operation acts on: an element of a declared array, or memory at an address that a
 * register holds (cells only). */
struct place {
    enum { PLACE_NONE, PLACE_DECL, PLACE_POINTER } kind;
    uint32_t decl;        /* PLACE_DECL: index into program.decls */
    struct operand index; /* PLACE_DECL: element number; PLACE_POINTER: the address */
    int64_t offset;       /* bytes added to the address (cells only) */
};

enum insn_kind {
    INSN_OP,     /* a visible operation */
    INSN_LET,    /* dst = a <alu> b, invisible */
    INSN_BRANCH, /* if a <alu> b is not 0, go to `jump`, invisible */
};

/* Signed 64-bit arithmetic, except where said; comparisons give 0 or 1. Division and remainder by 0
 * give 0. SEXT and ZEXT keep the low b bytes of a, with or without the sign. */
enum alu_kind {
    ALU_ADD,
    ALU_SUB,
    ALU_MUL,
    ALU_DIV,
    ALU_MOD,
    ALU_AND,
    ALU_OR,
    ALU_XOR,
    ALU_SHL,
    ALU_SHR, /* arithmetic */
    ALU_EQ,
    ALU_NE,
    ALU_LT,
    ALU_LE,
    ALU_GT,
    ALU_GE,
    ALU_ULT, /* unsigned */
    ALU_ULE,
    ALU_SEXT,
    ALU_ZEXT,
    ALU_KIND_COUNT
};

extern const char *const alu_kind_names[ALU_KIND_COUNT]; /* "+", "-", …, "==", "sext", "zext" */

/* One row of a thread's table. */
struct insn {
    uint8_t kind;       /* enum insn_kind */
    uint8_t op;         /* INSN_OP: enum op_kind */
    uint8_t order;      /* enum memory_order */
    uint8_t rmw;        /* enum rmw_kind, up to RMW_XOR */
    uint8_t alu;        /* INSN_LET, INSN_BRANCH: enum alu_kind; INSN_OP ASSUME, ASSERT too */
    uint8_t size;       /* bytes accessed; 0: the size of the declared cell */
    bool sign;          /* the loaded value is sign-extended to 64 bits (the default of cells) */
    reg_id dst;         /* where the result goes, or REG_NONE */
    struct place place; /* INSN_OP: its object */
    struct place mutex; /* COND_WAIT, COND_TIMEDWAIT */
    struct operand a;   /* stored, added, desired; CHOOSE: how many; LET, BRANCH, ASSUME, ASSERT */
    struct operand b;   /* CAS: expected; LET, BRANCH, ASSUME, ASSERT: the second operand */
    uint32_t jump;      /* BRANCH: index of a row of this thread (may be one past the last) */
    uint32_t thread;    /* THREAD_CREATE, THREAD_JOIN: index into program.threads */
    uint32_t line;      /* of the source text, 1-based; 0 if made by hand */
};

/* A named cell, object, or array of them. */
struct decl {
    char *name;
    uint8_t kind;         /* enum object_kind */
    uint8_t size;         /* bytes of a cell: 1, 2, 4 or 8 */
    uint32_t count;       /* elements; 1 for a scalar */
    bool is_array;        /* written with brackets */
    struct operand *init; /* cells: `count` initial values, NULL for zeros; SEM: one, its value;
                             BARRIER: one, its count; see decl_set_init */
};

/* A register's name and its value when the thread starts. */
struct reg {
    char *name;
    struct operand init; /* OPERAND_NUMBER or OPERAND_ADDRESS */
};

struct thread_code {
    char *name;
    struct reg *regs;
    uint32_t reg_count;
    struct insn *insns;
    uint32_t insn_count;
    bool created; /* some row creates it; it does not start by itself */
};

/* A whole program. Every thread that no row creates starts at once. A thread runs at most once in an
 * execution: creating it again is a bug (misuse). A thread that runs past its last row exits.
 *
 * What a row gives its dst: LOAD the value; RMW, CAS the old value; a try operation 1 if it got the
 * lock, else 0; COND_TIMEDWAIT 1 if it timed out, else 0; BARRIER_WAIT 1 for the last to arrive,
 * else 0; CHOOSE the number chosen (0 … n-1). */
struct program {
    char *name;
    struct decl *decls;
    uint32_t decl_count;
    struct thread_code *threads;
    uint32_t thread_count;
};

/* Frees what `program` points to (all of it came from malloc), not `program` itself. */
void program_free(struct program *program);

/* Builders, used by the readers and by tests. Names are copied. Each returns the new index; rows keep
 * their order. A thread, register or declaration that exists already is returned, not added again.
 * They own the growth of the arrays: do not allocate those by other means and go on building.
 * A new cell has 8 bytes; a count other than 1 makes an array. A new row has dst REG_NONE and sign
 * true, all else is 0; it stays where it is only until the next row of its thread is added. */
uint32_t program_decl(struct program *program, const char *name, enum object_kind kind,
                      uint32_t count);
uint32_t program_thread(struct program *program, const char *name);
reg_id thread_code_reg(struct thread_code *thread, const char *name); /* REG_NONE when full */
struct insn *thread_code_add(struct thread_code *thread, enum insn_kind kind);

/* The same, when the caller knows that the name is new: constant time. */
uint32_t program_add_decl(struct program *program, const char *name, enum object_kind kind,
                          uint32_t count);
uint32_t program_add_thread(struct program *program, const char *name);
reg_id thread_code_add_reg(struct thread_code *thread, const char *name);

/* Sets the initial value of one element of a cell; of a SEM or BARRIER, which have one value for all
 * elements, `element` is 0. Allocates decl->init at the first call. */
void decl_set_init(struct decl *decl, uint32_t element, struct operand value);

/* Whether a cell of `size` bytes can hold the number, seen as signed or as unsigned. */
bool cell_number_fits(int64_t number, unsigned size);

/* Sets thread_code.created of all threads from the rows that create. */
void program_mark_created(struct program *program);

/* An operand that is a number; that is a register. */
struct operand operand_number(int64_t number);
struct operand operand_reg(reg_id reg);

/* The address `offset` bytes after the start of a declared cell or array. */
struct operand operand_address(uint32_t decl, int64_t offset);

/* The declared scalar, or element `index` of the declared array. */
struct place place_decl(uint32_t decl);
struct place place_element(uint32_t decl, struct operand index);

/* NULL if every index, register, size and jump is in range and every place has the kind its operation
 * needs; else what is wrong, in words, with *line set. Readers call it last; the target relies on it. */
const char *program_check(const struct program *program, uint32_t *line);

/* The same for one row of one of its threads, except its jump, which may not be known yet. */
const char *program_check_row(const struct program *program, const struct thread_code *thread,
                              const struct insn *insn);

#endif
