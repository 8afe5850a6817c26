#ifndef RADDLE_SCRIPT_MNEMONIC_H
#define RADDLE_SCRIPT_MNEMONIC_H

/* How each operation is written down: the words come from ops.def, the operands from one table here
 * that the reader, the printer and program_check share. */

#include "script/program.h"

/* What a row of an operation consists of. `operands` has one letter for each, in written order:
 *   p  its place      m  the mutex of a wait    t  a thread
 *   a  operand a      b  operand b              e  a <alu> b
 * NULL: a program cannot write this operation. */
struct op_shape {
    const char *operands;
    bool result;   /* it may have a dst */
    bool cell;     /* it accesses a cell: a size may be given, and `u` if it has a result */
    bool ordered;  /* an order may be given */
    uint8_t order; /* enum memory_order when none is given */
};

extern const struct op_shape op_shapes[OP_KIND_COUNT];

/* What its place must be. */
enum object_kind op_place_kind(uint8_t op);

/* The word of a row, taken apart: "loadu4" is a LOAD of 4 bytes without sign. */
struct mnemonic {
    uint8_t op;   /* enum op_kind */
    uint8_t rmw;  /* enum rmw_kind */
    uint8_t size; /* 0 if not given */
    bool sign;
};

/* False if the word names no operation. */
bool mnemonic_find(const char *word, size_t length, struct mnemonic *mnemonic);

/* The word without size and sign, to print. */
const char *mnemonic_word(const struct insn *insn);

#endif
