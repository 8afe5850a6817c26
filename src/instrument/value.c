#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

int size_class(uint64_t bytes)
{
    for (int class = 0; class < SIZE_CLASSES; class ++)
        if (bytes == (uint64_t)1 << class)
            return class;
    return NO_CLASS;
}

uint64_t type_bytes(const struct pass *pass, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(pass->layout, type);
}

static bool is_plain_number(LLVMTypeKind kind)
{
    return kind == LLVMIntegerTypeKind || kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind ||
           kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMFP128TypeKind;
}

bool type_is_castable(const struct pass *pass, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMPointerTypeKind)
        return LLVMGetPointerAddressSpace(type) == 0;
    if (kind == LLVMVectorTypeKind)
        return is_plain_number(LLVMGetTypeKind(LLVMGetElementType(type))) &&
               LLVMSizeOfTypeInBits(pass->layout, type) == 8 * type_bytes(pass, type);
    return is_plain_number(kind);
}

LLVMValueRef value_to_integer(struct pass *pass, LLVMValueRef value, LLVMTypeRef integer)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));

    if (kind == LLVMIntegerTypeKind)
        return LLVMTypeOf(value) == integer ? value
                                            : LLVMBuildZExt(pass->builder, value, integer, "");
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(pass->builder, value, integer, "");
    return LLVMBuildBitCast(pass->builder, value, integer, "");
}

LLVMValueRef value_from_integer(struct pass *pass, LLVMValueRef value, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMIntegerTypeKind)
        return LLVMTypeOf(value) == type ? value : LLVMBuildTrunc(pass->builder, value, type, "");
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(pass->builder, value, type, "");
    return LLVMBuildBitCast(pass->builder, value, type, "");
}

LLVMValueRef constant_i32(const struct pass *pass, uint64_t n)
{
    return LLVMConstInt(pass->i32, n, 0);
}

LLVMValueRef constant_i64(const struct pass *pass, uint64_t n)
{
    return LLVMConstInt(pass->i64, n, 0);
}

LLVMValueRef scratch(struct work *work, LLVMTypeRef type)
{
    struct pass *pass = work->pass;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(work->function);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(pass->context);
    LLVMValueRef variable;

    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    variable = LLVMBuildAlloca(builder, type, "");
    LLVMDisposeBuilder(builder);
    return variable;
}

/* The C ABI of x86-64 as clang uses it: who passes less than 32 bits extends them. */
static void add_extensions(const struct pass *pass, LLVMValueRef value, LLVMTypeRef type,
                           LLVMTypeRef result,
                           void (*add)(LLVMValueRef, LLVMAttributeIndex, LLVMAttributeRef))
{
    LLVMAttributeRef zeroext = LLVMCreateEnumAttribute(pass->context, pass->attr_zeroext, 0);
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeRef params[8];

    CHECK(count <= 8, "a hook has %u parameters", count);
    LLVMGetParamTypes(type, params);
    for (unsigned i = 0; i < count; i++)
        if (params[i] == pass->integer[0] || params[i] == pass->integer[1])
            add(value, i + 1, zeroext);
    if (result == pass->integer[0] || result == pass->integer[1])
        add(value, LLVMAttributeReturnIndex, zeroext);
}

LLVMValueRef hook_call(struct pass *pass, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                       unsigned count)
{
    LLVMValueRef function = LLVMGetNamedFunction(pass->module, name);
    LLVMTypeRef params[8], type;
    LLVMValueRef call;

    CHECK(count <= 8, "a hook has %u parameters", count);
    for (unsigned i = 0; i < count; i++)
        params[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(result, params, count, 0);
    if (!function) {
        function = LLVMAddFunction(pass->module, name, type);
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(pass->context, pass->attr_nounwind, 0));
        add_extensions(pass, function, type, result, LLVMAddAttributeAtIndex);
    }
    call = LLVMBuildCall2(pass->builder, type, function, args, count, "");
    add_extensions(pass, call, type, result, LLVMAddCallSiteAttribute);
    return call;
}

LLVMValueRef hook_call_sized(struct pass *pass, const char *stem, int class, LLVMTypeRef result,
                             LLVMValueRef *args, unsigned count)
{
    char name[64];

    snprintf(name, sizeof name, "__raddle_%s%u", stem, 1u << class);
    return hook_call(pass, name, result, args, count);
}

void builder_before(struct pass *pass, LLVMValueRef instruction)
{
    LLVMPositionBuilderBefore(pass->builder, instruction);
    LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(instruction));
}

void replace(LLVMValueRef old, LLVMValueRef by)
{
    if (by)
        LLVMReplaceAllUsesWith(old, by);
    LLVMInstructionEraseFromParent(old);
}

void instruction_put(struct pass *pass, LLVMValueRef instruction)
{
    size_t length;
    const char *name = LLVMGetValueName2(instruction, &length);

    LLVMInsertIntoBuilderWithName(pass->builder, instruction, name);
}

void instruction_move(struct pass *pass, LLVMValueRef instruction)
{
    LLVMInstructionRemoveFromParent(instruction);
    instruction_put(pass, instruction);
}

void name_pass_on(LLVMValueRef from, LLVMValueRef to)
{
    size_t length;
    const char *name = LLVMGetValueName2(from, &length);
    char *copy = malloc(length + 1);

    CHECK(copy, "out of memory");
    memcpy(copy, name, length);
    LLVMSetValueName2(from, "", 0);
    LLVMSetValueName2(to, copy, length);
    free(copy);
}

LLVMValueRef private_constant(struct pass *pass, LLVMValueRef initial, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(pass->module, LLVMTypeOf(initial), name);

    LLVMSetInitializer(global, initial);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

LLVMValueRef text_constant(struct pass *pass, const char *text, size_t length)
{
    LLVMValueRef global;
    uint64_t hash = length;
    char name[40];

    if (!text)
        return LLVMConstPointerNull(pass->pointer);
    for (size_t i = 0; i < length; i++)
        hash = mix64(hash ^ (unsigned char)text[i]) + i;
    /* the name in the module's own symbol table is our index of texts */
    snprintf(name, sizeof name, "__raddle_text.%016llx", (unsigned long long)hash);
    global = LLVMGetNamedGlobal(pass->module, name);
    if (!global)
        global =
            private_constant(pass, LLVMConstStringInContext2(pass->context, text, length, 0), name);
    return global;
}

/* Makes something of its operands, and does nothing else. */
static bool only_computes(LLVMValueRef user)
{
    switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMCall) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMPHI:
        return true;
    default:
        return false;
    }
}

#define USES_MAX 16 /* one made of the other: phis may go round */

static bool is_used_within(LLVMValueRef value, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (depth == 0 || !only_computes(user) || is_used_within(user, depth - 1))
            return true;
    }
    return false;
}

bool value_is_used(LLVMValueRef value)
{
    return is_used_within(value, USES_MAX);
}

bool call_has_attribute(LLVMValueRef call, unsigned index, unsigned kind)
{
    return LLVMGetCallSiteEnumAttribute(call, index, kind) != NULL;
}

bool function_has_attribute(LLVMValueRef function, unsigned kind)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

LLVMValueRef called_function(LLVMValueRef call)
{
    return LLVMIsAFunction(LLVMGetCalledValue(call));
}

bool is_call(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction) ||
           LLVMGetInstructionOpcode(instruction) == LLVMCallBr;
}

bool is_replaceable(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);

    return linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage ||
           linkage == LLVMExternalWeakLinkage || linkage == LLVMCommonLinkage;
}

const char *intrinsic_name(LLVMValueRef call)
{
    LLVMValueRef function = called_function(call);
    size_t length;
    const char *name;

    if (!function || LLVMGetIntrinsicID(function) == 0)
        return NULL;
    name = LLVMGetValueName2(function, &length);
    return name + strlen("llvm.");
}

bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}
