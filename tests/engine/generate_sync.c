#include <stdio.h>

#include "generate_maker.h"

static void random_mutex(struct maker *maker, char name[4])
{
    snprintf(name, 4, "m%u", random_below(maker, maker->mutex_count));
}

/* lock … unlock around one access, seldom one of the two without the other. */
void write_section(struct maker *maker)
{
    char name[4];
    bool spin = percent(maker, 25);
    enum object_kind kind = spin ? OBJECT_SPIN : OBJECT_MUTEX;

    random_mutex(maker, name);
    name[0] = spin ? 'k' : 'm';
    if (!percent(maker, 5))
        add_op_on(maker, spin ? OP_SPIN_LOCK : OP_MUTEX_LOCK, name, kind);
    if (maker->budget > 1 && percent(maker, 40))
        (percent(maker, 50) ? write_load : write_store)(maker);
    if (!percent(maker, 8))
        add_op_on(maker, spin ? OP_SPIN_UNLOCK : OP_MUTEX_UNLOCK, name, kind);
}

/* One section inside of another, which may be given back first, in some of the runs only, or in both ways. */
void write_nested(struct maker *maker)
{
    unsigned outer = random_below(maker, maker->mutex_count);
    char names[2][4];
    bool crossed = percent(maker, 30);
    uint32_t branch = UINT32_MAX;

    snprintf(names[0], sizeof names[0], "m%u", outer);
    snprintf(names[1], sizeof names[1], "m%u", (outer + 1) % maker->mutex_count);
    add_op_on(maker, OP_MUTEX_LOCK, names[0], OBJECT_MUTEX);
    if (maker->budget > 3 && percent(maker, 40))
        (percent(maker, 50) ? write_load : write_store)(maker);
    add_op_on(maker, OP_MUTEX_LOCK, names[1], OBJECT_MUTEX);
    if (maker->budget > 2 && percent(maker, 40))
        (percent(maker, 50) ? write_load : write_store)(maker);
    if (maker->last != REG_NONE && percent(maker, 20)) {
        branch = maker->code->insn_count;
        add_branch(maker, ALU_EQ, operand_reg(maker->last), operand_number(0), 0);
    }
    add_op_on(maker, OP_MUTEX_UNLOCK, names[crossed ? 0 : 1], OBJECT_MUTEX);
    if (maker->budget > 1 && percent(maker, 30))
        (percent(maker, 50) ? write_load : write_store)(maker);
    add_op_on(maker, OP_MUTEX_UNLOCK, names[crossed ? 1 : 0], OBJECT_MUTEX);
    if (branch != UINT32_MAX)
        maker->code->insns[branch].jump = maker->code->insn_count;
}

void write_trylock(struct maker *maker)
{
    char name[4];
    bool spin = percent(maker, 25);
    enum object_kind kind = spin ? OBJECT_SPIN : OBJECT_MUTEX;

    random_mutex(maker, name);
    name[0] = spin ? 'k' : 'm';
    reg_id result = fresh_result(maker);
    add_op_on(maker, spin ? OP_SPIN_TRYLOCK : OP_MUTEX_TRYLOCK, name, kind)->dst = result;
    if (percent(maker, 20))
        return; /* and keep it */
    uint32_t branch = maker->code->insn_count;
    add_branch(maker, ALU_EQ, operand_reg(result), operand_number(0), 0);
    if (maker->budget > 1 && percent(maker, 40))
        write_store(maker);
    add_op_on(maker, spin ? OP_SPIN_UNLOCK : OP_MUTEX_UNLOCK, name, kind);
    maker->code->insns[branch].jump = maker->code->insn_count;
}

/* A mutex of an array, its index mostly from a register, which may be out of range. */
void write_element_section(struct maker *maker)
{
    uint32_t decl = program_decl(maker->program, "ma", OBJECT_MUTEX, 2);
    struct operand index = operand_number(percent(maker, 10) ? 2 : random_below(maker, 2));

    if (maker->last != REG_NONE && percent(maker, 80))
        index = operand_reg(maker->last);
    add_op(maker, OP_MUTEX_LOCK)->place = place_element(decl, index);
    add_op(maker, OP_MUTEX_UNLOCK)->place = place_element(decl, index);
}

void write_rwlock(struct maker *maker)
{
    static const uint8_t ops[] = {OP_RWLOCK_RDLOCK, OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK,
                                  OP_RWLOCK_TRYRDLOCK, OP_RWLOCK_TRYWRLOCK};
    uint8_t op = ops[random_below(maker, 5)];
    uint32_t branch = UINT32_MAX;

    if (maker->writers_first && maker->budget > 2 &&
        (op == OP_RWLOCK_WRLOCK || op == OP_RWLOCK_TRYWRLOCK) && percent(maker, 80))
        add_op_on(maker, OP_RWLOCK_WANT, "w", OBJECT_RWLOCK);
    struct insn *insn = add_op_on(maker, op, "w", OBJECT_RWLOCK);
    if (op == OP_RWLOCK_TRYRDLOCK || op == OP_RWLOCK_TRYWRLOCK) {
        reg_id result = insn->dst = fresh_result(maker);
        branch = maker->code->insn_count;
        add_branch(maker, ALU_EQ, operand_reg(result), operand_number(0), 0);
    }
    if (maker->budget > 1 && percent(maker, 40))
        (percent(maker, 50) ? write_load : write_store)(maker);
    else if (maker->budget > 1 && percent(maker, 30)) /* readers may have to meet */
        (percent(maker, 50) ? write_sem : write_barrier)(maker);
    if (!percent(maker, 25))
        add_op_on(maker, OP_RWLOCK_UNLOCK, "w", OBJECT_RWLOCK);
    if (branch != UINT32_MAX)
        maker->code->insns[branch].jump = maker->code->insn_count;
}

static void add_wait(struct maker *maker)
{
    bool timed = percent(maker, 35);
    uint32_t mutex = program_decl(maker->program, "m0", OBJECT_MUTEX, 1);
    struct insn *insn =
        add_op_on(maker, timed ? OP_COND_TIMEDWAIT : OP_COND_WAIT, "c", OBJECT_COND);

    insn->mutex = place_decl(mutex);
    if (timed || percent(maker, 50))
        insn->dst = fresh_result(maker);
    maker->budget -= 1 + timed;
}

/* Waiting, mostly with the mutex held, sometimes only if a cell is still 0. */
void write_wait(struct maker *maker)
{
    bool locked = !percent(maker, 6);
    uint32_t branch = UINT32_MAX;

    if (locked)
        add_op_on(maker, OP_MUTEX_LOCK, "m0", OBJECT_MUTEX);
    if (maker->budget > 2 && percent(maker, 40)) {
        struct insn *insn = add_op(maker, OP_LOAD);
        insn->place = place_decl(maker->cells[0]);
        reg_id result = insn->dst = fresh_result(maker);
        branch = maker->code->insn_count;
        add_branch(maker, ALU_NE, operand_reg(result), operand_number(0), 0);
    }
    add_wait(maker);
    if (branch != UINT32_MAX)
        maker->code->insns[branch].jump = maker->code->insn_count;
    if (locked && !percent(maker, 20))
        add_op_on(maker, OP_MUTEX_UNLOCK, "m0", OBJECT_MUTEX);
}

void write_signal(struct maker *maker)
{
    bool locked = maker->budget > 2 && percent(maker, 35);

    if (locked)
        add_op_on(maker, OP_MUTEX_LOCK, "m0", OBJECT_MUTEX);
    if (maker->budget > 1 && percent(maker, 30)) {
        struct insn *insn = add_op(maker, OP_STORE);
        insn->place = place_decl(maker->cells[0]);
        insn->a = operand_number(1);
    }
    add_op_on(maker, percent(maker, 65) ? OP_COND_SIGNAL : OP_COND_BROADCAST, "c", OBJECT_COND);
    if (locked)
        add_op_on(maker, OP_MUTEX_UNLOCK, "m0", OBJECT_MUTEX);
}

void write_sem(struct maker *maker)
{
    static const uint8_t ops[] = {OP_SEM_WAIT, OP_SEM_WAIT, OP_SEM_TRYWAIT, OP_SEM_POST,
                                  OP_SEM_POST};
    uint8_t op = ops[random_below(maker, 5)];
    uint32_t before = maker->program->decl_count;
    struct insn *insn = add_op_on(maker, op, "s", OBJECT_SEM);

    if (op == OP_SEM_TRYWAIT)
        insn->dst = fresh_result(maker);
    if (maker->program->decl_count > before)
        decl_set_init(&maker->program->decls[before], 0, operand_number(random_below(maker, 3)));
}

void write_barrier(struct maker *maker)
{
    uint32_t before = maker->program->decl_count;
    struct insn *insn;

    if (maker->rounds && maker->arrivals == maker->rounds)
        return;
    maker->arrivals++;
    insn = add_op_on(maker, OP_BARRIER_WAIT, "b", OBJECT_BARRIER);

    if (percent(maker, maker->flavour == FLAVOUR_BARRIERS ? 15 : 50))
        insn->dst = fresh_result(maker);
    if (maker->program->decl_count > before)
        decl_set_init(&maker->program->decls[before], 0,
                      operand_number(2 + (maker->program->thread_count > 2 && percent(maker, 30))));
    if (maker->program->decl_count > before && maker->flavour == FLAVOUR_BARRIERS &&
        percent(maker, 85))
        decl_set_init(&maker->program->decls[before], 0, operand_number(maker->threads));
    maker->budget--;
}

/* The end of an object, mostly with a new beginning: seldom legal, so seldom written. */
void write_life(struct maker *maker)
{
    static const struct {
        uint8_t init, destroy, kind;
        const char *name;
    } lives[] = {
        {OP_MUTEX_INIT, OP_MUTEX_DESTROY, OBJECT_MUTEX, "m0"},
        {OP_SPIN_INIT, OP_SPIN_DESTROY, OBJECT_SPIN, "k0"},
        {OP_RWLOCK_INIT, OP_RWLOCK_DESTROY, OBJECT_RWLOCK, "w"},
        {OP_COND_INIT, OP_COND_DESTROY, OBJECT_COND, "c"},
        {OP_SEM_INIT, OP_SEM_DESTROY, OBJECT_SEM, "s"},
        {OP_BARRIER_INIT, OP_BARRIER_DESTROY, OBJECT_BARRIER, "b"},
    };
    unsigned i = random_below(maker, 6);
    uint32_t before = maker->program->decl_count;

    if (percent(maker, 70))
        add_op_on(maker, lives[i].destroy, lives[i].name, lives[i].kind);
    if (maker->budget > 1 && percent(maker, 70)) {
        struct insn *insn = add_op_on(maker, lives[i].init, lives[i].name, lives[i].kind);
        if (lives[i].init == OP_SEM_INIT)
            insn->a = operand_number(random_below(maker, 3));
    }
    if (maker->program->decl_count > before &&
        (lives[i].kind == OBJECT_BARRIER || lives[i].kind == OBJECT_SEM))
        decl_set_init(&maker->program->decls[before], 0, operand_number(2));
}

/* Asks a thread to end, or looks whether it was asked. */
void write_cancel(struct maker *maker)
{
    if (percent(maker, 60)) {
        add_op(maker, OP_THREAD_CANCEL)->thread = random_below(maker, maker->program->thread_count);
        return;
    }
    struct insn *insn = add_op(maker, OP_THREAD_TESTCANCEL);
    insn->dst = fresh_result(maker);
}

void write_channel(struct maker *maker)
{
    static const uint8_t ops[] = {OP_CHANNEL_GET,    OP_CHANNEL_GET,   OP_CHANNEL_GET,
                                  OP_CHANNEL_TRYGET, OP_CHANNEL_PUT,   OP_CHANNEL_PUT,
                                  OP_CHANNEL_PUT,    OP_CHANNEL_TRYPUT};
    bool close = percent(maker, 12);
    uint8_t op = close ? OP_CHANNEL_CLOSE : ops[random_below(maker, 8)];
    uint32_t before = maker->program->decl_count;
    struct insn *insn = add_op_on(maker, op, percent(maker, 70) ? "h" : "i", OBJECT_CHANNEL);

    if (!close)
        insn->a = operand_number(percent(maker, 4) ? 0 : 1 + random_below(maker, 3));
    if (!close && percent(maker, 60))
        insn->dst = fresh_result(maker);
    if (maker->program->decl_count > before)
        decl_set_init(&maker->program->decls[before], 0,
                      operand_number(1 + random_below(maker, 3)));
}
