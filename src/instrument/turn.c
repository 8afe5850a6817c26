#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Loads behind which it is certain that the code comes to the head of a loop.
 *
 * A source of values at the head is free if nothing else at the head comes from it: then the loop could as well have begun with what is there later. If the
 * load is in the loop, and all other values at the head are those of the round before, the thread need not do it to find out that its round changes nothing. */

#define TURN_BLOCKS 32 /* between the load and the head, at most */

/* A phi that was passed, and its value. */
struct known {
    LLVMValueRef phi, value;
};

/* Forward from the read, along the one way that the code can go; from a compare-exchange, if that has failed. */
struct going {
    struct work *work;
    LLVMValueRef read;
    VEC(struct known) known;
    VEC(LLVMBasicBlockRef) blocks; /* that were passed */
};

static LLVMValueRef resolve(const struct going *going, LLVMValueRef value)
{
    for (uint32_t i = going->known.count; i-- > 0;)
        if (going->known.at[i].phi == value)
            return going->known.at[i].value;
    return value;
}

/* Nothing visible is done there, from `from` on, and no variable in memory is written. */
static bool is_quiet(struct work *work, LLVMValueRef from)
{
    for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
        struct point point = {.instruction = i};

        if (LLVMIsAStoreInst(i) || (is_call(i) && copy_understand(i).kind != COPY_NONE))
            return false;
        if (point_classify(work, i, &point) && point.kind != POINT_HEAD)
            return false;
    }
    return true;
}

static bool is_result(const struct going *going, LLVMValueRef value, unsigned which)
{
    return LLVMIsAExtractValueInst(value) && LLVMGetNumIndices(value) == 1 &&
           LLVMGetIndices(value)[0] == which && LLVMGetOperand(value, 0) == going->read &&
           LLVMIsAAtomicCmpXchgInst(going->read);
}

/* What was found is not what was expected. */
static bool is_comparison(const struct going *going, LLVMValueRef value)
{
    LLVMValueRef a, b, expected;

    if (!LLVMIsAICmpInst(value) || !LLVMIsAAtomicCmpXchgInst(going->read) ||
        (LLVMGetICmpPredicate(value) != LLVMIntEQ && LLVMGetICmpPredicate(value) != LLVMIntNE))
        return false;
    a = LLVMGetOperand(value, 0);
    b = LLVMGetOperand(value, 1);
    expected = LLVMGetOperand(going->read, 1);
    return (is_result(going, a, 0) && b == expected) || (is_result(going, b, 0) && a == expected);
}

/* 0 or 1, if the condition is known to be that; else -1. */
static int truth(const struct going *going, LLVMValueRef value)
{
    int inner;

    value = resolve(going, value);
    if (LLVMIsAConstantInt(value))
        return LLVMIsNull(value) ? 0 : LLVMConstIntGetZExtValue(value) == 1 ? 1 : -1;
    if (is_result(going, value, 1))
        return 0;
    if (is_comparison(going, value))
        return LLVMGetICmpPredicate(value) == LLVMIntNE;
    if (LLVMIsAZExtInst(value) || LLVMIsATruncInst(value))
        return truth(going, LLVMGetOperand(value, 0));
    if (LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMXor) {
        inner = truth(going, LLVMGetOperand(value, 0));
        return inner >= 0 && truth(going, LLVMGetOperand(value, 1)) == 1 ? !inner : -1;
    }
    return -1;
}

/* Where the block goes on, if that is certain. */
static LLVMBasicBlockRef next_block(const struct going *going, LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block), condition;

    if (LLVMIsABranchInst(last) && !LLVMIsConditional(last))
        return LLVMGetSuccessor(last, 0);
    condition = branch_condition(last);
    condition = condition ? resolve(going, condition) : NULL;
    if (condition && LLVMIsAConstantInt(condition))
        return branch_choice(last, condition);
    if (!condition || LLVMIsASwitchInst(last) || truth(going, condition) < 0)
        return NULL;
    return LLVMGetSuccessor(last, truth(going, condition) ? 0 : 1);
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* The phis of a block get their values at once. */
static void phis_pass(struct going *going, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    VEC(struct known) passed = {0};

    for (LLVMValueRef i = LLVMGetFirstInstruction(to); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        vec_push(&going->work->arena, &passed,
                 ((struct known){i, resolve(going, incoming(i, from))}));
    for (uint32_t i = 0; i < passed.count; i++)
        vec_push(&going->work->arena, &going->known, passed.at[i]);
}

static bool is_fresh(const struct head *head, LLVMValueRef phi)
{
    for (uint32_t i = 0; i < head->fresh.count; i++)
        if (head->fresh.at[i] == phi)
            return true;
    return false;
}

/* From the load to the head. Returns the block before that; NULL: it may go elsewhere. */
static LLVMBasicBlockRef go_to_head(struct going *going, const struct head *head, LLVMValueRef load)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(load), next;

    if (!is_quiet(going->work, LLVMGetNextInstruction(load)))
        return NULL;
    for (unsigned i = 0; i < TURN_BLOCKS; i++) {
        next = next_block(going, block);
        if (!next)
            return NULL;
        if (next == LLVMGetInstructionParent(head->mark))
            return block;
        if (!is_quiet(going->work, LLVMGetFirstInstruction(next)))
            return NULL;
        phis_pass(going, block, next);
        vec_push(&going->work->arena, &going->blocks, next);
        block = next;
    }
    return NULL;
}

/* Whether the value is made of nothing but what was read, by casts and by phis that were passed. */
static bool is_of(const struct going *going, LLVMValueRef value, LLVMValueRef load)
{
    value = resolve(going, value);
    while (value != load && LLVMIsACastInst(value))
        value = resolve(going, LLVMGetOperand(value, 0));
    return value == load || is_result(going, value, 0);
}

/* Whether the value, which there is at the end of the way, was there before the load: it is not defined on the way. */
static bool is_before(const struct going *going, LLVMValueRef value, LLVMValueRef load)
{
    for (uint32_t i = 0; i < going->blocks.count; i++)
        if (LLVMGetInstructionParent(value) == going->blocks.at[i])
            return false;
    for (LLVMValueRef i = load; i; i = LLVMGetNextInstruction(i))
        if (i == value)
            return false;
    return true;
}

/* Whether values at the head that are not fresh, come to from `from`, have nothing to do with the load: they are what they were there before, constant, or (not
 * `same`) from before it. */
static bool others_are_from_before(const struct going *going, const struct head *head,
                                   LLVMBasicBlockRef from, LLVMValueRef load, bool same)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(head->mark);

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef value = resolve(going, incoming(i, from));

        if (i == LLVMGetOperand(head->mark, 0) || value == i)
            continue;
        if (is_fresh(head, i)
                ? !is_of(going, value, load)
                : same || (LLVMIsAInstruction(value) && !is_before(going, value, load)))
            return false;
    }
    return true;
}

/* Whether all that the load is used for, as long as the head has not been reached, is for fresh values there. Of a load in the loop only what comes to the head
 * counts: nothing else of it is left there. */
static bool is_used_for_fresh(const struct going *going, const struct head *head,
                              LLVMValueRef value, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (is_fresh(head, user))
            continue;
        if (depth == 0 || !(LLVMIsACastInst(user) || resolve(going, user) != user) ||
            !is_used_for_fresh(going, head, user, depth - 1))
            return false;
    }
    return true;
}

static uint32_t turn_how(const struct work *work, LLVMValueRef read)
{
    bool exchange = LLVMIsAAtomicCmpXchgInst(read);
    LLVMTypeRef type = LLVMTypeOf(exchange ? LLVMGetOperand(read, 1) : read);
    LLVMAtomicOrdering order =
        exchange ? LLVMGetCmpXchgFailureOrdering(read) : LLVMGetOrdering(read);

    return (uint32_t)type_bytes(work->pass, type) | (order_flags(order) & HOOK_ORDER_MASK) << 8 |
           (exchange ? HOOK_TURN_EXCHANGE : 0);
}

static void turn_mark(struct work *work, const struct head *head, LLVMValueRef read)
{
    struct pass *pass = work->pass;
    LLVMValueRef none = LLVMConstPointerNull(pass->pointer);
    LLVMValueRef args[TURN_ARGUMENTS] = {LLVMGetOperand(read, 0),
                                         constant_i32(pass, turn_how(work, read)), none, none};
    LLVMValueRef call;

    builder_before(pass, read);
    call = hook_call(pass, "__raddle_turn", pass->nothing, args, TURN_ARGUMENTS);
    vec_push(&work->arena, &work->turns,
             ((struct turn){.call = call,
                            .mark = head->mark,
                            .exchange = LLVMIsAAtomicCmpXchgInst(read) ? read : NULL}));
}

static void source_judge(struct work *work, const struct head *head, LLVMValueRef load)
{
    struct going going = {.work = work, .read = load};
    LLVMBasicBlockRef from = LLVMIsALoadInst(load) ? go_to_head(&going, head, load) : NULL;
    bool back = from && !LLVMIsNull(incoming(LLVMGetOperand(head->mark, 0), from));
    bool is_free = from && others_are_from_before(&going, head, from, load, false) &&
                   (back || is_used_for_fresh(&going, head, load, TURN_BLOCKS));
    uint32_t known = map_get(&work->source_of, value_key(load));

    if (known == MAP_ABSENT) {
        map_add(&work->source_of, value_key(load), work->sources.count);
        vec_push(&work->arena, &work->sources, is_free);
    } else {
        work->sources.at[known] &= is_free;
    }
    if (back && others_are_from_before(&going, head, from, load, true))
        turn_mark(work, head, load);
}

/* Compare-exchanges behind which the next round begins if they fail. */
static void exchange_judge(struct work *work, const struct head *head, LLVMValueRef exchange)
{
    struct going going = {.work = work, .read = exchange};
    struct point point = {.instruction = exchange};
    LLVMBasicBlockRef from;

    if (type_bytes(work->pass, LLVMTypeOf(LLVMGetOperand(exchange, 1))) > 8 ||
        !access_is_single(work->pass, exchange) || !point_classify(work, exchange, &point))
        return;
    from = go_to_head(&going, head, exchange);
    if (from && !LLVMIsNull(incoming(LLVMGetOperand(head->mark, 0), from)) &&
        others_are_from_before(&going, head, from, exchange, true))
        turn_mark(work, head, exchange);
}

static bool is_marked(const struct work *work, LLVMValueRef exchange)
{
    for (uint32_t i = 0; i < work->turns.count; i++)
        if (work->turns.at[i].exchange == exchange)
            return true;
    return false;
}

void exchanges_find(struct work *work)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            for (uint32_t h = 0; h < work->heads.count && LLVMIsAAtomicCmpXchgInst(i); h++)
                if (!is_marked(work, i))
                    exchange_judge(work, &work->heads.at[h], i);
}

void turns_find(struct work *work, const struct head *head)
{
    for (uint32_t i = 0; i < head->sources.count; i++)
        source_judge(work, head, head->sources.at[i]);
}

const struct turn *turn_of(const struct work *work, LLVMValueRef call)
{
    for (uint32_t i = 0; i < work->turns.count; i++)
        if (work->turns.at[i].call == call)
            return &work->turns.at[i];
    return NULL;
}
