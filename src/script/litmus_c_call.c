/* The functions that C litmus tests may call: C11 atomics and those of the Linux kernel. */

#include "script/litmus_c.h"
#include "script/litmus_memory.h"

enum call_flag {
    CALL_EXPLICIT = 1, /* name_explicit exists, with orders as last arguments */
    CALL_SUFFIX = 2,   /* name_relaxed, _acquire and _release exist */
    CALL_NEW = 4,      /* gives the new value, not the old one */
    CALL_ZERO = 8,     /* gives whether the new value is zero */
    CALL_ONE = 16,     /* the operand is 1, and not written */
    CALL_LVALUE = 32,  /* takes *x, not x */
};

struct call;
struct call_state {
    const struct call *call;
    struct token name;
    bool explicit_order;
    enum memory_order order;
};

/* Reads the arguments after '(' up to ')' and writes the rows. */
typedef struct c_value (*call_fn)(struct c_test *test, struct call_state *state);

static struct c_value call_load(struct c_test *, struct call_state *);
static struct c_value call_store(struct c_test *, struct call_state *);
static struct c_value call_rmw(struct c_test *, struct call_state *);
static struct c_value call_cas(struct c_test *, struct call_state *);
static struct c_value call_cmpxchg(struct c_test *, struct call_state *);
static struct c_value call_fence(struct c_test *, struct call_state *);
static struct c_value call_nothing(struct c_test *, struct call_state *);
static struct c_value call_lock(struct c_test *, struct call_state *);

static const struct call {
    const char *name;
    call_fn read;
    unsigned flags;
    enum memory_order order; /* unless said otherwise */
    uint8_t detail;          /* enum rmw_kind; locks: enum op_kind */
} calls[] = {
    {"atomic_load", call_load, CALL_EXPLICIT, ORDER_SEQ_CST, 0},
    {"atomic_store", call_store, CALL_EXPLICIT, ORDER_SEQ_CST, 0},
    {"atomic_init", call_store, 0, ORDER_RELAXED, 0},
    {"atomic_exchange", call_rmw, CALL_EXPLICIT, ORDER_SEQ_CST, RMW_XCHG},
    {"atomic_fetch_add", call_rmw, CALL_EXPLICIT | CALL_SUFFIX, ORDER_SEQ_CST, RMW_ADD},
    {"atomic_fetch_sub", call_rmw, CALL_EXPLICIT | CALL_SUFFIX, ORDER_SEQ_CST, RMW_SUB},
    {"atomic_fetch_and", call_rmw, CALL_EXPLICIT | CALL_SUFFIX, ORDER_SEQ_CST, RMW_AND},
    {"atomic_fetch_or", call_rmw, CALL_EXPLICIT | CALL_SUFFIX, ORDER_SEQ_CST, RMW_OR},
    {"atomic_fetch_xor", call_rmw, CALL_EXPLICIT | CALL_SUFFIX, ORDER_SEQ_CST, RMW_XOR},
    {"atomic_compare_exchange_strong", call_cas, CALL_EXPLICIT, ORDER_SEQ_CST, 0},
    {"atomic_compare_exchange_weak", call_cas, CALL_EXPLICIT, ORDER_SEQ_CST, 0},
    {"atomic_thread_fence", call_fence, 0, ORDER_SEQ_CST, true},
    {"atomic_signal_fence", call_nothing, 0, ORDER_RELAXED, true},

    {"READ_ONCE", call_load, CALL_LVALUE, ORDER_RELAXED, 0},
    {"WRITE_ONCE", call_store, CALL_LVALUE, ORDER_RELAXED, 0},
    {"rcu_dereference", call_load, CALL_LVALUE, ORDER_RELAXED, 0},
    {"rcu_assign_pointer", call_store, CALL_LVALUE, ORDER_RELEASE, 0},
    {"smp_store_mb", call_store, CALL_LVALUE, ORDER_SEQ_CST, 0},
    {"smp_load_acquire", call_load, 0, ORDER_ACQUIRE, 0},
    {"smp_store_release", call_store, 0, ORDER_RELEASE, 0},
    {"smp_mb", call_fence, 0, ORDER_SEQ_CST, false},
    {"smp_rmb", call_fence, 0, ORDER_ACQUIRE, false},
    {"smp_wmb", call_fence, 0, ORDER_RELEASE, false},
    {"smp_mb__before_atomic", call_fence, 0, ORDER_SEQ_CST, false},
    {"smp_mb__after_atomic", call_fence, 0, ORDER_SEQ_CST, false},
    {"smp_mb__after_spinlock", call_fence, 0, ORDER_SEQ_CST, false},
    {"barrier", call_nothing, 0, ORDER_RELAXED, false},
    {"xchg", call_rmw, CALL_SUFFIX, ORDER_SEQ_CST, RMW_XCHG},
    {"cmpxchg", call_cmpxchg, CALL_SUFFIX, ORDER_SEQ_CST, 0},
    {"atomic_xchg", call_rmw, CALL_SUFFIX, ORDER_SEQ_CST, RMW_XCHG},
    {"atomic_cmpxchg", call_cmpxchg, CALL_SUFFIX, ORDER_SEQ_CST, 0},
    {"atomic_read", call_load, CALL_SUFFIX, ORDER_RELAXED, 0},
    {"atomic_set", call_store, CALL_SUFFIX, ORDER_RELAXED, 0},
    {"atomic_add", call_rmw, 0, ORDER_RELAXED, RMW_ADD},
    {"atomic_sub", call_rmw, 0, ORDER_RELAXED, RMW_SUB},
    {"atomic_and", call_rmw, 0, ORDER_RELAXED, RMW_AND},
    {"atomic_or", call_rmw, 0, ORDER_RELAXED, RMW_OR},
    {"atomic_xor", call_rmw, 0, ORDER_RELAXED, RMW_XOR},
    {"atomic_inc", call_rmw, CALL_ONE, ORDER_RELAXED, RMW_ADD},
    {"atomic_dec", call_rmw, CALL_ONE, ORDER_RELAXED, RMW_SUB},
    {"atomic_fetch_inc", call_rmw, CALL_ONE | CALL_SUFFIX, ORDER_SEQ_CST, RMW_ADD},
    {"atomic_fetch_dec", call_rmw, CALL_ONE | CALL_SUFFIX, ORDER_SEQ_CST, RMW_SUB},
    {"atomic_add_return", call_rmw, CALL_NEW | CALL_SUFFIX, ORDER_SEQ_CST, RMW_ADD},
    {"atomic_sub_return", call_rmw, CALL_NEW | CALL_SUFFIX, ORDER_SEQ_CST, RMW_SUB},
    {"atomic_inc_return", call_rmw, CALL_ONE | CALL_NEW | CALL_SUFFIX, ORDER_SEQ_CST, RMW_ADD},
    {"atomic_dec_return", call_rmw, CALL_ONE | CALL_NEW | CALL_SUFFIX, ORDER_SEQ_CST, RMW_SUB},
    {"atomic_sub_and_test", call_rmw, CALL_ZERO, ORDER_SEQ_CST, RMW_SUB},
    {"atomic_inc_and_test", call_rmw, CALL_ONE | CALL_ZERO, ORDER_SEQ_CST, RMW_ADD},
    {"atomic_dec_and_test", call_rmw, CALL_ONE | CALL_ZERO, ORDER_SEQ_CST, RMW_SUB},
    {"spin_lock", call_lock, 0, ORDER_ACQUIRE, OP_SPIN_LOCK},
    {"spin_trylock", call_lock, 0, ORDER_ACQUIRE, OP_SPIN_TRYLOCK},
    {"spin_unlock", call_lock, 0, ORDER_RELEASE, OP_SPIN_UNLOCK},
    {"mtx_lock", call_lock, 0, ORDER_ACQUIRE, OP_SPIN_LOCK},
    {"mtx_unlock", call_lock, 0, ORDER_RELEASE, OP_SPIN_UNLOCK},
    {"lock", call_lock, 0, ORDER_ACQUIRE, OP_SPIN_LOCK},
    {"unlock", call_lock, 0, ORDER_RELEASE, OP_SPIN_UNLOCK},
};

static const struct {
    const char *name;
    enum memory_order order;
} orders[] = {
    {"memory_order_relaxed", ORDER_RELAXED}, {"memory_order_consume", ORDER_ACQUIRE},
    {"memory_order_acquire", ORDER_ACQUIRE}, {"memory_order_release", ORDER_RELEASE},
    {"memory_order_acq_rel", ORDER_ACQ_REL}, {"memory_order_seq_cst", ORDER_SEQ_CST},
};

static const struct {
    const char *text;
    unsigned flag;
    enum memory_order order;
} suffixes[] = {
    {"_explicit", CALL_EXPLICIT, ORDER_SEQ_CST},
    {"_relaxed", CALL_SUFFIX, ORDER_RELAXED},
    {"_acquire", CALL_SUFFIX, ORDER_ACQUIRE},
    {"_release", CALL_SUFFIX, ORDER_RELEASE},
};

static const struct c_value nothing = {.type = {.size = 4, .sign = true}};

/* ---- arguments */

static enum memory_order read_order(struct c_test *test)
{
    struct token name = litmus_lexer_name(&test->reader->lexer, "a memory order");

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        if (token_is(&name, orders[i].name))
            return orders[i].order;
    }
    litmus_lexer_fail_token(&test->reader->lexer, &name, "expected a memory order, found %s",
                            token_show(&name).text);
}

/* The order of a call: read if the call names it. */
static enum memory_order call_order(struct c_test *test, const struct call_state *state)
{
    if (!state->explicit_order)
        return state->order;
    litmus_lexer_expect(&test->reader->lexer, ",");
    return read_order(test);
}

/* A pointer to memory: "x", or "*x" for the functions that look like variables. */
static struct c_value read_pointer(struct c_test *test, const struct call_state *state)
{
    struct c_value pointer;

    if (state->call->flags & CALL_LVALUE) {
        struct c_lvalue lvalue = litmus_c_lvalue(test);
        if (lvalue.local)
            litmus_lexer_fail_token(&test->reader->lexer, &lvalue.local->name,
                                    "%s is a local variable, not shared memory",
                                    token_show(&lvalue.local->name).text);
        pointer = lvalue.pointer;
    } else {
        pointer = litmus_c_expression(test);
    }
    litmus_c_pointee(test, pointer);
    return pointer;
}

static void end_of_arguments(struct c_test *test)
{
    litmus_lexer_expect(&test->reader->lexer, ")");
}

/* ---- the functions */

static struct c_value call_load(struct c_test *test, struct call_state *state)
{
    struct c_value pointer = read_pointer(test, state);
    enum memory_order order = call_order(test, state);

    end_of_arguments(test);
    return litmus_c_load(test, pointer, order);
}

static struct c_value call_store(struct c_test *test, struct call_state *state)
{
    struct c_lvalue to = {.pointer = read_pointer(test, state)};

    litmus_lexer_expect(&test->reader->lexer, ",");
    struct c_value value = litmus_c_expression(test);
    enum memory_order order = call_order(test, state);
    end_of_arguments(test);
    litmus_c_assign(test, to, value, order);
    return value;
}

/* Pointer and operand, in either order: C11 writes (x, 1), the kernel (1, x). */
static struct c_value read_rmw_arguments(struct c_test *test, struct call_state *state,
                                         struct c_value *operand)
{
    struct c_value pointer = litmus_c_expression(test);

    *operand = (struct c_value){operand_number(1), c_int};
    if (!(state->call->flags & CALL_ONE)) {
        litmus_lexer_expect(&test->reader->lexer, ",");
        *operand = litmus_c_expression(test);
    }
    if (pointer.type.stars == 0 && operand->type.stars > 0) {
        struct c_value swapped = pointer;
        pointer = *operand;
        *operand = swapped;
    }
    litmus_c_pointee(test, pointer);
    return pointer;
}

static struct c_value call_rmw(struct c_test *test, struct call_state *state)
{
    static const enum alu_kind alus[] = {
        [RMW_ADD] = ALU_ADD, [RMW_SUB] = ALU_SUB, [RMW_AND] = ALU_AND,
        [RMW_OR] = ALU_OR,   [RMW_XOR] = ALU_XOR,
    };
    struct c_value operand;
    struct c_value pointer = read_rmw_arguments(test, state, &operand);
    struct litmus_type type = litmus_c_pointee(test, pointer);
    struct litmus_update update = {
        .size = litmus_c_size(test, type),
        .sign = type.sign && type.stars == 0,
        .rmw = state->call->detail,
        .order = call_order(test, state),
    };

    end_of_arguments(test);
    reg_id old = litmus_code_temp(&test->code);
    litmus_code_rmw(&test->code, old, litmus_code_place(&test->code, pointer.operand),
                    operand.operand, update);
    struct c_value result = {operand_reg(old), type};
    if (!(state->call->flags & (CALL_NEW | CALL_ZERO)))
        return result;
    litmus_code_let(&test->code, old, alus[update.rmw], result.operand, operand.operand);
    litmus_code_let(&test->code, old, update.sign ? ALU_SEXT : ALU_ZEXT, result.operand,
                    operand_number(update.size));
    if (!(state->call->flags & CALL_ZERO))
        return result;
    litmus_code_let(&test->code, old, ALU_EQ, result.operand, operand_number(0));
    return (struct c_value){operand_reg(old), c_int};
}

/* The row of a compare-and-exchange; gives the old value. */
static struct c_value compare_exchange(struct c_test *test, struct c_value pointer,
                                       struct c_value expected, struct c_value desired,
                                       enum memory_order order)
{
    struct litmus_type type = litmus_c_pointee(test, pointer);
    struct litmus_update update = {
        .size = litmus_c_size(test, type),
        .sign = type.sign && type.stars == 0,
        .order = order,
    };
    reg_id old = litmus_code_temp(&test->code);

    litmus_code_cas(&test->code, old, litmus_code_place(&test->code, pointer.operand),
                    expected.operand, desired.operand, update);
    return (struct c_value){operand_reg(old), type};
}

/* The second argument: "&r0", a local variable, or a pointer to shared memory. */
static struct c_lvalue read_expected(struct c_test *test)
{
    if (litmus_lexer_accept(&test->reader->lexer, "&"))
        return litmus_c_lvalue(test);
    struct c_lvalue lvalue = {.pointer = litmus_c_expression(test)};
    litmus_c_pointee(test, lvalue.pointer);
    return lvalue;
}

static struct c_value call_cas(struct c_test *test, struct call_state *state)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct c_value pointer = read_pointer(test, state);

    litmus_lexer_expect(lexer, ",");
    struct c_lvalue holder = read_expected(test);
    litmus_lexer_expect(lexer, ",");
    struct c_value desired = litmus_c_expression(test);
    enum memory_order order = call_order(test, state);
    if (state->explicit_order && litmus_lexer_accept(lexer, ","))
        read_order(test); /* of the failed exchange: it is a load, which is always strong enough */
    end_of_arguments(test);

    struct litmus_type type = litmus_c_pointee(test, pointer);
    struct c_value expected;
    if (holder.local)
        expected = (struct c_value){operand_reg(holder.local->reg), holder.local->type};
    else
        expected = litmus_c_load(test, holder.pointer, ORDER_RELAXED);
    expected = litmus_c_convert(test, expected, type);
    struct c_value old = compare_exchange(test, pointer, expected, desired, order);
    reg_id equal = litmus_code_temp(&test->code);
    litmus_code_let(&test->code, equal, ALU_EQ, old.operand, expected.operand);
    uint32_t done = litmus_code_branch(&test->code, ALU_NE, operand_reg(equal), operand_number(0));
    litmus_c_assign(test, holder, old, ORDER_RELAXED);
    litmus_code_land(&test->code, done);
    return (struct c_value){operand_reg(equal), c_int};
}

/* cmpxchg(x, old, new) gives what x held. */
static struct c_value call_cmpxchg(struct c_test *test, struct call_state *state)
{
    struct litmus_lexer *lexer = &test->reader->lexer;
    struct c_value pointer = read_pointer(test, state);

    litmus_lexer_expect(lexer, ",");
    struct c_value expected = litmus_c_expression(test);
    litmus_lexer_expect(lexer, ",");
    struct c_value desired = litmus_c_expression(test);
    end_of_arguments(test);
    return compare_exchange(test, pointer, expected, desired, state->order);
}

static struct c_value call_fence(struct c_test *test, struct call_state *state)
{
    enum memory_order order = state->call->detail ? read_order(test) : state->order;

    end_of_arguments(test);
    if (order != ORDER_RELAXED)
        litmus_code_fence(&test->code, order);
    return nothing;
}

static struct c_value call_nothing(struct c_test *test, struct call_state *state)
{
    if (state->call->detail)
        read_order(test);
    end_of_arguments(test);
    return nothing;
}

static struct c_value call_lock(struct c_test *test, struct call_state *state)
{
    struct c_value pointer = litmus_c_expression(test);

    if (!pointer.type.lock || pointer.type.stars != 1 || pointer.operand.kind != OPERAND_ADDRESS)
        litmus_lexer_fail_token(&test->reader->lexer, &state->name, "%s needs a lock",
                                token_show(&state->name).text);
    end_of_arguments(test);
    struct insn *insn = litmus_code_row(&test->code, INSN_OP);
    insn->op = state->call->detail;
    insn->order = state->order;
    insn->place = place_decl(pointer.operand.decl);
    insn->dst = REG_NONE;
    if (insn->op != OP_SPIN_TRYLOCK)
        return nothing;
    reg_id dst = litmus_code_temp(&test->code);
    insn->dst = dst;
    return (struct c_value){operand_reg(dst), c_int};
}

/* ---- finding them */

static bool find_call(const struct token *name, unsigned flag, struct call_state *state)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (token_is(name, calls[i].name) && (calls[i].flags & flag) == flag) {
            state->call = &calls[i];
            state->order = calls[i].order;
            return true;
        }
    }
    return false;
}

static bool find_call_with_suffix(const struct token *name, struct call_state *state)
{
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        uint32_t length = (uint32_t)strlen(suffixes[i].text);
        struct token base = *name;

        if (name->length <= length ||
            memcmp(name->text + name->length - length, suffixes[i].text, length) != 0)
            continue;
        base.length -= length;
        if (!find_call(&base, suffixes[i].flag, state))
            continue;
        state->order = suffixes[i].order;
        state->explicit_order = suffixes[i].flag == CALL_EXPLICIT;
        return true;
    }
    return false;
}

struct c_value litmus_c_call(struct c_test *test, const struct token *name)
{
    struct call_state state = {.name = *name};

    if (!find_call(name, 0, &state) && !find_call_with_suffix(name, &state))
        litmus_lexer_fail_token(&test->reader->lexer, name, "unknown function %s",
                                token_show(name).text);
    litmus_lexer_expect(&test->reader->lexer, "(");
    litmus_reader_enter(test->reader);
    struct c_value value = state.call->read(test, &state);
    test->reader->depth--;
    return value;
}
