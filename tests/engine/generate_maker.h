#ifndef RADDLE_TESTS_ENGINE_GENERATE_MAKER_H
#define RADDLE_TESTS_ENGINE_GENERATE_MAKER_H

/* What the files of the generator share. */

#include "generate.h"

/* The program while it grows. Rows are written for one thread at a time. */
struct maker {
    uint64_t random;
    enum flavour flavour;
    bool odd;           /* additions of several sizes */
    uint8_t usual_rmw;  /* enum rmw_kind */
    uint32_t threads;   /* that there will be */
    uint32_t rounds;    /* how often each of them comes to the barrier, or 0: as chance has it */
    uint32_t arrivals;  /* of this thread, so far */
    bool writers_first; /* writers come to wait for a rwlock */
    struct program *program;
    struct thread_code *code; /* of the thread being written */
    uint32_t thread;
    int budget;  /* events it may still have */
    reg_id last; /* register of the latest result, or REG_NONE */
    uint32_t cells[4];
    uint32_t cell_count;
    uint32_t mutex_count;
    int parents[4]; /* who creates each thread, or -1 */
};

/* generate.c */
uint32_t random_below(struct maker *maker, uint32_t n);
bool percent(struct maker *maker, uint32_t n);
reg_id fresh_result(struct maker *maker);
struct insn *add_op(struct maker *maker, enum op_kind op);
struct insn *add_op_on(struct maker *maker, enum op_kind op, const char *name,
                       enum object_kind kind);
void add_branch(struct maker *maker, enum alu_kind alu, struct operand a, struct operand b,
                uint32_t jump);
void write_load(struct maker *maker);
void write_store(struct maker *maker);

/* generate_sync.c: patterns of synchronisation operations */
void write_section(struct maker *maker);
void write_nested(struct maker *maker);
void write_trylock(struct maker *maker);
void write_element_section(struct maker *maker);
void write_rwlock(struct maker *maker);
void write_wait(struct maker *maker);
void write_signal(struct maker *maker);
void write_sem(struct maker *maker);
void write_barrier(struct maker *maker);
void write_life(struct maker *maker);
void write_cancel(struct maker *maker);
void write_channel(struct maker *maker);

#endif
