#include <llvm-c/Comdat.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

/* Functions that run before main. Each is called through one of ours, which hands it to the runtime: that knows whether to call it at
 * once, or to keep it for the main thread of every run. */

static const char prefix[] = "__raddle_constructor.";

/* What the dynamic linker passes to each of them: the arguments of main. */
static LLVMTypeRef gate_type(struct pass *pass)
{
    LLVMTypeRef parameters[] = {pass->i32, pass->pointer, pass->pointer};

    return LLVMFunctionType(pass->nothing, parameters, 3, 0);
}

/* In the group of the function itself: the linker keeps both or neither. */
static LLVMValueRef gate_make(struct pass *pass, LLVMValueRef function)
{
    size_t length;
    const char *of = LLVMGetValueName2(function, &length);
    char *name = malloc(sizeof prefix + length);
    LLVMValueRef gate, args[4];
    LLVMComdatRef comdat = LLVMGetComdat(function);

    CHECK(name, "out of memory");
    memcpy(name, prefix, sizeof prefix - 1);
    memcpy(name + sizeof prefix - 1, of, length);
    name[sizeof prefix - 1 + length] = '\0';
    gate = LLVMAddFunction(pass->module, name, gate_type(pass));
    free(name);
    LLVMSetLinkage(gate, LLVMInternalLinkage);
    if (comdat)
        LLVMSetComdat(gate, comdat);
    LLVMPositionBuilderAtEnd(pass->builder,
                             LLVMAppendBasicBlockInContext(pass->context, gate, "entry"));
    LLVMSetCurrentDebugLocation2(pass->builder, NULL);
    args[0] = function;
    for (unsigned i = 0; i < 3; i++)
        args[i + 1] = LLVMGetParam(gate, i);
    hook_call(pass, "__raddle_constructor", pass->nothing, args, 4);
    LLVMBuildRetVoid(pass->builder);
    return gate;
}

/* A row of the list: {priority, function, what it belongs to}. */
static LLVMValueRef row_rewrite(struct pass *pass, LLVMValueRef row)
{
    LLVMValueRef function = LLVMGetOperand(row, 1), fields[3];

    if (!LLVMIsAFunction(function) || !is_instrumented(pass, function))
        return row;
    for (unsigned i = 0; i < 3; i++)
        fields[i] = LLVMGetOperand(row, i);
    fields[1] = gate_make(pass, function);
    return LLVMConstStructInContext(pass->context, fields, 3, 0);
}

void constructors_rewrite(struct pass *pass)
{
    LLVMValueRef list = LLVMGetNamedGlobal(pass->module, "llvm.global_ctors");
    LLVMValueRef old = list ? LLVMGetInitializer(list) : NULL, *rows;
    unsigned count;

    if (!old || !LLVMIsAConstantArray(old))
        return;
    count = (unsigned)LLVMGetNumOperands(old);
    rows = calloc(count, sizeof(LLVMValueRef));
    CHECK(rows, "out of memory");
    for (unsigned i = 0; i < count; i++)
        rows[i] = row_rewrite(pass, LLVMGetOperand(old, i));
    LLVMSetInitializer(
        list, LLVMConstArray2(LLVMGetElementType(LLVMGlobalGetValueType(list)), rows, count));
    free(rows);
}
