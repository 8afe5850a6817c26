#include "script/classics.h"

#include <stdio.h>
#include <string.h>

/* The program's text is given above each builder in the text form (script/text.h). */

enum {
    CLASSIC_THREADS_MAX = PROGRAM_THREADS_MAX - 1, /* some have one thread more than n */
    INDEXER_TABLE = 128,
    INDEXER_MESSAGES = 4,
    FILESYSTEM_INODES = 32,
    FILESYSTEM_BLOCKS = 26,
};

/* ---- rows */

static struct thread_code *new_thread(struct program *program)
{
    char name[16];

    snprintf(name, sizeof(name), "T%u", (unsigned)program->thread_count);
    uint32_t index = program_add_thread(program, name); /* moves program->threads: first this */
    return &program->threads[index];
}

static void add_load(struct thread_code *thread, reg_id dst, struct place place)
{
    struct insn *insn = thread_code_add(thread, INSN_OP);

    insn->op = OP_LOAD;
    insn->dst = dst;
    insn->place = place;
}

static void add_store(struct thread_code *thread, struct place place, struct operand value)
{
    struct insn *insn = thread_code_add(thread, INSN_OP);

    insn->op = OP_STORE;
    insn->place = place;
    insn->a = value;
}

/* Lock or unlock. */
static void add_op(struct thread_code *thread, enum op_kind op, struct place place)
{
    struct insn *insn = thread_code_add(thread, INSN_OP);

    insn->op = (uint8_t)op;
    insn->place = place;
}

static void add_let(struct thread_code *thread, reg_id dst, reg_id a, enum alu_kind alu, int64_t b)
{
    struct insn *insn = thread_code_add(thread, INSN_LET);

    insn->alu = (uint8_t)alu;
    insn->dst = dst;
    insn->a = operand_reg(a);
    insn->b = operand_number(b);
}

/* Returns its row; `jump` may be set later, by land_here. */
static uint32_t add_branch(struct thread_code *thread, reg_id a, enum alu_kind alu, int64_t b,
                           uint32_t jump)
{
    struct insn *insn = thread_code_add(thread, INSN_BRANCH);

    insn->alu = (uint8_t)alu;
    insn->a = operand_reg(a);
    insn->b = operand_number(b);
    insn->jump = jump;
    return thread->insn_count - 1;
}

/* The branch in `row` goes to the next row to be added. */
static void land_here(struct thread_code *thread, uint32_t row)
{
    thread->insns[row].jump = thread->insn_count;
}

/* ---- programs */

/* store mine, 1; r = load other */
static void add_sb_thread(struct program *program, uint32_t mine, uint32_t other)
{
    struct thread_code *thread = new_thread(program);

    add_store(thread, place_decl(mine), operand_number(1));
    add_load(thread, thread_code_reg(thread, "r"), place_decl(other));
}

static void build_sb(struct program *program, unsigned n)
{
    uint32_t x = program_decl(program, "x", OBJECT_CELL, 1);
    uint32_t y = program_decl(program, "y", OBJECT_CELL, 1);

    (void)n;
    add_sb_thread(program, x, y);
    add_sb_thread(program, y, x);
}

/* T0: store x, 1; store y, 1.  T1: a = load y; [if a == 0 goto END]; b = load x */
static void build_message(struct program *program, bool dependent)
{
    uint32_t x = program_decl(program, "x", OBJECT_CELL, 1);
    uint32_t y = program_decl(program, "y", OBJECT_CELL, 1);
    struct thread_code *writer = new_thread(program);

    add_store(writer, place_decl(x), operand_number(1));
    add_store(writer, place_decl(y), operand_number(1));

    struct thread_code *reader = new_thread(program);
    reg_id a = thread_code_reg(reader, "a");
    uint32_t skip = 0;
    add_load(reader, a, place_decl(y));
    if (dependent)
        skip = add_branch(reader, a, ALU_EQ, 0, 0);
    add_load(reader, thread_code_reg(reader, "b"), place_decl(x));
    if (dependent)
        land_here(reader, skip);
}

static void build_mp(struct program *program, unsigned n)
{
    (void)n;
    build_message(program, false);
}

static void build_mpdep(struct program *program, unsigned n)
{
    (void)n;
    build_message(program, true);
}

/* n times: lock m; unlock m */
static void build_locks(struct program *program, unsigned n)
{
    uint32_t m = program_decl(program, "m", OBJECT_MUTEX, 1);

    for (unsigned i = 0; i < n; i++) {
        struct thread_code *thread = new_thread(program);
        add_op(thread, OP_MUTEX_LOCK, place_decl(m));
        add_op(thread, OP_MUTEX_UNLOCK, place_decl(m));
    }
}

/* T0: store x, 1.  n times: r = load x */
static void build_readers(struct program *program, unsigned n)
{
    uint32_t x = program_decl(program, "x", OBJECT_CELL, 1);

    add_store(new_thread(program), place_decl(x), operand_number(1));
    for (unsigned i = 0; i < n; i++) {
        struct thread_code *thread = new_thread(program);
        add_load(thread, thread_code_reg(thread, "r"), place_decl(x));
    }
}

/* n times: add x, 1 */
static void build_ainc(struct program *program, unsigned n)
{
    uint32_t x = program_decl(program, "x", OBJECT_CELL, 1);

    for (unsigned i = 0; i < n; i++) {
        struct insn *insn = thread_code_add(new_thread(program), INSN_OP);
        insn->op = OP_RMW;
        insn->rmw = RMW_ADD;
        insn->order = ORDER_SEQ_CST;
        insn->place = place_decl(x);
        insn->a = operand_number(1);
    }
}

/* T0 seeks the last zero: i = n; while array[i] != 0: i = i - 1.
 * Tj, for j in 1 … n: r = load array[j-1]; let r = r + 1; store array[j], r */
static void build_lastzero(struct program *program, unsigned n)
{
    uint32_t array = program_decl(program, "array", OBJECT_CELL, n + 1);
    struct thread_code *seeker = new_thread(program);
    reg_id i = thread_code_reg(seeker, "i");
    reg_id v = thread_code_reg(seeker, "v");

    seeker->regs[i].init = operand_number(n);
    add_load(seeker, v, place_element(array, operand_reg(i))); /* row 0: the loop */
    uint32_t found = add_branch(seeker, v, ALU_EQ, 0, 0);
    add_let(seeker, i, i, ALU_SUB, 1); /* array[0] stays 0: i does not get below */
    add_branch(seeker, i, ALU_GE, 0, 0);
    land_here(seeker, found);

    for (unsigned j = 1; j <= n; j++) {
        struct thread_code *thread = new_thread(program);
        reg_id r = thread_code_reg(thread, "r");
        add_load(thread, r, place_element(array, operand_number(j - 1)));
        add_let(thread, r, r, ALU_ADD, 1);
        add_store(thread, place_element(array, operand_number(j)), operand_reg(r));
    }
}

/*   reg k = 1
 * MESSAGE:
 *   let w = k * 11;  let w = w + tid;  let h = w * 7;  let h = h % 128
 * TRY:
 *   lock m[h];  v = load table[h]
 *   if v != 0 goto TAKEN
 *   store table[h], w;  unlock m[h]
 *   let k = k + 1;  if k <= 4 goto MESSAGE
 *   exit
 * TAKEN:
 *   unlock m[h];  let h = h + 1;  let h = h % 128;  goto TRY */
static void add_indexer_thread(struct program *program, uint32_t table, uint32_t m, unsigned tid)
{
    struct thread_code *thread = new_thread(program);
    reg_id k = thread_code_reg(thread, "k");
    reg_id w = thread_code_reg(thread, "w");
    reg_id h = thread_code_reg(thread, "h");
    reg_id v = thread_code_reg(thread, "v");
    struct place entry = place_element(table, operand_reg(h));
    struct place mutex = place_element(m, operand_reg(h));

    thread->regs[k].init = operand_number(1);
    uint32_t message = thread->insn_count;
    add_let(thread, w, k, ALU_MUL, 11);
    add_let(thread, w, w, ALU_ADD, tid);
    add_let(thread, h, w, ALU_MUL, 7);
    add_let(thread, h, h, ALU_MOD, INDEXER_TABLE);
    uint32_t again = thread->insn_count;
    add_op(thread, OP_MUTEX_LOCK, mutex);
    add_load(thread, v, entry);
    uint32_t taken = add_branch(thread, v, ALU_NE, 0, 0);
    add_store(thread, entry, operand_reg(w));
    add_op(thread, OP_MUTEX_UNLOCK, mutex);
    add_let(thread, k, k, ALU_ADD, 1);
    add_branch(thread, k, ALU_LE, INDEXER_MESSAGES, message);
    thread_code_add(thread, INSN_OP)->op = OP_THREAD_EXIT;
    land_here(thread, taken);
    add_op(thread, OP_MUTEX_UNLOCK, mutex);
    add_let(thread, h, h, ALU_ADD, 1);
    add_let(thread, h, h, ALU_MOD, INDEXER_TABLE);
    add_branch(thread, h, ALU_GE, 0, again); /* always */
}

static void build_indexer(struct program *program, unsigned n)
{
    uint32_t table = program_decl(program, "table", OBJECT_CELL, INDEXER_TABLE);
    uint32_t m = program_decl(program, "m", OBJECT_MUTEX, INDEXER_TABLE);

    for (unsigned tid = 0; tid < n; tid++)
        add_indexer_thread(program, table, m, tid);
}

/* What a filesystem thread uses. */
struct filesystem {
    uint32_t inode, inode_m, busy, busy_m;
};

/*   reg b = 2*i % 26, where i = tid % 32
 *   lock inode_m[i];  v = load inode[i];  if v != 0 goto END
 * LOOP:
 *   lock busy_m[b];  v = load busy[b];  if v == 0 goto FREE
 *   unlock busy_m[b];  let b = b + 1;  let b = b % 26;  goto LOOP
 * FREE:
 *   store busy[b], 1;  let v = b + 1;  store inode[i], v;  unlock busy_m[b]
 * END:
 *   unlock inode_m[i] */
static void add_filesystem_thread(struct program *program, const struct filesystem *fs,
                                  unsigned tid)
{
    struct thread_code *thread = new_thread(program);
    reg_id b = thread_code_reg(thread, "b");
    reg_id v = thread_code_reg(thread, "v");
    struct operand i = operand_number(tid % FILESYSTEM_INODES);
    struct place busy = place_element(fs->busy, operand_reg(b));
    struct place busy_m = place_element(fs->busy_m, operand_reg(b));

    thread->regs[b].init = operand_number(2 * i.number % FILESYSTEM_BLOCKS);
    add_op(thread, OP_MUTEX_LOCK, place_element(fs->inode_m, i));
    add_load(thread, v, place_element(fs->inode, i));
    uint32_t end = add_branch(thread, v, ALU_NE, 0, 0);
    uint32_t loop = thread->insn_count;
    add_op(thread, OP_MUTEX_LOCK, busy_m);
    add_load(thread, v, busy);
    uint32_t found = add_branch(thread, v, ALU_EQ, 0, 0);
    add_op(thread, OP_MUTEX_UNLOCK, busy_m);
    add_let(thread, b, b, ALU_ADD, 1);
    add_let(thread, b, b, ALU_MOD, FILESYSTEM_BLOCKS);
    add_branch(thread, b, ALU_GE, 0, loop); /* always */
    land_here(thread, found);
    add_store(thread, busy, operand_number(1));
    add_let(thread, v, b, ALU_ADD, 1);
    add_store(thread, place_element(fs->inode, i), operand_reg(v));
    add_op(thread, OP_MUTEX_UNLOCK, busy_m);
    land_here(thread, end);
    add_op(thread, OP_MUTEX_UNLOCK, place_element(fs->inode_m, i));
}

static void build_filesystem(struct program *program, unsigned n)
{
    struct filesystem fs = {
        .inode = program_decl(program, "inode", OBJECT_CELL, FILESYSTEM_INODES),
        .inode_m = program_decl(program, "inode_m", OBJECT_MUTEX, FILESYSTEM_INODES),
        .busy = program_decl(program, "busy", OBJECT_CELL, FILESYSTEM_BLOCKS),
        .busy_m = program_decl(program, "busy_m", OBJECT_MUTEX, FILESYSTEM_BLOCKS),
    };

    for (unsigned tid = 0; tid < n; tid++)
        add_filesystem_thread(program, &fs, tid);
}

/* ---- the table */

/* Beyond these sizes the last two would search a full table for ever. */
const struct classic classics[] = {
    {"sb", 0, build_sb},
    {"mp", 0, build_mp},
    {"mpdep", 0, build_mpdep},
    {"locks", CLASSIC_THREADS_MAX, build_locks},
    {"readers", CLASSIC_THREADS_MAX, build_readers},
    {"ainc", CLASSIC_THREADS_MAX, build_ainc},
    {"lastzero", CLASSIC_THREADS_MAX, build_lastzero},
    {"indexer", INDEXER_TABLE / INDEXER_MESSAGES, build_indexer},
    {"filesystem", FILESYSTEM_BLOCKS, build_filesystem},
    {NULL, 0, NULL},
};

bool classic_build(const char *name, unsigned n, struct program *out)
{
    const struct classic *classic = classics;
    char full_name[64];

    *out = (struct program){0};
    while (classic->name && strcmp(classic->name, name) != 0)
        classic++;
    if (!classic->name || (classic->n_max != 0 && (n < 1 || n > classic->n_max)))
        return false;
    classic->build(out, n);
    if (classic->n_max == 0)
        snprintf(full_name, sizeof(full_name), "%s", name);
    else
        snprintf(full_name, sizeof(full_name), "%s(%u)", name, n);
    out->name = strdup(full_name);
    return true;
}
