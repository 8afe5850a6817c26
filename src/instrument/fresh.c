#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Values at the head of a loop that come, on every way into it, straight from a read: the load before the loop, the value that a failed compare-exchange
 * found, a load in the loop. Straight: behind the read nothing visible is done on the way to the head (but for fences, and giving way), so
 * that the read is the last one of its thread there. A fact about the code, for each way: no value that the program happens to have
 * can be taken for one. */

#define WAYS_MAX 256u /* that are followed for one value */

/* Back from the end of a block. What comes behind was only reached if `last`, to which `guard` is a condition, goes to `to`: code that leaves a scope with
 * variables in it does so by a number, and a switch behind tells the ways apart again. */
struct way {
    LLVMBasicBlockRef block;
    LLVMValueRef value;
    LLVMValueRef guard, last; /* or NULL */
    LLVMBasicBlockRef to;
};

struct tracing {
    struct work *work;
    VEC(struct way) ways; /* those before `done` have been followed */
    uint32_t done;
    VEC(LLVMValueRef) sources;
    bool failed;
};

static bool is_whole_cast(const struct work *work, LLVMValueRef value)
{
    return (LLVMIsABitCastInst(value) || LLVMIsAIntToPtrInst(value) ||
            LLVMIsAPtrToIntInst(value)) &&
           type_bytes(work->pass, LLVMTypeOf(value)) ==
               type_bytes(work->pass, LLVMTypeOf(LLVMGetOperand(value, 0)));
}

/* The value without casts that leave all its bits. */
static LLVMValueRef uncast(const struct work *work, LLVMValueRef value)
{
    while (is_whole_cast(work, value))
        value = LLVMGetOperand(value, 0);
    return value;
}

LLVMValueRef branch_condition(LLVMValueRef last)
{
    if (LLVMIsASwitchInst(last))
        return LLVMGetOperand(last, 0);
    return LLVMIsABranchInst(last) && LLVMIsConditional(last) ? LLVMGetCondition(last) : NULL;
}

LLVMBasicBlockRef branch_choice(LLVMValueRef last, LLVMValueRef constant)
{
    if (!LLVMIsASwitchInst(last))
        return LLVMGetSuccessor(last, LLVMIsNull(constant) ? 1 : 0);
    for (unsigned i = 1; i < LLVMGetNumSuccessors(last); i++)
        if (LLVMGetOperand(last, 2 * i) == constant) /* constants are unique */
            return LLVMGetSuccessor(last, i);
    return LLVMGetSwitchDefaultDest(last);
}

/* A compare-exchange that succeeds has found what it expected: behind the edge that only success takes, that value is the one that was read. */
static LLVMValueRef value_on_edge(const struct work *work, const struct way *way,
                                  LLVMBasicBlockRef to)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(way->block), condition, exchange;

    if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last) ||
        LLVMGetSuccessor(last, 0) == LLVMGetSuccessor(last, 1) || LLVMGetSuccessor(last, 0) != to)
        return way->value;
    condition = LLVMGetCondition(last);
    if (!LLVMIsAExtractValueInst(condition) || LLVMGetIndices(condition)[0] != 1)
        return way->value;
    exchange = LLVMGetOperand(condition, 0);
    if (!LLVMIsAAtomicCmpXchgInst(exchange) ||
        uncast(work, LLVMGetOperand(exchange, 1)) != uncast(work, way->value))
        return way->value;
    return exchange;
}

static bool ways_equal(const struct way *a, const struct way *b)
{
    return a->block == b->block && a->value == b->value && a->guard == b->guard &&
           a->last == b->last && a->to == b->to;
}

/* From the beginning of `to` to the end of one that leads there, in which the value and the guard are these. */
static void way_add(struct tracing *t, const struct way *behind, LLVMBasicBlockRef from,
                    LLVMValueRef value, LLVMValueRef guard)
{
    struct way way = {.block = from, .value = value};

    if (guard && LLVMIsAConstantInt(guard)) {
        if (branch_choice(behind->last, guard) != behind->to)
            return; /* no way that is ever gone */
    } else if (guard && LLVMIsAInstruction(guard)) {
        way.guard = guard;
        way.last = behind->last;
        way.to = behind->to;
    }
    way.value = value_on_edge(t->work, &way, behind->block);
    if (!way.guard && branch_condition(LLVMGetBasicBlockTerminator(from))) {
        way.last = LLVMGetBasicBlockTerminator(from);
        way.guard = branch_condition(way.last);
        way.to = behind->block;
    }
    for (uint32_t i = 0; i < t->ways.count; i++)
        if (ways_equal(&t->ways.at[i], &way))
            return;
    if (t->ways.count == WAYS_MAX || !LLVMIsAInstruction(way.value)) {
        t->failed = true;
        return;
    }
    vec_push(&t->work->arena, &t->ways, way);
}

/* The value that a phi of the block has when the code comes from there; other values stay what they are. */
static LLVMValueRef value_from(LLVMValueRef value, LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
    if (!value || !LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) != block)
        return value;
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
        if (LLVMGetIncomingBlock(value, i) == from)
            return LLVMGetIncomingValue(value, i);
    return value;
}

static void ways_before(struct tracing *t, const struct way *way, LLVMValueRef value)
{
    LLVMValueRef block = LLVMBasicBlockAsValue(way->block);

    if (way->block == LLVMGetEntryBasicBlock(t->work->function))
        t->failed = true;
    for (LLVMUseRef use = LLVMGetFirstUse(block); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef from;

        if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user)) {
            t->failed = true; /* its address is taken */
            continue;
        }
        from = LLVMGetInstructionParent(user);
        way_add(t, way, from, value_from(value, way->block, from),
                value_from(way->guard, way->block, from));
    }
}

static bool is_source(struct work *work, LLVMValueRef read)
{
    struct point point = {.instruction = read};
    LLVMTypeRef type;

    if (LLVMIsAAtomicCmpXchgInst(read))
        type = LLVMTypeOf(LLVMGetOperand(read, 1));
    else if (LLVMIsALoadInst(read) &&
             (LLVMGetVolatile(read) || LLVMGetOrdering(read) != LLVMAtomicOrderingNotAtomic))
        type = LLVMTypeOf(read);
    else
        return false;
    return type_bytes(work->pass, type) <= 8 && type_is_castable(work->pass, type) &&
           access_is_single(work->pass, read) && point_classify(work, read, &point);
}

static bool is_giving_way(LLVMValueRef instruction)
{
    static const char *const names[] = {"sched_yield", "thrd_yield", "pthread_yield"};
    LLVMValueRef function = is_call(instruction) ? called_function(instruction) : NULL;
    size_t length;

    for (size_t i = 0; function && i < sizeof names / sizeof *names; i++)
        if (LLVMIsDeclaration(function) &&
            strcmp(LLVMGetValueName2(function, &length), names[i]) == 0)
            return true;
    return false;
}

static bool may_be_on_the_way(struct work *work, LLVMValueRef instruction)
{
    struct point point = {.instruction = instruction};

    return !point_classify(work, instruction, &point) || point.kind == POINT_FENCE ||
           point.kind == POINT_HEAD || is_giving_way(instruction);
}

/* The definition has been reached: goes on with what the value was made of, which is then returned; NULL: nothing is left to follow. */
static LLVMValueRef definition_follow(struct tracing *t, LLVMValueRef value)
{
    if (is_whole_cast(t->work, value) && LLVMIsAInstruction(LLVMGetOperand(value, 0)))
        return LLVMGetOperand(value, 0);
    if (LLVMIsAExtractValueInst(value) && LLVMGetNumIndices(value) == 1 &&
        LLVMGetIndices(value)[0] == 0 && LLVMIsAAtomicCmpXchgInst(LLVMGetOperand(value, 0)))
        return LLVMGetOperand(value, 0);
    if (is_source(t->work, value))
        vec_push(&t->work->arena, &t->sources, value);
    else
        t->failed = true;
    return NULL;
}

static void way_follow(struct tracing *t, struct way way)
{
    LLVMValueRef value = way.value;

    for (LLVMValueRef i = LLVMGetLastInstruction(way.block); i && !LLVMIsAPHINode(i) && !t->failed;
         i = LLVMGetPreviousInstruction(i)) {
        if (i == value) {
            value = definition_follow(t, value);
            if (!value)
                return;
        } else if (!may_be_on_the_way(t->work, i)) {
            t->failed = true;
        }
    }
    if (!t->failed)
        ways_before(t, &way, value);
}

static bool trace(struct tracing *t, LLVMValueRef phi)
{
    struct way way = {.block = LLVMGetInstructionParent(phi)};

    if (type_bytes(t->work->pass, LLVMTypeOf(phi)) > 8 ||
        !type_is_castable(t->work->pass, LLVMTypeOf(phi)))
        return false;
    ways_before(t, &way, phi);
    while (!t->failed && t->done < t->ways.count)
        way_follow(t, t->ways.at[t->done++]);
    return !t->failed;
}

static void head_add_source(struct work *work, struct head *head, LLVMValueRef source)
{
    for (uint32_t i = 0; i < head->sources.count; i++)
        if (head->sources.at[i] == source)
            return;
    vec_push(&work->arena, &head->sources, source);
}

void fresh_find(struct work *work, struct head *head)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(head->mark);

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        struct tracing tracing = {.work = work};

        if (!trace(&tracing, i))
            continue;
        vec_push(&work->arena, &head->fresh, i);
        for (uint32_t k = 0; k < tracing.sources.count; k++)
            head_add_source(work, head, tracing.sources.at[k]);
    }
}

bool fresh_is(const struct work *work, const struct point *point, LLVMValueRef value)
{
    for (uint32_t i = 0; point->kind == POINT_HEAD && i < work->heads.count; i++)
        if (work->heads.at[i].mark == point->instruction)
            for (uint32_t k = 0; k < work->heads.at[i].fresh.count; k++)
                if (work->heads.at[i].fresh.at[k] == value)
                    return true;
    return false;
}

uint32_t fresh_flags(const struct work *work, LLVMValueRef instruction)
{
    uint32_t source = map_get(&work->source_of, value_key(instruction));

    if (source == MAP_ABSENT)
        return 0;
    return SITE_SOURCE | (work->sources.at[source] ? SITE_FREE : 0);
}
