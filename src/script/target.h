#ifndef RADDLE_SCRIPT_TARGET_H
#define RADDLE_SCRIPT_TARGET_H

#include "model/await.h"
#include "model/target.h"
#include "model/world.h"
#include "script/program.h"

/* A scripted program as a target: its memory, registers and program counters. */
struct script {
    struct target base;
    const struct program *program; /* checked by program_check; must outlive the script */
    char *memory;                  /* all cells */
    char *initial;                 /* the same bytes, as every execution starts */
    size_t size;
    uint64_t *addresses; /* by declaration: of its element 0; an object's is a mere name */
    uint64_t end;        /* addresses from here on name objects */
    bool cancels;        /* some row is a `cancel` */
    bool awaits;         /* or an `await`: nobody may add unnoticed then */
    bool crowded;        /* more threads may use some barrier than it takes */
    bool wants;          /* or an `rwwant`: readers wait behind writers that wait */
    struct script_thread {
        int64_t *regs;
        uint32_t pc;    /* the row whose operation is pending */
        int64_t *noted; /* `regs` and `pc` before the transition under way, if they are compared */
        uint32_t noted_pc;
        struct await await; /* what that waits for, if it is an `await` */
    } *threads;
};

/* Returns 0, or -1 if memory is short. */
int script_open(struct script *script, const struct program *program);
void script_close(struct script *script);

/* Which of program.threads an agent is, or whose stores it holds. */
uint32_t script_thread_of(const struct world *world, agent_id agent);

/* The present value of a register, and of an element of a cell (signed). */
int64_t script_reg(const struct script *script, uint32_t thread, reg_id reg);
int64_t script_cell(const struct script *script, uint32_t decl, uint32_t element);

/* The declaration that `addr` lies in, with the offset of `addr` in *offset: bytes for cells, elements for
 * objects; UINT32_MAX if there is none. */
uint32_t script_locate(const struct script *script, uint64_t addr, uint64_t *offset);

/* The address of a declared thing. */
uint64_t script_address(const struct script *script, uint32_t decl);

#endif
