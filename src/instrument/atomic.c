#include <stdio.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

#define NO_HOOK UINT32_MAX

/* The hook's number of an operation, or NO_HOOK if only a loop of compare-exchanges does it. */
static uint32_t rmw_hook(LLVMAtomicRMWBinOp operation, LLVMTypeRef type)
{
    static const uint8_t hooks[] = {
        [LLVMAtomicRMWBinOpXchg] = HOOK_XCHG, [LLVMAtomicRMWBinOpAdd] = HOOK_ADD,
        [LLVMAtomicRMWBinOpSub] = HOOK_SUB,   [LLVMAtomicRMWBinOpAnd] = HOOK_AND,
        [LLVMAtomicRMWBinOpNand] = HOOK_NAND, [LLVMAtomicRMWBinOpOr] = HOOK_OR,
        [LLVMAtomicRMWBinOpXor] = HOOK_XOR,   [LLVMAtomicRMWBinOpMax] = HOOK_MAX,
        [LLVMAtomicRMWBinOpMin] = HOOK_MIN,   [LLVMAtomicRMWBinOpUMax] = HOOK_UMAX,
        [LLVMAtomicRMWBinOpUMin] = HOOK_UMIN, [LLVMAtomicRMWBinOpFAdd] = HOOK_FADD,
        [LLVMAtomicRMWBinOpFSub] = HOOK_FSUB, [LLVMAtomicRMWBinOpFMax] = HOOK_FMAX,
        [LLVMAtomicRMWBinOpFMin] = HOOK_FMIN,
    };
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (operation > LLVMAtomicRMWBinOpFMin)
        return NO_HOOK;
    if (operation >= LLVMAtomicRMWBinOpFAdd && kind != LLVMFloatTypeKind &&
        kind != LLVMDoubleTypeKind)
        return NO_HOOK;
    return hooks[operation];
}

/* What the operation makes of `old`, for those that have no hook. */
static LLVMValueRef rmw_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp operation, LLVMValueRef old,
                               LLVMValueRef operand)
{
    LLVMTypeRef type = LLVMTypeOf(old);
    LLVMValueRef stop, moved, zero;

    switch (operation) {
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(b, old, operand, "");
    case LLVMAtomicRMWBinOpFSub:
        return LLVMBuildFSub(b, old, operand, "");
    case LLVMAtomicRMWBinOpFMax:
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUGE, old, operand, ""), old, operand,
                               "");
    case LLVMAtomicRMWBinOpFMin:
        return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealULE, old, operand, ""), old, operand,
                               "");
    case LLVMAtomicRMWBinOpUIncWrap:
        stop = LLVMBuildICmp(b, LLVMIntUGE, old, operand, "");
        moved = LLVMBuildAdd(b, old, LLVMConstInt(type, 1, 0), "");
        return LLVMBuildSelect(b, stop, LLVMConstNull(type), moved, "");
    default: /* udec_wrap */
        zero = LLVMBuildICmp(b, LLVMIntEQ, old, LLVMConstNull(type), "");
        stop = LLVMBuildOr(b, zero, LLVMBuildICmp(b, LLVMIntUGT, old, operand, ""), "");
        moved = LLVMBuildSub(b, old, LLVMConstInt(type, 1, 0), "");
        return LLVMBuildSelect(b, stop, operand, moved, "");
    }
}

/* The body of a helper: load, then compare-exchange until it succeeds. */
static void loop_build(struct pass *pass, LLVMValueRef function, LLVMAtomicRMWBinOp operation,
                       LLVMTypeRef type, int class)
{
    LLVMValueRef pointer = LLVMGetParam(function, 0), operand = LLVMGetParam(function, 1);
    LLVMValueRef flags = LLVMGetParam(function, 2), site = LLVMGetParam(function, 3);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(pass->context, function, "");
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(pass->context, function, "");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(pass->context, function, "");
    LLVMTypeRef integer = pass->integer[class];
    LLVMBuilderRef builder = pass->builder;
    LLVMValueRef first, expected, desired, old;

    pass->builder = LLVMCreateBuilderInContext(pass->context);
    LLVMPositionBuilderAtEnd(pass->builder, entry);
    first = hook_call_sized(pass, "load", class, integer,
                            (LLVMValueRef[]){pointer, constant_i32(pass, 0), site}, 3);
    LLVMBuildBr(pass->builder, again);
    LLVMPositionBuilderAtEnd(pass->builder, again);
    expected = LLVMBuildPhi(pass->builder, integer, "");
    desired = rmw_result(pass->builder, operation, value_from_integer(pass, expected, type),
                         value_from_integer(pass, operand, type));
    desired = value_to_integer(pass, desired, integer);
    old = hook_call_sized(pass, "cas", class, integer,
                          (LLVMValueRef[]){pointer, expected, desired, flags, site}, 5);
    LLVMAddIncoming(expected, (LLVMValueRef[]){first, old}, (LLVMBasicBlockRef[]){entry, again}, 2);
    LLVMBuildCondBr(pass->builder, LLVMBuildICmp(pass->builder, LLVMIntEQ, old, expected, ""), done,
                    again);
    LLVMPositionBuilderAtEnd(pass->builder, done);
    LLVMBuildRet(pass->builder, old);
    LLVMDisposeBuilder(pass->builder);
    pass->builder = builder;
}

/* A function of the module that does the operation, with the parameters of a hook: the caller's
 * block need not be split then. */
static const char *loop_function(struct pass *pass, LLVMAtomicRMWBinOp operation, LLVMTypeRef type,
                                 int class, char *name, size_t size)
{
    LLVMTypeRef integer = pass->integer[class];
    LLVMTypeRef params[] = {pass->pointer, integer, pass->i32, pass->pointer};
    LLVMValueRef function;

    snprintf(name, size, "__raddle_loop%d.%d.%d", (int)operation, (int)LLVMGetTypeKind(type),
             class);
    if (!LLVMGetNamedFunction(pass->module, name)) {
        function = LLVMAddFunction(pass->module, name, LLVMFunctionType(integer, params, 4, 0));
        LLVMSetLinkage(function, LLVMInternalLinkage);
        loop_build(pass, function, operation, type, class);
    }
    return name;
}

bool rmw_is_single(LLVMValueRef rmw)
{
    return rmw_hook(LLVMGetAtomicRMWBinOp(rmw), LLVMTypeOf(rmw)) != NO_HOOK;
}

void rmw_rewrite(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef rmw = point->instruction, args[4], old;
    LLVMTypeRef type = LLVMTypeOf(rmw);
    LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(rmw);
    uint32_t hook = rmw_hook(operation, type);
    uint32_t flags = order_flags(LLVMGetOrdering(rmw)) |
                     (LLVMGetVolatile(rmw) ? HOOK_VOLATILE : 0) |
                     (value_is_used(rmw) ? 0 : HOOK_UNUSED);
    int class = size_class(type_bytes(pass, type));
    char name[64] = "";

    if (hook == NO_HOOK)
        loop_function(pass, operation, type, class, name, sizeof name);
    else
        flags |= hook << 8;
    args[0] = LLVMGetOperand(rmw, 0);
    args[1] = value_to_integer(pass, LLVMGetOperand(rmw, 1), pass->integer[class]);
    args[2] = constant_i32(pass, flags);
    args[3] = point->site;
    old = *name ? hook_call(pass, name, pass->integer[class], args, 4)
                : hook_call_sized(pass, "rmw", class, pass->integer[class], args, 4);
    replace(rmw, value_from_integer(pass, old, type));
}

void cmpxchg_rewrite(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef cmpxchg = point->instruction, args[5], old, success, result;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(cmpxchg, 1));
    int class = size_class(type_bytes(pass, type));
    uint32_t flags = order_flags(LLVMGetCmpXchgSuccessOrdering(cmpxchg));

    flags |=
        (LLVMGetVolatile(cmpxchg) ? HOOK_VOLATILE : 0) | (LLVMGetWeak(cmpxchg) ? HOOK_WEAK : 0);
    flags |= order_flags(LLVMGetCmpXchgFailureOrdering(cmpxchg)) << HOOK_FAILURE_SHIFT;
    args[0] = LLVMGetOperand(cmpxchg, 0);
    args[1] = value_to_integer(pass, LLVMGetOperand(cmpxchg, 1), pass->integer[class]);
    args[2] = value_to_integer(pass, LLVMGetOperand(cmpxchg, 2), pass->integer[class]);
    args[3] = constant_i32(pass, flags);
    args[4] = point->site;
    old = hook_call_sized(pass, "cas", class, pass->integer[class], args, 5);
    success = LLVMBuildICmp(pass->builder, LLVMIntEQ, old, args[1], "");
    result = LLVMGetPoison(LLVMTypeOf(cmpxchg));
    result =
        LLVMBuildInsertValue(pass->builder, result, value_from_integer(pass, old, type), 0, "");
    result = LLVMBuildInsertValue(pass->builder, result, success, 1, "");
    replace(cmpxchg, result);
}
