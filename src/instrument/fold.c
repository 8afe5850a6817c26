#include <stdlib.h>

#include "base/check.h"
#include "instrument/instrument.h"

/* Computes in advance what constants decide, in instructions that have a mark and in phis, and drops what is left unused by that. */

struct fold {
    LLVMBuilderRef builder;
    unsigned mark; /* a kind of metadata */
    struct arena arena;
};

/* ---- values */

static bool is_pure(LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);

    if (opcode == LLVMLoad)
        return !LLVMGetVolatile(instruction) &&
               LLVMGetOrdering(instruction) <= LLVMAtomicOrderingUnordered;
    return LLVMIsABinaryOperator(instruction) || LLVMIsACastInst(instruction) ||
           LLVMIsACmpInst(instruction) || opcode == LLVMPHI || opcode == LLVMSelect ||
           opcode == LLVMGetElementPtr || opcode == LLVMExtractValue || opcode == LLVMInsertValue ||
           opcode == LLVMFreeze || opcode == LLVMAlloca;
}

/* What all that come in have in common, or NULL. */
static LLVMValueRef phi_value(LLVMValueRef phi)
{
    LLVMValueRef common = NULL;

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);

        if (value == phi || value == common)
            continue;
        if (common)
            return NULL;
        common = value;
    }
    return common;
}

static bool is_number(LLVMValueRef value, uint64_t number)
{
    return LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
           LLVMConstIntGetZExtValue(value) == number;
}

static LLVMValueRef binary_value(const struct fold *fold, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMXor:
        if (is_number(b, 0))
            return a;
        break;
    case LLVMAnd:
        if (LLVMIsAConstantInt(b) && LLVMConstAllOnes(LLVMTypeOf(b)) == b)
            return a;
        if (is_number(b, 0))
            return b;
        break;
    default:
        return NULL;
    }
    if (!LLVMIsAConstantInt(a) || !LLVMIsAConstantInt(b))
        return NULL;
    return LLVMBuildBinOp(fold->builder, opcode, a, b, ""); /* of constants: a constant */
}

static LLVMValueRef compare_value(const struct fold *fold, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);

    if (!LLVMIsAICmpInst(i) || !LLVMIsAConstantInt(a) || !LLVMIsAConstantInt(b))
        return NULL;
    return LLVMBuildICmp(fold->builder, LLVMGetICmpPredicate(i), a, b, "");
}

static LLVMValueRef cast_value(const struct fold *fold, LLVMValueRef i)
{
    LLVMValueRef from = LLVMGetOperand(i, 0);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool of_number = opcode == LLVMTrunc || opcode == LLVMZExt || opcode == LLVMSExt;

    if (of_number && LLVMIsAConstantInt(from))
        return LLVMBuildCast(fold->builder, opcode, from, LLVMTypeOf(i), "");
    if (opcode == LLVMTrunc && (LLVMIsAZExtInst(from) || LLVMIsASExtInst(from)) &&
        LLVMTypeOf(LLVMGetOperand(from, 0)) == LLVMTypeOf(i))
        return LLVMGetOperand(from, 0); /* a bool that was in memory as a byte */
    return NULL;
}

static LLVMValueRef select_value(LLVMValueRef i)
{
    LLVMValueRef condition = LLVMGetOperand(i, 0);

    if (LLVMGetOperand(i, 1) == LLVMGetOperand(i, 2))
        return LLVMGetOperand(i, 1);
    return LLVMIsAConstantInt(condition)
               ? LLVMGetOperand(i, LLVMConstIntGetZExtValue(condition) ? 1 : 2)
               : NULL;
}

static LLVMValueRef element_value(LLVMValueRef i)
{
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (!is_number(LLVMGetOperand(i, k), 0))
            return NULL;
    return LLVMTypeOf(i) == LLVMTypeOf(LLVMGetOperand(i, 0)) ? LLVMGetOperand(i, 0) : NULL;
}

static LLVMValueRef extract_value(LLVMValueRef i)
{
    LLVMValueRef from = LLVMGetOperand(i, 0);
    unsigned field;

    if (LLVMGetNumIndices(i) != 1)
        return NULL;
    field = LLVMGetIndices(i)[0];
    for (; LLVMIsAInsertValueInst(from); from = LLVMGetOperand(from, 0))
        if (LLVMGetIndices(from)[0] == field)
            return LLVMGetNumIndices(from) == 1 ? LLVMGetOperand(from, 1) : NULL;
    return NULL;
}

/* What the instruction always gives, or NULL. */
static LLVMValueRef known_value(const struct fold *fold, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(fold->builder, i);
    if (LLVMIsABinaryOperator(i))
        return binary_value(fold, i);
    if (LLVMIsACmpInst(i))
        return compare_value(fold, i);
    if (LLVMIsACastInst(i))
        return cast_value(fold, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return phi_value(i);
    case LLVMSelect:
        return select_value(i);
    case LLVMGetElementPtr:
        return element_value(i);
    case LLVMExtractValue:
        return extract_value(i);
    default:
        return NULL;
    }
}

static bool instruction_fold(const struct fold *fold, LLVMValueRef instruction)
{
    bool used = LLVMGetFirstUse(instruction) != NULL;
    LLVMValueRef value = NULL;

    if (!used && is_pure(instruction)) {
        LLVMInstructionEraseFromParent(instruction);
        return true;
    }
    if (used)
        value = known_value(fold, instruction);
    if (!value || value == instruction)
        return false;
    LLVMReplaceAllUsesWith(instruction, value);
    return true;
}

/* ---- control flow */

/* Lets the phi have that many values for `from`, of those that it has. LLVM-C can only add to a phi: it is made anew. */
static void phi_keep(const struct fold *fold, LLVMValueRef phi, LLVMBasicBlockRef from,
                     unsigned keep)
{
    LLVMValueRef made;

    LLVMPositionBuilderBefore(fold->builder, phi);
    made = LLVMBuildPhi(fold->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);

        if (block != from || keep > 0)
            LLVMAddIncoming(made, &value, &block, 1);
        keep -= block == from && keep > 0;
    }
    LLVMReplaceAllUsesWith(phi, made);
    name_pass_on(phi, made);
    LLVMInstructionEraseFromParent(phi);
}

static void phis_keep(const struct fold *fold, LLVMBasicBlockRef to, LLVMBasicBlockRef from,
                      unsigned keep)
{
    LLVMValueRef next;

    for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        phi_keep(fold, i, from, keep);
    }
}

/* Where it always goes, or NULL. */
static LLVMBasicBlockRef only_way(LLVMValueRef last)
{
    LLVMValueRef condition = branch_condition(last);

    if (!condition)
        return NULL;
    if (LLVMIsABranchInst(last) && LLVMGetSuccessor(last, 0) == LLVMGetSuccessor(last, 1))
        return LLVMGetSuccessor(last, 0);
    return LLVMIsAConstantInt(condition) ? branch_choice(last, condition) : NULL;
}

static bool end_fold(const struct fold *fold, LLVMValueRef last)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(last), way = only_way(last);

    if (!way)
        return false;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
        if (LLVMGetSuccessor(last, i) != way)
            phis_keep(fold, LLVMGetSuccessor(last, i), block, 0);
    phis_keep(fold, way, block, 1);
    LLVMSetCurrentDebugLocation2(fold->builder, LLVMInstructionGetDebugLoc(last));
    LLVMInstructionEraseFromParent(last);
    LLVMPositionBuilderAtEnd(fold->builder, block); /* the debug records before it stay */
    LLVMBuildBr(fold->builder, way);
    return true;
}

static void block_empty(const struct fold *fold, LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block), i;

    for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++)
        phis_keep(fold, LLVMGetSuccessor(last, k), block, 0);
    while ((i = LLVMGetLastInstruction(block))) {
        if (LLVMGetFirstUse(i)) /* by others that never run */
            LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMPositionBuilderAtEnd(fold->builder, block);
    LLVMBuildUnreachable(fold->builder); /* which takes the debug records that are left */
}

/* Drops the blocks that nothing leads to. */
static bool unreachable_drop(struct fold *fold, LLVMValueRef function)
{
    VEC(LLVMBasicBlockRef) reached = {0}, dead = {0};
    struct map seen;

    map_open(&seen, &fold->arena);
    vec_push(&fold->arena, &reached, LLVMGetEntryBasicBlock(function));
    map_add(&seen, value_key(reached.at[0]), 0);
    for (uint32_t at = 0; at < reached.count; at++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(reached.at[at]);

        for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(last, i);

            if (map_get(&seen, value_key(to)) != MAP_ABSENT)
                continue;
            map_add(&seen, value_key(to), 0);
            vec_push(&fold->arena, &reached, to);
        }
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (map_get(&seen, value_key(b)) == MAP_ABSENT)
            vec_push(&fold->arena, &dead, b);
    for (uint32_t i = 0; i < dead.count; i++)
        block_empty(fold, dead.at[i]);
    for (uint32_t i = 0; i < dead.count; i++)
        LLVMDeleteBasicBlock(dead.at[i]);
    return dead.count > 0;
}

static bool block_fold(const struct fold *fold, LLVMBasicBlockRef block)
{
    LLVMValueRef next, last;
    bool changed = false;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMGetMetadata(i, fold->mark) || LLVMIsAPHINode(i))
            changed |= instruction_fold(fold, i);
    }
    last = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetMetadata(last, fold->mark))
        changed |= end_fold(fold, last);
    return changed;
}

void function_fold(LLVMContextRef context, LLVMValueRef function, unsigned mark)
{
    struct fold fold = {.mark = mark};
    bool changed = true;

    fold.builder = LLVMCreateBuilderInContext(context);
    CHECK(arena_open(&fold.arena, (size_t)1 << 32) == 0, "no address space for the pass");
    while (changed) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
             b = LLVMGetNextBasicBlock(b))
            changed |= block_fold(&fold, b);
        changed |= unreachable_drop(&fold, function);
        arena_reset(&fold.arena);
    }
    arena_close(&fold.arena);
    LLVMDisposeBuilder(fold.builder);
}
