#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "instrument/instrument.h"

/* Names of values as the source has them: from debug information if there is any, else from the
 * names that clang gives to values (`raddle cc` asks it to keep them). */

static const char *copy_text(struct work *work, const char *text, size_t length)
{
    char *copy = arena_alloc(&work->arena, length + 1);

    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static void name_add(struct work *work, LLVMValueRef value, const char *name)
{
    if (map_get(&work->name_of, value_key(value)) != MAP_ABSENT)
        return;
    map_add(&work->name_of, value_key(value), work->names.count);
    vec_push(&work->arena, &work->names, name);
}

/* The name in a DILocalVariable: its second operand. */
static const char *variable_name(struct work *work, LLVMValueRef variable)
{
    LLVMValueRef operands[32];
    unsigned length;
    const char *name;

    if (!LLVMIsAMDNode(variable) || LLVMGetMDNodeNumOperands(variable) < 2 ||
        LLVMGetMDNodeNumOperands(variable) > 32)
        return NULL;
    LLVMGetMDNodeOperands(variable, operands);
    if (!operands[1] || !LLVMIsAMDString(operands[1]))
        return NULL;
    name = LLVMGetMDString(operands[1], &length);
    return length ? copy_text(work, name, length) : NULL;
}

/* llvm.dbg.declare(value, variable, expression), and llvm.dbg.value alike; llvm.dbg.assign has
 * the address of the variable besides, as its fifth. */
static void name_from_debug(struct work *work, LLVMValueRef call, unsigned operand)
{
    LLVMValueRef wrapped = LLVMGetOperand(call, operand), value = NULL;
    const char *name;

    if (!LLVMIsAValueAsMetadata(wrapped) || LLVMGetMDNodeNumOperands(wrapped) != 1)
        return;
    LLVMGetMDNodeOperands(wrapped, &value);
    if (!value || (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value)))
        return;
    if (operand != 0 && !LLVMIsAAllocaInst(value))
        return; /* an address inside the variable */
    name = variable_name(work, LLVMGetOperand(call, 1));
    if (name)
        name_add(work, value, name);
}

void names_find(struct work *work)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const char *intrinsic = LLVMIsACallInst(i) ? intrinsic_name(i) : NULL;

            if (!intrinsic || !starts_with(intrinsic, "dbg.") ||
                strcmp(intrinsic, "dbg.label") == 0)
                continue;
            name_from_debug(work, i, 0);
            if (strcmp(intrinsic, "dbg.assign") == 0)
                name_from_debug(work, i, 4);
        }
}

/* Clang's own name: "x" or "x.addr" of an alloca or argument; "x.0" of a phi that stands for a
 * variable that was promoted. Those of other instructions say what is done ("add"), not which
 * variable it is. */
static const char *name_from_value(struct work *work, LLVMValueRef value)
{
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    const char *dot = memchr(name, '.', length);

    if (LLVMIsAPHINode(value)) {
        if (!dot || !isdigit((unsigned char)dot[1]))
            return NULL;
        return copy_text(work, name, (size_t)(dot - name));
    }
    if (length == 0 || (!LLVMIsAAllocaInst(value) && !LLVMIsAArgument(value)))
        return NULL;
    if (dot && strcmp(dot, ".addr") != 0 && !isdigit((unsigned char)dot[1]))
        return NULL; /* agg.tmp, ref.tmp, byval-temp: not the user's */
    return copy_text(work, name, dot ? (size_t)(dot - name) : length);
}

const char *value_source_name(struct work *work, LLVMValueRef value)
{
    uint32_t index = map_get(&work->name_of, value_key(value));
    const char *name;

    if (index != MAP_ABSENT)
        return work->names.at[index];
    name = name_from_value(work, value);
    name_add(work, value, name); /* NULL, too: it is not looked for again */
    return name;
}

/* A part of an object is called like the whole: the parts' names are only in full debug
 * information. */
static const char *pointer_what(struct work *work, LLVMValueRef pointer)
{
    LLVMValueRef base = pointer_base(pointer), from;
    const char *name, *intrinsic;
    char text[256];
    size_t length;

    if (LLVMIsAGlobalValue(base)) {
        name = LLVMGetValueName2(base, &length);
        return length && !starts_with(name, "__raddle_") ? copy_text(work, name, length) : NULL;
    }
    intrinsic = LLVMIsACallInst(base) ? intrinsic_name(base) : NULL;
    if (intrinsic && starts_with(intrinsic, "threadlocal.address")) {
        name = LLVMGetValueName2(LLVMGetArgOperand(base, 0), &length);
        return copy_text(work, name, length);
    }
    if (!LLVMIsAInstruction(base) && !LLVMIsAArgument(base))
        return NULL;
    name = value_source_name(work, base);
    if (LLVMIsAAllocaInst(base))
        return name;
    from = LLVMIsALoadInst(base) ? pointer_base(LLVMGetOperand(base, 0)) : NULL;
    if (!name && from && LLVMIsAGlobalVariable(from))
        name = LLVMGetValueName2(from, &length);
    if (!name)
        return NULL;
    snprintf(text, sizeof text, "*%s", name);
    return copy_text(work, text, strlen(text));
}

const char *point_what(struct work *work, const struct point *point)
{
    LLVMValueRef instruction = point->instruction, function;
    size_t length;

    if (point->kind == POINT_ACCESS)
        return pointer_what(work,
                            LLVMGetOperand(instruction, LLVMIsAStoreInst(instruction) ? 1 : 0));
    if (point->kind == POINT_COPY)
        return pointer_what(work, copy_understand(instruction).to);
    if (point->kind == POINT_LIBRARY)
        return pointer_what(work, library_understand(instruction).pointer);
    if (point->kind != POINT_CALL)
        return NULL;
    function = called_function(instruction);
    return function ? LLVMGetValueName2(function, &length) : NULL;
}
