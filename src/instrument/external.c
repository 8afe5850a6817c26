#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Calls of functions that are not compiled here. What they are shows only when the program runs: an instrumented
 * function of another file, one that the runtime interposes, one of the C library that it has a row for, or code that nobody
 * sees. So each such call is announced, with the function's name and address; and if its name is that of a function that
 * accesses memory, with its arguments, too, which the runtime may replace. */

enum known { KNOWN_NOT, KNOWN_HARMLESS, KNOWN_ACCESSES };

/* Only the names and whether there is anything to announce matter here. */
static const struct {
    const char *name;
    const char *effect;
    const char *accesses;
} table[] = {
#define LIBRARY(name, effect, accesses) {#name, #effect, #accesses},
#include "runtime/library/library.def"
#undef LIBRARY
};

static enum known known(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) != 0)
            continue;
        if (strcmp(table[i].accesses, "NOTHING") != 0 && !starts_with(table[i].accesses, "OWN"))
            return KNOWN_ACCESSES;
        return strcmp(table[i].effect, "PURE") == 0 ? KNOWN_HARMLESS : KNOWN_NOT;
    }
    return KNOWN_NOT;
}

bool is_instrumented(const struct pass *pass, LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);

    return !LLVMIsDeclaration(function) && !starts_with(name, "__raddle_") &&
           !starts_with(name, "raddle_") && !function_has_attribute(function, pass->attr_naked) &&
           !function_has_attribute(function, pass->attr_unsanitized);
}

/* The bytes in front of its code say so to whoever has only its address. */
void external_brand(struct pass *pass, LLVMValueRef function)
{
    const char *brand = pass->coroutines ? HOOK_BRAND_FRAMELESS : HOOK_BRAND;

    if (!LLVMHasPrefixData(function))
        LLVMSetPrefixData(function,
                          LLVMConstStringInContext2(pass->context, brand, HOOK_BRAND_SIZE, 1));
}

/* The row of a function, one for each module. */
static LLVMValueRef row_of(struct pass *pass, LLVMValueRef function, const char *name)
{
    LLVMValueRef fields[] = {text_constant(pass, name, strlen(name)), function}, row;
    uint64_t hash = 0;
    char label[48] = "__raddle_external.";

    for (const char *c = name; *c; c++)
        hash = mix64(hash ^ (unsigned char)*c);
    for (size_t i = strlen("__raddle_external."), k = 0; k < 16; k++, hash >>= 4)
        label[i + k] = "0123456789abcdef"[hash & 15];
    row = LLVMGetNamedGlobal(pass->module, label);
    if (row)
        return row;
    row = private_constant(pass, LLVMConstStructInContext(pass->context, fields, 2, 0), label);
    LLVMSetUnnamedAddress(row, LLVMNoUnnamedAddr);
    return row;
}

/* ---- arguments */

static unsigned argument_count(LLVMValueRef call)
{
    unsigned count = LLVMGetNumArgOperands(call);

    return count < HOOK_CALL_MAX ? count : HOOK_CALL_MAX;
}

/* One array for all calls of the function, as large as the largest of them needs. */
static LLVMValueRef arguments_array(struct work *work)
{
    struct pass *pass = work->pass;
    unsigned most = 1;

    if (work->call_arguments)
        return work->call_arguments;
    for (uint32_t i = 0; i < work->points.count; i++)
        if (work->points.at[i].kind == POINT_CALL &&
            argument_count(work->points.at[i].instruction) > most)
            most = argument_count(work->points.at[i].instruction);
    work->call_arguments = scratch(work, LLVMArrayType2(pass->i64, most));
    return work->call_arguments;
}

static LLVMValueRef element(struct pass *pass, LLVMValueRef array, unsigned i)
{
    LLVMValueRef index = constant_i64(pass, i);

    return LLVMBuildInBoundsGEP2(pass->builder, pass->i64, array, &index, 1, "");
}

/* As 64 bits, with its sign; what does not fit is 0, and nobody asks for it. */
static LLVMValueRef as_word(struct pass *pass, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
        return LLVMBuildIntCast2(pass->builder, value, pass->i64, 1, "");
    if (kind == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0)
        return LLVMBuildPtrToInt(pass->builder, value, pass->i64, "");
    if (kind == LLVMDoubleTypeKind)
        return LLVMBuildBitCast(pass->builder, value, pass->i64, "");
    return constant_i64(pass, 0);
}

static bool is_address(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0;
}

/* Before the call: the runtime sees the arguments, and may put other pointers in. */
static void announce(struct work *work, const struct point *point, const char *hook,
                     LLVMValueRef what, bool closed)
{
    struct pass *pass = work->pass;
    LLVMValueRef call = point->instruction, array = arguments_array(work);
    unsigned count = argument_count(call);
    LLVMValueRef args[] = {what, array, constant_i32(pass, count | (closed ? 0 : HOOK_CALL_OPEN)),
                           point->site};

    for (unsigned i = 0; i < count; i++)
        LLVMBuildStore(pass->builder, as_word(pass, LLVMGetArgOperand(call, i)),
                       element(pass, array, i));
    hook_call(pass, hook, pass->nothing, args, 4);
    for (unsigned i = 0; closed && i < count; i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);

        if (is_address(argument) && !call_has_attribute(call, i + 1, pass->attr_byval) &&
            !call_has_attribute(call, i + 1, pass->attr_sret))
            LLVMSetOperand(
                call, i, LLVMBuildLoad2(pass->builder, pass->pointer, element(pass, array, i), ""));
    }
}

/* Where code that follows the call can be put, or NULL. */
static LLVMValueRef place_after(const struct work *work, LLVMValueRef call)
{
    LLVMBasicBlockRef to;
    LLVMUseRef use;
    LLVMValueRef i;

    if (LLVMIsACallInst(call))
        return LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail ? NULL
                                                                     : frame_behind(work, call);
    if (!LLVMIsAInvokeInst(call))
        return NULL;
    to = LLVMGetNormalDest(call);
    use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to));
    if (!use || LLVMGetNextUse(use))
        return NULL; /* others come there, too */
    for (i = LLVMGetFirstInstruction(to); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        ;
    return i;
}

/* After it: the runtime sees the result, and may put another pointer in. */
static void conclude(struct work *work, const struct point *point, const char *hook,
                     LLVMValueRef what, LLVMValueRef place)
{
    struct pass *pass = work->pass;
    LLVMValueRef call = point->instruction, word, result, pointer;

    LLVMPositionBuilderBefore(pass->builder, place);
    LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(call));
    word = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind ? constant_i64(pass, 0)
                                                                 : as_word(pass, call);
    result =
        hook_call(pass, hook, pass->i64,
                  (LLVMValueRef[]){what, work->call_arguments,
                                   constant_i32(pass, argument_count(call)), word, point->site},
                  5);
    if (!is_address(call))
        return;
    pointer = LLVMBuildIntToPtr(pass->builder, result, pass->pointer, "");
    LLVMReplaceAllUsesWith(call, pointer);
    LLVMSetOperand(word, 0, call); /* that one is meant */
}

static void announce_and_conclude(struct work *work, const struct point *point, LLVMValueRef what,
                                  const char *before, const char *after)
{
    LLVMValueRef call = point->instruction, place = place_after(work, call);

    announce(work, point, before, what, place != NULL);
    if (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindTail)
        LLVMSetTailCallKind(call, LLVMTailCallKindNone); /* it may be given a local of ours */
    if (place)
        conclude(work, point, after, what, place);
}

/* A definition for the optimizer's eyes: if it is not inlined, another one is called. */
static bool is_copy(const struct pass *pass, LLVMValueRef function)
{
    return LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage &&
           !function_has_attribute(function, pass->attr_alwaysinline);
}

/* Through a pointer it may be anything. */
static void indirect_mark(struct work *work, const struct point *point)
{
    LLVMValueRef callee = LLVMGetCalledValue(point->instruction);

    if (is_address(callee))
        announce_and_conclude(work, point, callee, "__raddle_indirect", "__raddle_indirected");
}

bool external_is_harmless(const struct pass *pass, LLVMValueRef call)
{
    LLVMValueRef function = called_function(call);
    size_t length;

    return function && !is_instrumented(pass, function) &&
           known(LLVMGetValueName2(function, &length)) == KNOWN_HARMLESS;
}

void external_mark(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef function = called_function(point->instruction), row;
    const char *name;
    size_t length;

    if (!function) {
        indirect_mark(work, point);
        return;
    }
    name = LLVMGetValueName2(function, &length);
    if ((is_instrumented(pass, function) && !is_copy(pass, function)) ||
        starts_with(name, "__raddle") || known(name) == KNOWN_HARMLESS)
        return;
    row = row_of(pass, function, name);
    if (known(name) == KNOWN_ACCESSES) {
        announce_and_conclude(work, point, row, "__raddle_call", "__raddle_called");
        return;
    }
    hook_call(pass, "__raddle_external", pass->nothing, (LLVMValueRef[]){row, point->site}, 2);
}
