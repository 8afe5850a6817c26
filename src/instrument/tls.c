#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

/* Program threads are fibers of one system thread: each thread-local variable gets a descriptor,
 * and each use asks the runtime for the copy of the running fiber. The variable itself stays for
 * code that was not instrumented and refers to it. */

static LLVMValueRef descriptor_initial(struct pass *pass, LLVMValueRef variable)
{
    LLVMValueRef initial = LLVMGetInitializer(variable), copy;
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    unsigned align = LLVMGetAlignment(variable);
    LLVMValueRef fields[4];

    if (LLVMIsNull(initial) || LLVMIsUndef(initial)) {
        fields[0] = LLVMConstPointerNull(pass->pointer);
    } else {
        copy = private_constant(pass, initial, "__raddle_tls_initial");
        fields[0] = copy;
    }
    fields[1] = constant_i64(pass, LLVMABISizeOfType(pass->layout, type));
    fields[2] =
        constant_i64(pass, align ? align : LLVMPreferredAlignmentOfType(pass->layout, type));
    fields[3] = constant_i64(pass, 0);
    return LLVMConstNamedStruct(pass->tls_type, fields, 4);
}

static void descriptor_define(struct pass *pass, LLVMValueRef global, LLVMValueRef variable)
{
    LLVMLinkage linkage = LLVMGetLinkage(variable);

    LLVMSetAlignment(global, 8);
    LLVMSetVisibility(global, LLVMGetVisibility(variable));
    if (LLVMIsDeclaration(variable) || linkage == LLVMAvailableExternallyLinkage) {
        LLVMSetLinkage(global, linkage == LLVMExternalWeakLinkage ? linkage : LLVMExternalLinkage);
        return;
    }
    LLVMSetInitializer(global, descriptor_initial(pass, variable));
    LLVMSetLinkage(global, linkage == LLVMCommonLinkage ? LLVMWeakAnyLinkage : linkage);
}

static LLVMValueRef descriptor(struct pass *pass, LLVMValueRef variable)
{
    size_t length;
    const char *of = LLVMGetValueName2(variable, &length);
    size_t size = length + sizeof "__raddle_tls.";
    char *name = malloc(size);
    LLVMComdatRef comdat = LLVMGetComdat(variable);
    LLVMValueRef global;

    CHECK(name, "out of memory");
    snprintf(name, size, "__raddle_tls.%s", of);
    global = LLVMGetNamedGlobal(pass->module, name);
    if (!global) {
        global = LLVMAddGlobal(pass->module, pass->tls_type, name);
        descriptor_define(pass, global, variable);
        if (comdat && !LLVMIsDeclaration(global))
            LLVMSetComdat(global, LLVMGetOrInsertComdat(pass->module, name));
    }
    free(name);
    return global;
}

/* Equal in the whole run of a function, as that stays on its fiber: so equal calls may be
 * merged. */
static LLVMValueRef address_call(struct pass *pass, LLVMValueRef variable)
{
    LLVMValueRef args[] = {descriptor(pass, variable)};
    LLVMValueRef call = hook_call(pass, "__raddle_tls_address", pass->pointer, args, 1);

    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(pass->context, pass->attr_memory, 0));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(pass->context, pass->attr_willreturn, 0));
    return call;
}

/* The thread-local variable that the value names, itself or by an alias; or NULL. */
static LLVMValueRef thread_local_of(LLVMValueRef value)
{
    if (LLVMIsAGlobalAlias(value))
        value = LLVMAliasGetAliasee(value);
    return LLVMIsAGlobalVariable(value) && LLVMIsThreadLocal(value) ? value : NULL;
}

/* Uses without the intrinsic, as older clangs wrote them. */
static void rewrite_operands(struct pass *pass, LLVMValueRef instruction)
{
    if (LLVMIsAPHINode(instruction))
        return; /* not written by any clang */
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        LLVMValueRef variable = operand ? thread_local_of(operand) : NULL;

        if (variable) {
            builder_before(pass, instruction);
            LLVMSetOperand(instruction, (unsigned)i, address_call(pass, variable));
        }
    }
}

static void rewrite_instruction(struct pass *pass, LLVMValueRef instruction)
{
    const char *intrinsic;
    LLVMValueRef variable;

    if (LLVMIsACallInst(instruction)) {
        intrinsic = intrinsic_name(instruction);
        if (intrinsic && starts_with(intrinsic, "threadlocal.address")) {
            variable = thread_local_of(LLVMGetArgOperand(instruction, 0));
            builder_before(pass, instruction);
            if (variable)
                replace(instruction, address_call(pass, variable));
            return;
        }
        if (intrinsic && starts_with(intrinsic, "dbg."))
            return;
    }
    rewrite_operands(pass, instruction);
}

void tls_rewrite(struct pass *pass)
{
    bool any = false;

    for (LLVMValueRef g = LLVMGetFirstGlobal(pass->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMIsThreadLocal(g)) {
            any = true;
            if (!LLVMIsDeclaration(g))
                descriptor(pass, g); /* others may refer to it, even if we do not */
        }
    if (!any)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                rewrite_instruction(pass, i);
            }
}
