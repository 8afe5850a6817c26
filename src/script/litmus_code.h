#ifndef RADDLE_SCRIPT_LITMUS_CODE_H
#define RADDLE_SCRIPT_LITMUS_CODE_H

/* Writes rows of one thread of a litmus test. */

#include "script/litmus_reader.h"

struct litmus_code {
    struct litmus_reader *reader;
    uint32_t thread;
    uint32_t line;       /* given to the rows */
    uint32_t temp_count; /* hidden registers in use; set it back to free them */
    uint32_t temp_made;  /* those that exist */
    reg_id temps[LITMUS_TEMPS_MAX];
};

#define LITMUS_LABEL_NONE UINT32_MAX

struct thread_code *litmus_code_thread(struct litmus_code *code);

/* A new row; fails when there are too many. Valid until the next one. */
struct insn *litmus_code_row(struct litmus_code *code, enum insn_kind kind);

/* A named register, or one that the test cannot name. */
reg_id litmus_code_reg(struct litmus_code *code, const struct token *name);
reg_id litmus_code_temp(struct litmus_code *code);

/* dst = a <alu> b; dst = a. */
void litmus_code_let(struct litmus_code *code, reg_id dst, enum alu_kind alu, struct operand a,
                     struct operand b);
void litmus_code_move(struct litmus_code *code, reg_id dst, struct operand a);

/* Jumps if a <alu> b; always. The returned row gets its target later, by litmus_code_land (to the
 * next row) or by writing insn.jump. */
uint32_t litmus_code_branch(struct litmus_code *code, enum alu_kind alu, struct operand a,
                            struct operand b);
uint32_t litmus_code_jump(struct litmus_code *code);
void litmus_code_land(struct litmus_code *code, uint32_t row);
uint32_t litmus_code_next_row(struct litmus_code *code);

/* Memory operations on `size` bytes. dst may be REG_NONE. */
void litmus_code_load(struct litmus_code *code, reg_id dst, struct place place, uint8_t size,
                      bool sign, enum memory_order order);
void litmus_code_store(struct litmus_code *code, struct place place, uint8_t size,
                       struct operand value, enum memory_order order);
struct litmus_update {
    uint8_t size;
    bool sign;
    enum rmw_kind rmw;
    enum memory_order order;
};
void litmus_code_rmw(struct litmus_code *code, reg_id dst, struct place place, struct operand value,
                     struct litmus_update update);
void litmus_code_cas(struct litmus_code *code, reg_id dst, struct place place,
                     struct operand expected, struct operand desired, struct litmus_update update);
void litmus_code_fence(struct litmus_code *code, enum memory_order order);

/* The address of element 0 of a decl, plus bytes. */
struct operand litmus_code_address(uint32_t decl, int64_t offset);

/* The memory at an address; fails if the operand is a number. */
struct place litmus_code_place(struct litmus_code *code, struct operand address);

#endif
