#include "emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 160 };

/* One program being written. */
struct emitter {
    const struct program *program;
    unsigned number;
    FILE *out;
    bool joins; /* some row joins: then main waits by semaphores, as nothing may be joined twice */
    uint64_t offsets[64];      /* of the cells, by declaration */
    uint64_t size;             /* of all cells */
    uint32_t order[64], count; /* in which main waits for threads: after those that create them */
};

static bool row_is(const struct insn *insn, enum op_kind op)
{
    return insn->kind == INSN_OP && insn->op == op;
}

static bool names_thread(const struct insn *insn)
{
    return row_is(insn, OP_THREAD_CREATE) || row_is(insn, OP_THREAD_JOIN);
}

/* Of the row nothing stays, least of all a place: that would be looked up, and might not exist. */
static void make_yield(struct insn *insn)
{
    *insn = (struct insn){.kind = INSN_OP, .op = OP_YIELD, .dst = REG_NONE, .line = insn->line};
}

void emit_adapt(struct program *program)
{
    bool *seen = calloc((size_t)program->thread_count * 2 + 1, sizeof *seen);

    for (uint32_t t = 0; seen && t < program->thread_count; t++) {
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++) {
            struct insn *insn = &program->threads[t].insns[i];
            if (insn->kind == INSN_OP && op_infos[insn->op].object == OBJECT_CHANNEL)
                make_yield(insn); /* a pipe has a size of its own */
            if (row_is(insn, OP_THREAD_CANCEL) || row_is(insn, OP_THREAD_TESTCANCEL) ||
                row_is(insn, OP_AWAIT))
                make_yield(insn); /* C has nothing that means just that */
            if (!names_thread(insn))
                continue;
            bool *one = &seen[insn->thread * 2 + row_is(insn, OP_THREAD_JOIN)];
            if (*one)
                make_yield(insn);
            *one = true;
        }
    }
    free(seen);
    program_mark_created(program);
}

/* ---- operands and places */

static void operand_text(const struct emitter *e, const struct thread_code *code,
                         const struct operand *operand, char text[TEXT_MAX])
{
    if (operand->kind == OPERAND_REG)
        snprintf(text, TEXT_MAX, "r_%s", code->regs[operand->reg].name);
    else if (operand->kind == OPERAND_ADDRESS)
        snprintf(text, TEXT_MAX, "(int64_t)(MEM_%u + %" PRIu64 ")", e->number,
                 e->offsets[operand->decl] + (uint64_t)operand->number);
    else if (operand->number < -1000 || operand->number > 1000)
        snprintf(text, TEXT_MAX, "(int64_t)0x%" PRIx64 "u", (uint64_t)operand->number);
    else
        snprintf(text, TEXT_MAX, "INT64_C(%" PRId64 ")", operand->number);
}

static unsigned access_size(const struct emitter *e, const struct insn *insn)
{
    if (insn->size)
        return insn->size;
    return insn->place.kind == PLACE_DECL ? e->program->decls[insn->place.decl].size : 8;
}

/* Writes a check that the place exists, unless it is plain that it does; its expression into `text`. */
static void cell_place(const struct emitter *e, const struct thread_code *code,
                       const struct insn *insn, char text[2 * TEXT_MAX])
{
    const struct place *place = &insn->place;
    unsigned size = access_size(e, insn);
    char index[TEXT_MAX];

    operand_text(e, code, &place->index, index);
    if (place->kind == PLACE_POINTER) {
        snprintf(text, 2 * TEXT_MAX, "(%s + %" PRId64 ")", index, place->offset);
        fprintf(e->out, "    if ((uint64_t)%s >= %u && !valid_%u((uint64_t)%s, %u))\n", text,
                EMIT_FAULTS_BELOW, e->number, text, size);
        fprintf(e->out, "        raddle_fail(\"the place exists\", __FILE__, __LINE__);\n");
        return;
    }
    const struct decl *decl = &e->program->decls[place->decl];
    uint64_t total = (uint64_t)decl->count * decl->size;
    if (place->index.kind != OPERAND_NUMBER || place->index.number != 0 || size != decl->size) {
        fprintf(e->out,
                "    if ((uint64_t)%s >= %" PRIu32 " || (uint64_t)%s * %u + %" PRId64
                " + %u > %" PRIu64 ")\n",
                index, decl->count, index, decl->size, place->offset, size, total);
        fprintf(e->out, "        raddle_fail(\"the place exists\", __FILE__, __LINE__);\n");
    }
    snprintf(text, 2 * TEXT_MAX, "(MEM_%u + %" PRIu64 " + %s * %u + %" PRId64 ")", e->number,
             e->offsets[place->decl], index, decl->size, place->offset);
}

static void object_place(const struct emitter *e, const struct thread_code *code,
                         const struct place *place, char text[2 * TEXT_MAX])
{
    const struct decl *decl = &e->program->decls[place->decl];
    char index[TEXT_MAX];

    operand_text(e, code, &place->index, index);
    if (place->index.kind != OPERAND_NUMBER || place->index.number != 0)
        fprintf(e->out,
                "    if ((uint64_t)%s >= %" PRIu32
                ")\n        raddle_fail(\"the place exists\", __FILE__, __LINE__);\n",
                index, decl->count);
    snprintf(text, 2 * TEXT_MAX, "&%s_%u[%s]", decl->name, e->number, index);
}

/* ---- rows */

static void alu_text(const struct emitter *e, const struct thread_code *code,
                     const struct insn *insn, char text[4 * TEXT_MAX])
{
    static const char *const formats[ALU_KIND_COUNT] = {
        [ALU_ADD] = "(int64_t)((uint64_t)%s + (uint64_t)%s)",
        [ALU_SUB] = "(int64_t)((uint64_t)%s - (uint64_t)%s)",
        [ALU_MUL] = "(int64_t)((uint64_t)%s * (uint64_t)%s)",
        [ALU_DIV] = "divided(%s, %s)",
        [ALU_MOD] = "remains(%s, %s)",
        [ALU_AND] = "(%s & %s)",
        [ALU_OR] = "(%s | %s)",
        [ALU_XOR] = "(%s ^ %s)",
        [ALU_SHL] = "(int64_t)((uint64_t)%s << (%s & 63))",
        [ALU_SHR] = "(%s >> (%s & 63))",
        [ALU_EQ] = "(%s == %s)",
        [ALU_NE] = "(%s != %s)",
        [ALU_LT] = "(%s < %s)",
        [ALU_LE] = "(%s <= %s)",
        [ALU_GT] = "(%s > %s)",
        [ALU_GE] = "(%s >= %s)",
        [ALU_ULT] = "((uint64_t)%s < (uint64_t)%s)",
        [ALU_ULE] = "((uint64_t)%s <= (uint64_t)%s)",
        [ALU_SEXT] = "extended(%s, %s, 1)",
        [ALU_ZEXT] = "extended(%s, %s, 0)",
    };
    char a[TEXT_MAX], b[TEXT_MAX];

    operand_text(e, code, &insn->a, a);
    operand_text(e, code, &insn->b, b);
    snprintf(text, (size_t)4 * TEXT_MAX, formats[insn->alu], a, b); /* NOLINT: all have two %s */
}

static const char *order_text(unsigned order)
{
    static const char *const names[] = {"__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE",
                                        "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"};

    return names[order];
}

/* The order of a load, and of a compare-exchange that fails: C knows no release there. */
static const char *load_order(unsigned order)
{
    return order == ORDER_SEQ_CST                             ? "__ATOMIC_SEQ_CST"
           : order == ORDER_ACQUIRE || order == ORDER_ACQ_REL ? "__ATOMIC_ACQUIRE"
                                                              : "__ATOMIC_RELAXED";
}

static const char *store_order(unsigned order)
{
    return order == ORDER_SEQ_CST                             ? "__ATOMIC_SEQ_CST"
           : order == ORDER_RELEASE || order == ORDER_ACQ_REL ? "__ATOMIC_RELEASE"
                                                              : "__ATOMIC_RELAXED";
}

static void dst_begin(const struct emitter *e, const struct thread_code *code,
                      const struct insn *insn)
{
    fprintf(e->out, "    ");
    if (insn->dst != REG_NONE)
        fprintf(e->out, "r_%s = ", code->regs[insn->dst].name);
}

static void dst_use(const struct emitter *e, const struct thread_code *code,
                    const struct insn *insn)
{
    if (insn->dst != REG_NONE)
        fprintf(e->out, "    use(r_%s);\n", code->regs[insn->dst].name);
}

static void emit_access(const struct emitter *e, const struct thread_code *code,
                        const struct insn *insn)
{
    static const char *const rmws[] = {"exchange_n", "fetch_add", "fetch_sub",
                                       "fetch_and",  "fetch_or",  "fetch_xor"};
    char place[2 * TEXT_MAX], a[TEXT_MAX], b[TEXT_MAX];
    unsigned bits = 8 * access_size(e, insn);
    const char *u = insn->sign ? "" : "u";

    cell_place(e, code, insn, place);
    operand_text(e, code, &insn->a, a);
    operand_text(e, code, &insn->b, b);
    if (insn->op == OP_CAS) {
        fprintf(e->out, "    { uint%u_t old = (uint%u_t)%s;\n", bits, bits, b);
        fprintf(e->out,
                "    __atomic_compare_exchange_n((uint%u_t *)%s, &old, (uint%u_t)%s, 0, %s, %s);\n",
                bits, place, bits, a, order_text(insn->order), load_order(insn->order));
        dst_begin(e, code, insn);
        fprintf(e->out, "(int64_t)(%sint%u_t)old; }\n", u, bits);
        return;
    }
    if (insn->op == OP_STORE) {
        fprintf(e->out, "    __atomic_store_n((uint%u_t *)%s, (uint%u_t)%s, %s);\n", bits, place,
                bits, a, store_order(insn->order));
        return;
    }
    dst_begin(e, code, insn);
    if (insn->op == OP_LOAD)
        fprintf(e->out, "(int64_t)(%sint%u_t)__atomic_load_n((uint%u_t *)%s, %s);\n", u, bits, bits,
                place, load_order(insn->order));
    else
        fprintf(e->out, "(int64_t)(%sint%u_t)__atomic_%s((uint%u_t *)%s, (uint%u_t)%s, %s);\n", u,
                bits, rmws[insn->rmw], bits, place, bits, a, order_text(insn->order));
    dst_use(e, code, insn);
}

/* Calls that take one object; what follows the call makes the result of the row out of the returned value. */
static const struct call {
    const char *name;
    const char *result;
} calls[OP_KIND_COUNT] = {
    [OP_MUTEX_INIT] = {"pthread_mutex_init", ""},
    [OP_MUTEX_DESTROY] = {"pthread_mutex_destroy", ""},
    [OP_SPIN_INIT] = {"pthread_spin_init", ""},
    [OP_SPIN_DESTROY] = {"pthread_spin_destroy", ""},
    [OP_RWLOCK_INIT] = {"pthread_rwlock_init", ""},
    [OP_RWLOCK_DESTROY] = {"pthread_rwlock_destroy", ""},
    [OP_COND_INIT] = {"pthread_cond_init", ""},
    [OP_COND_DESTROY] = {"pthread_cond_destroy", ""},
    [OP_SEM_INIT] = {"sem_init", ""},
    [OP_SEM_DESTROY] = {"sem_destroy", ""},
    [OP_BARRIER_INIT] = {"pthread_barrier_init", ""},
    [OP_BARRIER_DESTROY] = {"pthread_barrier_destroy", ""},
    [OP_MUTEX_LOCK] = {"pthread_mutex_lock", ""},
    [OP_MUTEX_TRYLOCK] = {"pthread_mutex_trylock", " == 0"},
    [OP_MUTEX_UNLOCK] = {"pthread_mutex_unlock", ""},
    [OP_SPIN_LOCK] = {"pthread_spin_lock", ""},
    [OP_SPIN_TRYLOCK] = {"pthread_spin_trylock", " == 0"},
    [OP_SPIN_UNLOCK] = {"pthread_spin_unlock", ""},
    [OP_RWLOCK_RDLOCK] = {"pthread_rwlock_rdlock", ""},
    [OP_RWLOCK_WRLOCK] = {"pthread_rwlock_wrlock", ""},
    [OP_RWLOCK_TRYRDLOCK] = {"pthread_rwlock_tryrdlock", " == 0"},
    [OP_RWLOCK_TRYWRLOCK] = {"pthread_rwlock_trywrlock", " == 0"},
    [OP_RWLOCK_UNLOCK] = {"pthread_rwlock_unlock", ""},
    [OP_COND_WAIT] = {"pthread_cond_wait", ""},
    [OP_COND_TIMEDWAIT] = {"pthread_cond_timedwait", " == ETIMEDOUT"},
    [OP_COND_SIGNAL] = {"pthread_cond_signal", ""},
    [OP_COND_BROADCAST] = {"pthread_cond_broadcast", ""},
    [OP_SEM_WAIT] = {"sem_wait", ""},
    [OP_SEM_TRYWAIT] = {"sem_trywait", " == 0"},
    [OP_SEM_POST] = {"sem_post", ""},
    [OP_BARRIER_WAIT] = {"pthread_barrier_wait", " == PTHREAD_BARRIER_SERIAL_THREAD"},
};

/* What a call takes besides its objects. */
static void more_arguments(const struct emitter *e, const struct thread_code *code,
                           const struct insn *insn, char text[2 * TEXT_MAX])
{
    char value[TEXT_MAX];

    text[0] = '\0';
    if (insn->op == OP_COND_TIMEDWAIT)
        strcpy(text, ", &(struct timespec){1, 0}");
    else if (insn->op == OP_MUTEX_INIT || insn->op == OP_RWLOCK_INIT || insn->op == OP_COND_INIT)
        strcpy(text, ", NULL");
    else if (insn->op == OP_SPIN_INIT)
        strcpy(text, ", 0");
    else if (insn->op == OP_BARRIER_INIT)
        snprintf(text, 2 * TEXT_MAX, ", NULL, %" PRId64,
                 e->program->decls[insn->place.decl].init[0].number);
    else if (insn->op == OP_SEM_INIT) {
        operand_text(e, code, &insn->a, value);
        snprintf(text, 2 * TEXT_MAX, ", 0, (unsigned)%s", value);
    }
}

static void emit_call(const struct emitter *e, const struct thread_code *code,
                      const struct insn *insn)
{
    const struct call *call = &calls[insn->op];
    bool waits = insn->op == OP_RWLOCK_RDLOCK || insn->op == OP_RWLOCK_WRLOCK;
    char place[2 * TEXT_MAX], mutex[2 * TEXT_MAX] = "", more[2 * TEXT_MAX];

    object_place(e, code, &insn->place, place);
    if (insn->mutex.kind != PLACE_NONE)
        object_place(e, code, &insn->mutex, mutex);
    more_arguments(e, code, insn, more);
    if (waits) { /* where a script waits for itself, C is told */
        fprintf(e->out, "    if (%s(%s) == EDEADLK)\n        wait_for_ever();\n", call->name,
                place);
        return;
    }
    dst_begin(e, code, insn);
    fprintf(e->out, "%s(%s%s%s%s)%s;\n", call->name, place, *mutex ? ", " : "", mutex, more,
            insn->dst != REG_NONE ? call->result : "");
    dst_use(e, code, insn);
}

/* A join waits until the handle is known. A thread that waits for itself waits for ever. */
static void emit_thread_row(const struct emitter *e, uint32_t self, const struct insn *insn)
{
    unsigned n = e->number;
    uint32_t t = insn->thread;

    if (insn->op == OP_THREAD_CREATE) {
        fprintf(e->out, "    pthread_create(&handle_%u[%u], NULL, thread_%u_%u, NULL);\n", n, t, n,
                t);
        if (e->program->threads[t].created)
            fprintf(e->out, "    created_%u[%u] = 1;\n", n, t);
        if (e->joins)
            fprintf(e->out, "    sem_post(&known_%u[%u]);\n", n, t);
    } else if (t == self) {
        fprintf(e->out, "    sem_wait(&never_%u);\n", n);
    } else {
        fprintf(e->out, "    sem_wait(&known_%u[%u]);\n", n, t);
        fprintf(e->out, "    pthread_join(handle_%u[%u], NULL);\n", n, t);
    }
}

static void emit_op(const struct emitter *e, uint32_t self, const struct insn *insn)
{
    const struct thread_code *code = &e->program->threads[self];
    char text[4 * TEXT_MAX];

    if (op_infos[insn->op].object == OBJECT_CELL) {
        emit_access(e, code, insn);
    } else if (calls[insn->op].name) {
        emit_call(e, code, insn);
    } else if (names_thread(insn)) {
        emit_thread_row(e, self, insn);
    } else if (insn->op == OP_FENCE) {
        fprintf(e->out, "    __atomic_thread_fence(%s);\n", order_text(insn->order));
    } else if (insn->op == OP_YIELD) {
        fprintf(e->out, "    sched_yield();\n");
    } else if (insn->op == OP_CHOOSE) {
        operand_text(e, code, &insn->a, text);
        dst_begin(e, code, insn);
        fprintf(e->out, "raddle_choose((unsigned)%s);\n", text);
    } else if (insn->op == OP_ASSUME || insn->op == OP_ASSERT) {
        alu_text(e, code, insn, text);
        fprintf(e->out, "    raddle_%s(%s != 0);\n", insn->op == OP_ASSUME ? "assume" : "assert",
                text);
    } else { /* OP_THREAD_EXIT */
        fprintf(e->out, "    goto L%u;\n", code->insn_count);
    }
}

static void emit_row(const struct emitter *e, uint32_t self, uint32_t row)
{
    const struct thread_code *code = &e->program->threads[self];
    const struct insn *insn = &code->insns[row];
    char text[4 * TEXT_MAX];

    fprintf(e->out, "L%u:;\n", row);
    if (insn->kind == INSN_OP) {
        emit_op(e, self, insn);
        return;
    }
    alu_text(e, code, insn, text);
    if (insn->kind == INSN_LET)
        fprintf(e->out, "    r_%s = %s;\n", code->regs[insn->dst].name, text);
    else
        fprintf(e->out, "    if (%s)\n        goto L%u;\n", text, insn->jump);
}

/* ---- threads and main */

/* Half of the threads return, half call pthread_exit. */
static void emit_thread(const struct emitter *e, uint32_t self)
{
    const struct thread_code *code = &e->program->threads[self];
    char text[TEXT_MAX];

    fprintf(e->out, "\nstatic void *thread_%u_%u(void *argument)\n{\n", e->number, self);
    for (uint32_t r = 0; r < code->reg_count; r++) {
        operand_text(e, code, &code->regs[r].init, text);
        fprintf(e->out, "    int64_t r_%s = %s;\n", code->regs[r].name, text);
    }
    for (uint32_t i = 0; i < code->insn_count; i++)
        emit_row(e, self, i);
    fprintf(e->out, "L%u:;\n", code->insn_count);
    for (uint32_t r = 0; r < code->reg_count; r++)
        fprintf(e->out, "    out_%u_%u[%u] = r_%s;\n", e->number, self, r, code->regs[r].name);
    if (e->joins)
        fprintf(e->out, "    sem_post(&done_%u[%u]);\n", e->number, self);
    if (self % 2)
        fprintf(e->out, "    pthread_exit(argument);\n");
    fprintf(e->out, "    return argument;\n}\n");
}

static void emit_cells(const struct emitter *e)
{
    const struct program *program = e->program;
    unsigned char *bytes = calloc(1, e->size + 8);

    for (uint32_t d = 0; bytes && d < program->decl_count; d++)
        for (uint32_t i = 0; program->decls[d].init && i < program->decls[d].count; i++)
            if (program->decls[d].kind == OBJECT_CELL &&
                program->decls[d].init[i].kind == OPERAND_NUMBER)
                memcpy(bytes + e->offsets[d] + (size_t)i * program->decls[d].size,
                       &program->decls[d].init[i].number, program->decls[d].size);
    fprintf(e->out, "static uint64_t words_%u[%" PRIu64 "] = {", e->number, e->size / 8 + 1);
    for (uint64_t i = 0; bytes && i < e->size / 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        fprintf(e->out, "%s0x%" PRIx64, i ? ", " : "", word);
    }
    fprintf(e->out, "};\n#define MEM_%u ((char *)words_%u)\n", e->number, e->number);
    free(bytes);
}

static void emit_decls(const struct emitter *e)
{
    static const char *const types[OBJECT_KIND_COUNT] = {[OBJECT_MUTEX] = "pthread_mutex_t",
                                                         [OBJECT_SPIN] = "pthread_spinlock_t",
                                                         [OBJECT_RWLOCK] = "pthread_rwlock_t",
                                                         [OBJECT_COND] = "pthread_cond_t",
                                                         [OBJECT_SEM] = "sem_t",
                                                         [OBJECT_BARRIER] = "pthread_barrier_t"};
    const struct program *program = e->program;
    unsigned n = e->number;

    emit_cells(e);
    for (uint32_t d = 0; d < program->decl_count; d++)
        if (types[program->decls[d].kind])
            fprintf(e->out, "static %s %s_%u[%" PRIu32 "];\n", types[program->decls[d].kind],
                    program->decls[d].name, n, program->decls[d].count);
    fprintf(e->out, "static pthread_t handle_%u[%u];\nstatic int created_%u[%u];\n", n,
            program->thread_count, n, program->thread_count);
    if (e->joins)
        fprintf(e->out, "static sem_t known_%u[%u], done_%u[%u], never_%u;\n", n,
                program->thread_count, n, program->thread_count, n);
    for (uint32_t t = 0; t < program->thread_count; t++)
        fprintf(e->out, "static int64_t out_%u_%u[%u];\nstatic void *thread_%u_%u(void *);\n", n, t,
                program->threads[t].reg_count + 1, n, t);
}

/* Whether `size` bytes at an address are of one declaration. */
static void emit_valid(const struct emitter *e)
{
    fprintf(e->out, "\nstatic int valid_%u(uint64_t p, unsigned size)\n{\n", e->number);
    fprintf(e->out, "    uint64_t at = p - (uint64_t)MEM_%u;\n", e->number);
    for (uint32_t d = 0; d < e->program->decl_count; d++) {
        const struct decl *decl = &e->program->decls[d];
        uint64_t total = (uint64_t)decl->count * decl->size;
        if (decl->kind == OBJECT_CELL)
            fprintf(e->out,
                    "    if (at - %" PRIu64 " < %" PRIu64 ")\n        return at - %" PRIu64
                    " + size <= %" PRIu64 ";\n",
                    e->offsets[d], total, e->offsets[d], total);
    }
    fprintf(e->out, "    return 0;\n}\n");
}

static void emit_setup_decl(const struct emitter *e, uint32_t d)
{
    const struct decl *decl = &e->program->decls[d];
    char text[TEXT_MAX];

    for (uint32_t i = 0; i < decl->count; i++) {
        int64_t number = decl->init && decl->kind != OBJECT_CELL ? decl->init[0].number : 0;
        if (decl->kind == OBJECT_SPIN)
            fprintf(e->out, "    pthread_spin_init(&%s_%u[%u], 0);\n", decl->name, e->number, i);
        else if (decl->kind == OBJECT_SEM)
            fprintf(e->out, "    sem_init(&%s_%u[%u], 0, %" PRId64 ");\n", decl->name, e->number, i,
                    number);
        else if (decl->kind == OBJECT_BARRIER)
            fprintf(e->out, "    pthread_barrier_init(&%s_%u[%u], NULL, %" PRId64 ");\n",
                    decl->name, e->number, i, number);
        else if (decl->kind == OBJECT_CELL && decl->init && decl->init[i].kind == OPERAND_ADDRESS) {
            operand_text(e, NULL, &decl->init[i], text);
            fprintf(e->out, "    *(int64_t *)(MEM_%u + %" PRIu64 ") = %s;\n", e->number,
                    e->offsets[d] + (uint64_t)i * decl->size, text);
        }
    }
}

/* Main notes nothing of the threads that it creates itself: reading its own store, from its buffer or after the flush,
 * would make two executions of one. */
static void emit_hash_thread(const struct emitter *e, uint32_t t)
{
    const struct thread_code *code = &e->program->threads[t];
    unsigned n = e->number;
    char condition[48] = "";

    if (code->created) {
        fprintf(e->out, "    if (!created_%u[%u])\n", n, t);
        fprintf(e->out, "        hash = state_mix(hash, STATE_NOT_CREATED);\n");
        snprintf(condition, sizeof condition, "created_%u[%u] && ", n, t);
    }
    fprintf(e->out, "    for (unsigned i = 0; %si < %u; i++)\n", condition, code->reg_count);
    fprintf(e->out,
            "        hash = state_mix(hash, state_value(out_%u_%u[i], (uint64_t)MEM_%u, %" PRIu64
            "));\n",
            n, t, n, e->size);
}

static void emit_hash(const struct emitter *e)
{
    unsigned n = e->number;

    fprintf(e->out, "    hash = STATE_HASH_START;\n");
    for (uint32_t d = 0; d < e->program->decl_count; d++) {
        const struct decl *decl = &e->program->decls[d];
        for (uint32_t i = 0; decl->kind == OBJECT_CELL && i < decl->count; i++)
            fprintf(e->out,
                    "    hash = state_mix(hash, state_value(*(int%u_t *)(MEM_%u + %" PRIu64
                    "), (uint64_t)MEM_%u, %" PRIu64 "));\n",
                    8u * decl->size, n, e->offsets[d] + (uint64_t)i * decl->size, n, e->size);
    }
    for (uint32_t t = 0; t < e->program->thread_count; t++)
        emit_hash_thread(e, t);
}

static void emit_main(const struct emitter *e)
{
    const struct program *program = e->program;
    unsigned n = e->number;

    fprintf(e->out, "\nstatic void main_%u(void)\n{\n    uint64_t hash;\n\n", n);
    for (uint32_t d = 0; d < program->decl_count; d++)
        emit_setup_decl(e, d);
    for (uint32_t t = 0; e->joins && t < program->thread_count; t++)
        fprintf(e->out, "    sem_init(&known_%u[%u], 0, 0);\n    sem_init(&done_%u[%u], 0, 0);\n",
                n, t, n, t);
    if (e->joins)
        fprintf(e->out, "    sem_init(&never_%u, 0, 0);\n", n);
    for (uint32_t t = 0; t < program->thread_count; t++)
        if (!program->threads[t].created)
            emit_thread_row(e, UINT32_MAX,
                            &(struct insn){.kind = INSN_OP, .op = OP_THREAD_CREATE, .thread = t});
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t t = e->order[i];
        if (program->threads[t].created)
            fprintf(e->out, "    if (created_%u[%u])\n    ", n, t);
        fprintf(e->out,
                e->joins ? "    sem_wait(&done_%u[%u]);\n"
                         : "    pthread_join(handle_%u[%u], NULL);\n",
                n, t);
    }
    emit_hash(e);
    fprintf(e->out, "    state_write(hash);\n}\n");
}

/* ---- programs */

static void lay_out(struct emitter *e)
{
    for (uint32_t d = 0; d < e->program->decl_count; d++) {
        const struct decl *decl = &e->program->decls[d];
        if (decl->kind != OBJECT_CELL)
            continue;
        e->offsets[d] = e->size;
        e->size += ((uint64_t)decl->count * decl->size + 7) & ~(uint64_t)7;
    }
}

static bool waits_for(const struct emitter *e, uint32_t t)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->order[i] == t)
            return true;
    return false;
}

/* First those that start at once, then those that they create, and so on. The others never run. */
static void find_order(struct emitter *e)
{
    const struct program *program = e->program;

    for (uint32_t t = 0; t < program->thread_count; t++)
        if (!program->threads[t].created)
            e->order[e->count++] = t;
    for (uint32_t i = 0; i < e->count; i++) {
        const struct thread_code *code = &program->threads[e->order[i]];
        for (uint32_t row = 0; row < code->insn_count; row++)
            if (row_is(&code->insns[row], OP_THREAD_CREATE) &&
                !waits_for(e, code->insns[row].thread))
                e->order[e->count++] = code->insns[row].thread;
    }
}

void emit_begin(FILE *out)
{
    fprintf(out, "#include \"prelude.h\"\n");
}

void emit_program(const struct program *program, unsigned number, FILE *out)
{
    struct emitter e = {.program = program, .number = number, .out = out};

    if (program->decl_count > 64 || program->thread_count > 64)
        abort();
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < program->threads[t].insn_count; i++)
            e.joins |= row_is(&program->threads[t].insns[i], OP_THREAD_JOIN);
    lay_out(&e);
    find_order(&e);
    fprintf(out, "\n/* %s */\n", program->name);
    emit_decls(&e);
    emit_valid(&e);
    for (uint32_t t = 0; t < program->thread_count; t++)
        emit_thread(&e, t);
    emit_main(&e);
}

void emit_end(unsigned count, FILE *out)
{
    fprintf(out, "\nint main(int argc, char **argv)\n{\n    switch (atoi(argv[1])) {\n");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "    case %u:\n        main_%u();\n        break;\n", i, i);
    fprintf(out, "    }\n    return 0;\n}\n");
}
