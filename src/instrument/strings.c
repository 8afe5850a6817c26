#include <stdio.h>
#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* The C library is not instrumented, but these of its functions do nothing else than access memory: the runtime has its
 * own, which do so through the hooks. */
static const char *const names[] = {
#define HOOK_STRING(name) #name,
    HOOK_STRINGS
#undef HOOK_STRING
};

/* Ours lets other threads run: a call must neither be merged with another one nor left out. */
static void forget_purity(LLVMValueRef function)
{
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));

    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory);
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user))
            LLVMRemoveCallSiteEnumAttribute(user, LLVMAttributeFunctionIndex, memory);
    }
}

void strings_rename(struct pass *pass)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(pass->module, names[i]);
        char ours[64];
        int length;

        if (!function || !LLVMIsDeclaration(function))
            continue;
        length = snprintf(ours, sizeof ours, "__raddlestr_%s", names[i]);
        LLVMSetValueName2(function, ours, (size_t)length);
        forget_purity(function);
    }
}
