#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate_maker.h"

const char *const flavour_names[FLAVOUR_COUNT] = {
    "memory", "litmus", "locks",    "rwlocks",   "conditions", "counters", "choices",    "creation",
    "sizes",  "loops",  "channels", "additions", "barriers",   "sections", "everything",
};

const struct knobs knobs_default = {.flavour = -1, .threads_max = 4, .events_max = 10};

/* Something to write next; the number is how often it is chosen, relative to the others. */
struct pattern {
    unsigned weight[FLAVOUR_COUNT];
    void (*write)(struct maker *maker);
};

uint32_t random_below(struct maker *maker, uint32_t n)
{
    uint64_t x = maker->random += 0x9e3779b97f4a7c15ULL;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (uint32_t)((x ^ (x >> 31)) >> 33) % n;
}

bool percent(struct maker *maker, uint32_t n)
{
    return random_below(maker, 100) < n;
}

static reg_id reg_numbered(struct maker *maker, const char *stem, uint32_t n)
{
    char name[16];

    snprintf(name, sizeof name, "%s%u", stem, n);
    return thread_code_reg(maker->code, name);
}

reg_id fresh_result(struct maker *maker)
{
    maker->last = reg_numbered(maker, "r", random_below(maker, 3));
    return maker->last;
}

static struct operand random_value(struct maker *maker)
{
    if (maker->last != REG_NONE && percent(maker, 20))
        return operand_reg(maker->last);
    if (maker->flavour == FLAVOUR_SIZES && percent(maker, 50))
        return operand_number((int64_t)(0x0102030405060708ULL << random_below(maker, 9)));
    return operand_number(random_below(maker, 3));
}

struct insn *add_op(struct maker *maker, enum op_kind op)
{
    struct insn *insn = thread_code_add(maker->code, INSN_OP);

    insn->op = (uint8_t)op;
    maker->budget--;
    return insn;
}

struct insn *add_op_on(struct maker *maker, enum op_kind op, const char *name,
                       enum object_kind kind)
{
    uint32_t decl = program_decl(maker->program, name, kind, 1);
    struct insn *insn = add_op(maker, op);

    insn->place = place_decl(decl);
    return insn;
}

void add_branch(struct maker *maker, enum alu_kind alu, struct operand a, struct operand b,
                uint32_t jump)
{
    struct insn *insn = thread_code_add(maker->code, INSN_BRANCH);

    insn->alu = (uint8_t)alu;
    insn->a = a;
    insn->b = b;
    insn->jump = jump;
}

static void add_let(struct maker *maker, reg_id dst, enum alu_kind alu, struct operand a,
                    struct operand b)
{
    struct insn *insn = thread_code_add(maker->code, INSN_LET);

    insn->dst = dst;
    insn->alu = (uint8_t)alu;
    insn->a = a;
    insn->b = b;
}

/* An access of part of a cell, by name or by a register that holds its address. */
static void odd_place(struct maker *maker, struct insn *insn)
{
    uint32_t decl = maker->cells[random_below(maker, maker->cell_count)];
    unsigned cell = maker->program->decls[decl].size;
    unsigned size = 1u << random_below(maker, 4);
    char name[16];

    while (size > cell)
        size /= 2;
    unsigned offset = size * random_below(maker, cell / size);
    insn->size = (uint8_t)size;
    insn->sign = percent(maker, 50);
    insn->place = place_decl(decl);
    insn->place.offset = offset;
    if (percent(maker, 50))
        return;
    snprintf(name, sizeof name, "p%u", decl);
    reg_id reg = thread_code_reg(maker->code, name);
    maker->code->regs[reg].init = operand_address(decl, 0);
    insn->place =
        (struct place){.kind = PLACE_POINTER, .index = operand_reg(reg), .offset = offset};
    if (percent(maker, 4))
        insn->place.index = operand_number(5); /* no cell is there */
}

/* An element of the array `a`, its index mostly from a register, which may be out of range. */
static void element_place(struct maker *maker, struct insn *insn)
{
    uint32_t decl = program_decl(maker->program, "a", OBJECT_CELL, 2);
    struct operand index = operand_number(percent(maker, 10) ? 2 : random_below(maker, 2));

    if (maker->last != REG_NONE && percent(maker, 70))
        index = operand_reg(maker->last);
    insn->place = place_element(decl, index);
}

static struct insn *add_access(struct maker *maker, enum op_kind op)
{
    struct insn *insn = add_op(maker, op);

    insn->place = place_decl(maker->cells[random_below(maker, maker->cell_count)]);
    if (maker->flavour == FLAVOUR_SIZES || (maker->flavour == FLAVOUR_ADDITIONS && maker->odd))
        odd_place(maker, insn);
    else if ((maker->flavour == FLAVOUR_LOOPS || maker->flavour == FLAVOUR_EVERYTHING) &&
             percent(maker, 30))
        element_place(maker, insn);
    return insn;
}

void write_load(struct maker *maker)
{
    static const uint8_t orders[] = {ORDER_RELAXED, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_SEQ_CST};
    struct insn *insn = add_access(maker, OP_LOAD);

    insn->order = orders[random_below(maker, 4)];
    insn->dst = fresh_result(maker);
}

void write_store(struct maker *maker)
{
    static const uint8_t orders[] = {ORDER_RELAXED, ORDER_RELAXED, ORDER_RELAXED, ORDER_RELEASE,
                                     ORDER_SEQ_CST};
    struct insn *insn = add_access(maker, OP_STORE);

    insn->order = orders[random_below(maker, 5)];
    insn->a = random_value(maker);
}

/* A wait for a store, which may never come. */
static void write_await(struct maker *maker)
{
    struct insn *insn = add_access(maker, OP_AWAIT);

    insn->a = operand_number(percent(maker, 80) ? 0 : 1);
}

static void write_rmw(struct maker *maker)
{
    struct insn *insn = add_access(maker, OP_RMW);

    insn->order = (uint8_t)random_below(maker, 5);
    insn->rmw = (uint8_t)random_below(maker, RMW_NAND);
    if (maker->flavour == FLAVOUR_ADDITIONS && percent(maker, 80))
        insn->rmw = maker->usual_rmw;
    insn->a = random_value(maker);
    if (percent(maker, maker->flavour == FLAVOUR_ADDITIONS ? 20 : 50))
        insn->dst = fresh_result(maker);
}

static void write_cas(struct maker *maker)
{
    struct insn *insn = add_access(maker, OP_CAS);

    insn->order = (uint8_t)random_below(maker, 5);
    insn->a = operand_number(1 + random_below(maker, 2));
    insn->b = operand_number(percent(maker, 60) ? 0 : 1 + random_below(maker, 2));
    if (percent(maker, 70))
        insn->dst = fresh_result(maker);
}

static void write_fence(struct maker *maker)
{
    add_op(maker, OP_FENCE)->order = (uint8_t)random_below(maker, 5);
}

/* A store, a load of the same cell, which forwards, and a load of another one. */
static void write_forwarding(struct maker *maker)
{
    uint32_t first = random_below(maker, maker->cell_count);
    uint32_t places[3] = {first, first, random_below(maker, maker->cell_count)};

    for (int i = 0; i < 3 && maker->budget > 0; i++) {
        if (i == 1 && percent(maker, 40))
            continue;
        struct insn *insn = add_op(maker, i == 0 ? OP_STORE : OP_LOAD);
        insn->place = place_decl(maker->cells[places[i]]);
        insn->a = operand_number(1 + maker->thread);
        if (i > 0)
            insn->dst = fresh_result(maker);
        else if (percent(maker, 15))
            insn->order = ORDER_RELEASE;
    }
}

/* A cell that holds the address of one of the others: change it, or load what it points to. The
 * register has no other use, so that no number depends on where the cells are. */
static void write_indirect(struct maker *maker)
{
    uint32_t before = maker->program->decl_count;
    uint32_t q = program_decl(maker->program, "q", OBJECT_CELL, 1);
    uint32_t target = maker->cells[random_below(maker, maker->cell_count)];

    if (maker->program->decl_count > before && percent(maker, 80))
        decl_set_init(&maker->program->decls[q], 0, operand_address(maker->cells[0], 0));
    struct insn *insn = add_op(maker, percent(maker, 40) ? OP_STORE : OP_LOAD);
    insn->place = place_decl(q);
    if (insn->op == OP_STORE) {
        insn->a = operand_address(target, 0);
        return;
    }
    reg_id reg = insn->dst = thread_code_reg(maker->code, "q0");
    insn = add_op(maker, percent(maker, 50) ? OP_LOAD : OP_STORE);
    insn->place = (struct place){.kind = PLACE_POINTER, .index = operand_reg(reg)};
    insn->size = percent(maker, 50) ? 4 : 1;
    insn->a = random_value(maker);
    if (insn->op == OP_LOAD)
        insn->dst = fresh_result(maker);
}

static void write_branch(struct maker *maker)
{
    static const uint8_t alus[] = {ALU_EQ, ALU_NE, ALU_LT};

    if (maker->last == REG_NONE)
        return;
    /* The target may lie past the end; fix_jumps pulls it back. */
    add_branch(maker, alus[random_below(maker, 3)], operand_reg(maker->last),
               operand_number(random_below(maker, 3)),
               maker->code->insn_count + 2 + random_below(maker, 2));
}

/* Tries something up to twice, until it gives other than 0. */
static void write_retry(struct maker *maker)
{
    reg_id counter = reg_numbered(maker, "n", maker->code->insn_count);
    uint32_t start = maker->code->insn_count;

    if (percent(maker, 30)) {
        uint32_t decl = program_decl(maker->program, "m", OBJECT_MUTEX, 1);
        struct insn *insn = add_op(maker, OP_MUTEX_TRYLOCK);
        insn->place = place_decl(decl);
        insn->dst = fresh_result(maker);
    } else {
        write_load(maker);
    }
    maker->budget--;
    add_let(maker, counter, ALU_ADD, operand_reg(counter), operand_number(1));
    add_branch(maker, ALU_NE, operand_reg(maker->last), operand_number(0),
               maker->code->insn_count + 2);
    add_branch(maker, ALU_LT, operand_reg(counter), operand_number(2), start);
}

static void write_choose(struct maker *maker)
{
    struct insn *insn = add_op(maker, OP_CHOOSE);

    insn->a = operand_number(2 + percent(maker, 20));
    insn->dst = fresh_result(maker);
    maker->budget--; /* its outcomes multiply the interleavings */
}

static void write_claim(struct maker *maker)
{
    if (maker->last == REG_NONE)
        return;
    struct insn *insn = add_op(maker, percent(maker, 50) ? OP_ASSUME : OP_ASSERT);
    insn->alu = percent(maker, 50) ? ALU_NE : ALU_LE;
    insn->a = operand_reg(maker->last);
    insn->b = operand_number(random_below(maker, 3));
}

static void write_yield(struct maker *maker)
{
    add_op(maker, OP_YIELD);
}

static void write_let(struct maker *maker)
{
    if (maker->last != REG_NONE)
        add_let(maker, maker->last, percent(maker, 50) ? ALU_ADD : ALU_XOR,
                operand_reg(maker->last), operand_number(1));
}

/* Joining somebody at random: it may be the thread itself, or one that is never created. Sometimes
 * creating somebody whom another thread creates too. */
static void write_join(struct maker *maker)
{
    uint32_t t = random_below(maker, maker->program->thread_count);
    bool create = maker->parents[t] >= 0 && percent(maker, 40);

    add_op(maker, create ? OP_THREAD_CREATE : OP_THREAD_JOIN)->thread = t;
}

static const struct pattern patterns[] = {
    /* memory litmus locks rwlocks conditions counters choices creation sizes loops channels additions barriers sections everything */
    {{30, 10, 10, 10, 4, 12, 20, 20, 30, 10, 10, 14, 14, 14, 12}, write_load},
    {{30, 10, 10, 10, 4, 12, 20, 20, 40, 10, 10, 12, 14, 14, 14}, write_store},
    {{6, 3, 2, 0, 1, 0, 0, 3, 8, 3, 1, 0, 0, 0, 3}, write_await},
    {{12, 3, 2, 2, 1, 3, 4, 8, 12, 4, 2, 60, 6, 4, 6}, write_rmw},
    {{12, 3, 2, 2, 1, 3, 4, 4, 12, 8, 1, 6, 2, 3, 6}, write_cas},
    {{12, 8, 1, 1, 0, 1, 1, 2, 6, 2, 0, 4, 0, 0, 4}, write_fence},
    {{0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 4}, write_forwarding},
    {{0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0, 2}, write_indirect},
    {{8, 4, 6, 6, 4, 6, 20, 6, 3, 6, 10, 4, 4, 6, 8}, write_branch},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 0, 2, 0, 0, 5}, write_retry},
    {{0, 0, 50, 6, 4, 4, 4, 4, 0, 6, 3, 4, 6, 14, 10}, write_section},
    {{0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 4}, write_nested},
    {{0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 6, 2}, write_element_section},
    {{0, 0, 30, 3, 2, 2, 2, 2, 0, 4, 0, 0, 0, 0, 6}, write_trylock},
    {{0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 6}, write_rwlock},
    {{0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6}, write_wait},
    {{0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6}, write_signal},
    {{0, 0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 4, 2, 6}, write_sem},
    {{0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 50, 0, 4}, write_barrier},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 6}, write_channel},
    {{0, 0, 4, 4, 3, 4, 0, 0, 0, 0, 0, 0, 2, 1, 3}, write_life},
    {{0, 0, 0, 0, 6, 0, 0, 4, 0, 0, 0, 0, 0, 0, 3}, write_cancel},
    {{0, 0, 0, 0, 2, 2, 30, 0, 0, 2, 0, 0, 0, 2, 6}, write_choose},
    {{4, 0, 8, 4, 3, 6, 30, 8, 3, 6, 6, 6, 4, 6, 6}, write_claim},
    {{1, 0, 2, 1, 1, 1, 2, 2, 0, 2, 1, 0, 0, 1, 3}, write_yield},
    {{4, 0, 2, 2, 1, 2, 10, 2, 2, 10, 2, 2, 0, 2, 5}, write_let},
    {{0, 0, 1, 1, 0, 0, 1, 10, 0, 0, 1, 2, 0, 4, 3}, write_join},
};

static void write_something(struct maker *maker)
{
    unsigned total = 0, n = sizeof patterns / sizeof *patterns;

    for (unsigned i = 0; i < n; i++)
        total += patterns[i].weight[maker->flavour];
    unsigned pick = random_below(maker, total);
    for (unsigned i = 0; i < n; i++) {
        if (pick < patterns[i].weight[maker->flavour]) {
            patterns[i].write(maker);
            return;
        }
        pick -= patterns[i].weight[maker->flavour];
    }
}

/* Jumps over rows that were never written go to the end of the thread. */
static void fix_jumps(struct thread_code *code)
{
    for (uint32_t i = 0; i < code->insn_count; i++)
        if (code->insns[i].kind == INSN_BRANCH && code->insns[i].jump > code->insn_count)
            code->insns[i].jump = code->insn_count;
}

/* Rows that create the children of this thread, seldom twice. */
static void write_creations(struct maker *maker)
{
    for (uint32_t t = 0; t < maker->program->thread_count; t++) {
        if (maker->parents[t] != (int)maker->thread)
            continue;
        add_op(maker, OP_THREAD_CREATE)->thread = t;
        if (percent(maker, 30))
            write_something(maker);
        if (percent(maker, 30))
            add_op(maker, OP_THREAD_JOIN)->thread = t;
        if (percent(maker, 3))
            add_op(maker, OP_THREAD_CREATE)->thread = t;
    }
}

static void write_thread(struct maker *maker, uint32_t t, int budget)
{
    maker->code = &maker->program->threads[t];
    maker->thread = t;
    maker->budget = budget;
    maker->last = REG_NONE;
    maker->arrivals = 0;
    if (percent(maker, 50) && budget > 1)
        write_something(maker);
    write_creations(maker);
    for (int tries = 0; maker->budget > 0 && tries < 8; tries++)
        write_something(maker);
    while (maker->arrivals < maker->rounds)
        write_barrier(maker);
    fix_jumps(maker->code);
}

static void declare_cells(struct maker *maker)
{
    static const char *const names[] = {"x", "y", "z"};
    static const uint8_t sizes[] = {8, 8, 4, 4, 2, 1};
    uint32_t count = 1 + random_below(maker, 3);

    if (maker->flavour == FLAVOUR_LITMUS && count == 1)
        count = 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t decl = program_decl(maker->program, names[i], OBJECT_CELL, 1);
        maker->cells[maker->cell_count++] = decl;
        if (maker->flavour == FLAVOUR_SIZES || maker->odd)
            maker->program->decls[decl].size = sizes[random_below(maker, 6)];
        if (percent(maker, 15))
            decl_set_init(&maker->program->decls[decl], 0, operand_number(1));
    }
}

/* How many threads, which of them are created by another one, and how many events each may have:
 * the more threads, the fewer, as the interleavings grow with both. */
static void write_threads(struct maker *maker, const struct knobs *knobs)
{
    uint32_t count = 2 + random_below(maker, 3);
    bool creates = maker->flavour == FLAVOUR_CREATION ||
                   (maker->flavour == FLAVOUR_EVERYTHING && percent(maker, 40));
    char name[8];

    if (count == 4 && percent(maker, 50))
        count = 3;
    if (count > knobs->threads_max)
        count = knobs->threads_max;
    maker->threads = count;
    for (uint32_t t = 0; t < count; t++) {
        snprintf(name, sizeof name, "T%u", t);
        program_thread(maker->program, name);
        maker->parents[t] = -1;
        if (t > 0 && creates && percent(maker, 65))
            maker->parents[t] = (int)random_below(maker, t);
    }
    static const int most[] = {0, 0, 0, -1, -2}; /* off the sum, by the number of threads */
    int left = (int)knobs->events_max + most[count] - (int)count;
    for (uint32_t t = 0; t < count; t++) {
        int share = left / (int)(count - t);
        int budget = 1 + (share > 1 ? (int)random_below(maker, (uint32_t)share + 1) : 0);
        write_thread(maker, t, budget);
        left -= budget - maker->budget;
    }
}

void generate(uint64_t seed, const struct knobs *knobs, struct program *program)
{
    struct maker maker = {.random = seed * 0xd1342543de82ef95ULL, .program = program};
    char name[40];

    memset(program, 0, sizeof *program);
    maker.flavour = knobs->flavour >= 0 ? (enum flavour)knobs->flavour
                                        : (enum flavour)random_below(&maker, FLAVOUR_COUNT);
    maker.writers_first = !knobs->as_c && percent(&maker, 40);
    snprintf(name, sizeof name, "%s-%llu", flavour_names[maker.flavour], (unsigned long long)seed);
    program->name = strdup(name);
    if (maker.flavour == FLAVOUR_ADDITIONS) {
        maker.odd = percent(&maker, 30);
        maker.usual_rmw = (uint8_t)(RMW_ADD + random_below(&maker, RMW_NAND - RMW_ADD));
    }
    if (maker.flavour == FLAVOUR_BARRIERS && percent(&maker, 70))
        maker.rounds = 1 + percent(&maker, 40);
    maker.mutex_count = 1 + (maker.flavour == FLAVOUR_SECTIONS || percent(&maker, 40));
    declare_cells(&maker);
    write_threads(&maker, knobs);
    program_mark_created(program);
}
