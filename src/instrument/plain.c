#include <llvm-c/Comdat.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

/* A program that is not checked runs as it would without raddle: each function has a copy without hooks, and goes on as that unless
 * __raddle_checks says otherwise. Copies call copies, so that they are inlined as ever; pointers to functions, and calls from other
 * files, lead to the functions themselves. A copy is named "f.plain" for an "f".
 *
 * Inline functions and templates are in every file that uses them, each in a group of sections (comdat): the linker keeps the group of one file and drops the
 * others, whole. What only its own file can name must then not be named from outside of the group. So their copies are shared between files as they are
 * themselves, by groups of their own. A copy of what is not the same in all files stays with its function, which alone calls it. */

static const char suffix[] = ".plain";

static uint64_t group_key(LLVMComdatRef group)
{
    return (uint64_t)(uintptr_t)group;
}

static bool is_local(LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);

    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static void group_close(struct pass *pass, LLVMValueRef global)
{
    LLVMComdatRef group = LLVMGetComdat(global);

    if (group && is_local(global) && map_get(&pass->closed_groups, group_key(group)) == MAP_ABSENT)
        map_add(&pass->closed_groups, group_key(group), 0);
}

static void groups_find(struct pass *pass)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
        group_close(pass, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(pass->module); g; g = LLVMGetNextGlobal(g))
        group_close(pass, g);
}

/* Whether the linker may drop this one for one of another file that is the same. In a closed group, a copy of it has to stay there, too. */
static bool is_shared(const struct pass *pass, LLVMValueRef function)
{
    LLVMComdatRef group = LLVMGetComdat(function);

    return group && LLVMGetComdatSelectionKind(group) == LLVMAnyComdatSelectionKind &&
           !is_replaceable(function) &&
           map_get(&pass->closed_groups, group_key(group)) == MAP_ABSENT;
}

static LLVMValueRef copy_make(const struct pass *pass, LLVMValueRef function)
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
    if (is_shared(pass, function))
        function_share(copy);
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

/* Whether the linker keeps `copy` wherever it keeps `caller`. */
static bool can_call(LLVMValueRef caller, LLVMValueRef copy)
{
    LLVMComdatRef group = LLVMGetComdat(copy);

    return !group || !is_local(copy) || LLVMGetComdat(caller) == group;
}

static void call_redirect(struct pass *pass, LLVMValueRef caller, LLVMValueRef call)
{
    LLVMValueRef called = LLVMGetCalledValue(call);
    uint32_t index = map_get(&pass->plain_of, value_key(called));

    if (index == MAP_ABSENT || is_replaceable(called))
        return; /* it is not to be passed by */
    if (can_call(caller, pass->plains.at[index].copy))
        LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, pass->plains.at[index].copy);
}

static void calls_redirect(struct pass *pass, LLVMValueRef copy)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(copy); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_call(i))
                call_redirect(pass, copy, i);
}

void plain_copy(struct pass *pass)
{
    groups_find(pass);
    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
        if (can_have_copy(pass, f)) {
            map_add(&pass->plain_of, value_key(f), pass->plains.count);
            vec_push(&pass->arena, &pass->plains, ((struct plain){.function = f}));
        }
    for (uint32_t i = 0; i < pass->plains.count; i++) {
        struct plain *plain = &pass->plains.at[i];
        LLVMAttributeRef unsanitized =
            LLVMCreateEnumAttribute(pass->context, pass->attr_unsanitized, 0);

        plain->copy = copy_make(pass, plain->function);
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
