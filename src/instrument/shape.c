#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/debug.h"
#include "instrument/instrument.h"

/* New control flow, and copies of functions. */

/* Puts what is before the instruction into a block of its own, which takes the place of the old one for all that lead there. It is that way
 * round because LLVM-C can have a block's successors told of another predecessor only together with its own predecessors. So a block that
 * is split at one point after the other is moved once in all. */
static LLVMBasicBlockRef block_split(struct pass *pass, LLVMValueRef before)
{
    LLVMBasicBlockRef rest = LLVMGetInstructionParent(before);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(pass->context, rest, "");
    LLVMValueRef last = LLVMGetBasicBlockTerminator(rest), next;

    LLVMSetCurrentDebugLocation2(pass->builder, NULL); /* which all that is moved would get */
    LLVMPositionBuilderAtEnd(pass->builder, head);
    for (LLVMValueRef i = LLVMGetFirstInstruction(rest); i != before; i = next) {
        next = LLVMGetNextInstruction(i);
        instruction_move(pass, i);
    }
    /* without its end the block has no successors, which are not to be told */
    LLVMInstructionRemoveFromParent(last);
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(rest), LLVMBasicBlockAsValue(head));
    LLVMPositionBuilderAtEnd(pass->builder, rest);
    instruction_put(pass, last);
    name_pass_on(LLVMBasicBlockAsValue(rest), LLVMBasicBlockAsValue(head));
    return head;
}

/* So that it is laid out as the likely way. */
static void branch_weigh(struct pass *pass, LLVMValueRef branch)
{
    static const char kind[] = "prof", name[] = "branch_weights";
    LLVMMetadataRef fields[] = {
        LLVMMDStringInContext2(pass->context, name, strlen(name)),
        LLVMValueAsMetadata(constant_i32(pass, (1u << 20) - 1)),
        LLVMValueAsMetadata(constant_i32(pass, 1)),
    };

    LLVMSetMetadata(
        branch, LLVMGetMDKindIDInContext(pass->context, kind, strlen(kind)),
        LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, fields, 3)));
}

void block_fork(struct pass *pass, LLVMValueRef condition, LLVMValueRef before,
                LLVMValueRef *likely, LLVMValueRef *unlikely)
{
    LLVMBasicBlockRef head = block_split(pass, before), rest = LLVMGetInstructionParent(before);
    LLVMBasicBlockRef yes = LLVMInsertBasicBlockInContext(pass->context, rest, "");
    LLVMBasicBlockRef no = LLVMInsertBasicBlockInContext(pass->context, rest, "");

    LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(before));
    LLVMPositionBuilderAtEnd(pass->builder, yes);
    *likely = LLVMBuildBr(pass->builder, rest);
    LLVMPositionBuilderAtEnd(pass->builder, no);
    *unlikely = LLVMBuildBr(pass->builder, rest);
    LLVMPositionBuilderAtEnd(pass->builder, head);
    branch_weigh(pass, LLVMBuildCondBr(pass->builder, condition, yes, no));
}

static bool has_address_taken(LLVMBasicBlockRef block)
{
    LLVMValueRef value = LLVMBasicBlockAsValue(block);

    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (LLVMIsABlockAddress(LLVMGetUser(use)))
            return true;
    return false;
}

bool function_can_be_copied(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (has_address_taken(b))
            return false;
    return true;
}

LLVMValueRef function_copy(LLVMValueRef function, const char *name)
{
    LLVMValueRef copy = function_clone(function);

    LLVMSetValueName2(copy, name, strlen(name));
    LLVMSetLinkage(copy, LLVMInternalLinkage); /* so its visibility is the usual one, too */
    LLVMSetComdat(copy, LLVMGetComdat(function));
    return copy;
}

void function_share(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMComdatRef group = LLVMGetOrInsertComdat(LLVMGetGlobalParent(function), name);

    LLVMSetComdatSelectionKind(group, LLVMAnyComdatSelectionKind);
    LLVMSetComdat(function, group);
    LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
}

static void attributes_pass_on(LLVMValueRef from, LLVMValueRef call, unsigned index)
{
    unsigned count = LLVMGetAttributeCountAtIndex(from, index);
    LLVMAttributeRef *attributes = calloc(count + 1, sizeof(LLVMAttributeRef));

    CHECK(attributes, "out of memory");
    LLVMGetAttributesAtIndex(from, index, attributes);
    for (unsigned i = 0; i < count; i++)
        LLVMAddCallSiteAttribute(call, index, attributes[i]);
    free(attributes);
}

/* The same function with the same arguments, and whatever comes in place of "...". */
static void call_instead(struct pass *pass, LLVMValueRef from, LLVMValueRef other)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(other);
    unsigned count = LLVMCountParams(from);
    LLVMValueRef *arguments = calloc(count + 1, sizeof(LLVMValueRef)), call;

    CHECK(arguments, "out of memory");
    LLVMGetParams(from, arguments);
    call = LLVMBuildCall2(pass->builder, type, other, arguments, count, "");
    free(arguments);
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(other));
    for (unsigned i = LLVMAttributeReturnIndex; i <= count; i++)
        attributes_pass_on(from, call, i);
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    if (LLVMGetReturnType(type) == pass->nothing)
        LLVMBuildRetVoid(pass->builder);
    else
        LLVMBuildRet(pass->builder, call);
}

/* Variables of fixed size must be in the first block, or they are taken for others. */
static void variables_move(struct pass *pass, LLVMBasicBlockRef from)
{
    LLVMValueRef next;

    for (LLVMValueRef i = LLVMGetFirstInstruction(from); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            instruction_move(pass, i);
    }
}

static LLVMMetadataRef function_start(struct pass *pass, LLVMValueRef function)
{
    LLVMMetadataRef program = LLVMGetSubprogram(function);

    if (!program)
        return NULL;
    return LLVMDIBuilderCreateDebugLocation(
        pass->context, (unsigned)node_number(pass, program, "scopeLine"), 0, program, NULL);
}

void function_switch(struct pass *pass, LLVMValueRef function, LLVMValueRef flag,
                     LLVMValueRef other)
{
    LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(function);
    LLVMBasicBlockRef first = LLVMInsertBasicBlockInContext(pass->context, body, "");
    LLVMBasicBlockRef instead = LLVMAppendBasicBlockInContext(pass->context, function, "");
    LLVMValueRef checks;

    LLVMSetCurrentDebugLocation2(pass->builder, NULL);
    LLVMPositionBuilderAtEnd(pass->builder, first);
    variables_move(pass, body);
    LLVMSetCurrentDebugLocation2(pass->builder, function_start(pass, function));
    checks = LLVMBuildLoad2(pass->builder, pass->i8, flag, "");
    LLVMBuildCondBr(pass->builder,
                    LLVMBuildICmp(pass->builder, LLVMIntNE, checks, LLVMConstNull(pass->i8), ""),
                    body, instead);
    LLVMPositionBuilderAtEnd(pass->builder, instead);
    call_instead(pass, function, other);
}
