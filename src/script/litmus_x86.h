#ifndef RADDLE_SCRIPT_LITMUS_X86_H
#define RADDLE_SCRIPT_LITMUS_X86_H

/* Assembler of x86 litmus tests, read (litmus_x86.c) and turned into rows (litmus_x86_code.c). */

#include "script/litmus_code.h"

enum { X86_REG_COUNT = 17, X86_ACCUMULATOR = 0, X86_IP = 16 };
#define X86_REG_NONE UINT8_MAX

/* What an instruction does, as far as reading and writing it down goes. */
enum x86_form {
    X86_NOP,
    X86_MOVE,
    X86_EXTEND, /* movzb, movsw…: detail is the size read, with X86_SIGNED */
    X86_LEA,
    X86_BINARY, /* detail: enum x86_arithmetic */
    X86_UNARY,  /* detail: enum x86_arithmetic */
    X86_EXCHANGE,
    X86_EXCHANGE_ADD,
    X86_COMPARE_EXCHANGE,
    X86_FENCE, /* detail: enum memory_order */
    X86_JUMP,  /* detail: enum x86_condition */
    X86_SET,   /* detail: enum x86_condition */
    X86_CMOVE, /* detail: enum x86_condition */
    X86_RETURN,
    X86_REFUSED,
    X86_FORM_COUNT
};

enum { X86_SIGNED = 0x80 };

enum x86_arithmetic {
    X86_ADD,
    X86_SUB,
    X86_AND,
    X86_OR,
    X86_XOR,
    X86_CMP,  /* SUB without its result */
    X86_TEST, /* AND without its result */
    X86_INC,
    X86_DEC,
    X86_NEG,
    X86_NOT,
};

enum x86_condition {
    X86_E,
    X86_NE,
    X86_L,
    X86_GE,
    X86_LE,
    X86_G,
    X86_B,
    X86_AE,
    X86_BE,
    X86_A,
    X86_S,
    X86_NS,
    X86_O,
    X86_NO,
    X86_ALWAYS,
};

struct x86_mnemonic {
    const char *name;
    enum x86_form form;
    uint8_t detail;
    uint8_t operands;
};

struct x86_operand {
    enum { X86_OPERAND_NONE, X86_REGISTER, X86_IMMEDIATE, X86_MEMORY } kind;
    uint8_t reg;          /* REGISTER; MEMORY: base, or X86_REG_NONE */
    uint8_t size;         /* REGISTER: bytes */
    uint8_t index, scale; /* MEMORY: or X86_REG_NONE */
    uint32_t decl;        /* MEMORY, IMMEDIATE (its address): or LITMUS_NONE */
    int64_t number;       /* IMMEDIATE; MEMORY: bytes added */
};

struct x86_insn {
    enum x86_form form;
    uint8_t detail;
    bool lock;
    uint8_t size;                           /* bytes of the operation; 0 until resolved */
    struct x86_operand destination, source; /* of two; one operand is the destination */
    struct token name;                      /* for messages */
    struct token label;                     /* JUMP */
};

struct x86_label {
    struct token name;
    uint32_t insn; /* the instruction after it */
};

struct x86_thread {
    struct x86_insn *insns;
    uint32_t insn_count;
    struct x86_label *labels;
    uint32_t label_count;
    struct x86_jump {
        uint32_t row, insn; /* that row goes to that instruction */
    } *jumps;
    uint32_t jump_count;
    uint32_t *starts;               /* by instruction: its first row; one more for the end */
    bool uses_flags;                /* some instruction depends on them */
    uint8_t written[X86_REG_COUNT]; /* bytes of the widest write; 0: none */
};

struct x86_test {
    struct x86_thread *threads;
    uint32_t thread_count;
};

/* The register of the program that holds all of `reg`. */
reg_id litmus_x86_reg(struct litmus_code *code, uint8_t reg);

/* Turns the instructions of one thread into rows. */
void litmus_x86_compile(struct litmus_reader *reader, uint32_t thread);

#endif
