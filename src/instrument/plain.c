#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

/* A program that is not checked runs as it would without raddle: each function has a copy without hooks, and goes on as that unless
 * __raddle_checks says otherwise. Copies call copies, so that they are inlined as ever; pointers to functions, and calls from other
 * files, lead to the functions themselves. A copy is named "f.plain" for an "f". */

static const char suffix[] = ".plain";

static LLVMValueRef copy_make(LLVMValueRef function)
{
    size_t length;
    const char *of = LLVMGetValueName2(function, &length);
    char *name = malloc(length + sizeof suffix);
    LLVMValueRef copy;

    CHECK(name, "out of memory");
    memcpy(name, of, length);
    memcpy(name + length, suffix, sizeof suffix);
    copy = function_copy(function, name);
    free(name);
    return copy;
}

/* What clang makes a call of libatomic from, or has one for already. */
static bool is_wide(const struct pass *pass, LLVMValueRef instruction)
{
    LLVMValueRef value = NULL;

    if (is_call(instruction)) {
        struct library library = library_understand(instruction);

        return library.kind != LIBRARY_NONE && library.class != NO_CLASS;
    }
    if (LLVMIsALoadInst(instruction) || LLVMIsAStoreInst(instruction))
        value = LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic ? NULL
                : LLVMIsALoadInst(instruction)                              ? instruction
                                               : LLVMGetOperand(instruction, 0);
    else if (LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction))
        value = LLVMGetOperand(instruction, 1);
    return value && type_bytes(pass, LLVMTypeOf(value)) > 8;
}

/* Hooks take the place of such calls: a program that is checked needs no libatomic, and so must not need it otherwise. */
static bool needs_library(const struct pass *pass, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_wide(pass, i))
                return true;
    return false;
}

/* A coroutine's parts know each other: two of them would not. */
static bool can_have_copy(const struct pass *pass, LLVMValueRef function)
{
    return is_ours_to_instrument(pass, function) && function_can_be_copied(function) &&
           !function_has_attribute(function, pass->attr_coroutine) &&
           !needs_library(pass, function);
}

static void call_redirect(struct pass *pass, LLVMValueRef call)
{
    LLVMValueRef called = LLVMGetCalledValue(call);
    uint32_t index = map_get(&pass->plain_of, value_key(called));

    if (index == MAP_ABSENT || is_replaceable(called))
        return; /* it is not to be passed by */
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, pass->plains.at[index].copy);
}

static void calls_redirect(struct pass *pass, LLVMValueRef copy)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(copy); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_call(i))
                call_redirect(pass, i);
}

void plain_copy(struct pass *pass)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
        if (can_have_copy(pass, f)) {
            map_add(&pass->plain_of, value_key(f), pass->plains.count);
            vec_push(&pass->arena, &pass->plains, ((struct plain){.function = f}));
        }
    for (uint32_t i = 0; i < pass->plains.count; i++) {
        struct plain *plain = &pass->plains.at[i];
        LLVMAttributeRef unsanitized =
            LLVMCreateEnumAttribute(pass->context, pass->attr_unsanitized, 0);

        plain->copy = copy_make(plain->function);
        LLVMAddAttributeAtIndex(plain->copy, LLVMAttributeFunctionIndex, unsanitized);
    }
    for (uint32_t i = 0; i < pass->plains.count; i++)
        calls_redirect(pass, pass->plains.at[i].copy);
}

void plain_switch(struct pass *pass)
{
    LLVMValueRef flag;

    if (pass->plains.count == 0)
        return;
    flag = LLVMGetNamedGlobal(pass->module, "__raddle_checks");
    if (!flag)
        flag = LLVMAddGlobal(pass->module, pass->i8, "__raddle_checks");
    LLVMSetGlobalConstant(flag, 1);
    for (uint32_t i = 0; i < pass->plains.count; i++)
        function_switch(pass, pass->plains.at[i].function, flag, pass->plains.at[i].copy);
}
