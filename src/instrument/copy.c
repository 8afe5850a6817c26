#include <stdarg.h>
#include <string.h>

#include "instrument/instrument.h"

/* Functions that move memory: where their arguments are. */
static const struct copy_row {
    const char *name;
    enum copy_kind kind;
    int8_t to, from, length; /* numbers of arguments; `from` is the byte for memset, -1: zero */
    uint8_t count;           /* of arguments */
    bool returns_end;
} library[] = {
    {"memcpy", COPY_MEMCPY, 0, 1, 2, 3, false},
    {"memmove", COPY_MEMMOVE, 0, 1, 2, 3, false},
    {"memset", COPY_MEMSET, 0, 1, 2, 3, false},
    {"mempcpy", COPY_MEMCPY, 0, 1, 2, 3, true},
    {"bcopy", COPY_MEMMOVE, 1, 0, 2, 3, false},
    {"bzero", COPY_MEMSET, 0, -1, 1, 2, false},
    {"explicit_bzero", COPY_MEMSET, 0, -1, 1, 2, false},
    {"__memcpy_chk", COPY_MEMCPY, 0, 1, 2, 4, false},
    {"__memmove_chk", COPY_MEMMOVE, 0, 1, 2, 4, false},
    {"__memset_chk", COPY_MEMSET, 0, 1, 2, 4, false},
    {"__mempcpy_chk", COPY_MEMCPY, 0, 1, 2, 4, true},
};

static const struct copy_row intrinsics[] = {
    {"memcpy.", COPY_MEMCPY, 0, 1, 2, 4, false},
    {"memmove.", COPY_MEMMOVE, 0, 1, 2, 4, false},
    {"memset.", COPY_MEMSET, 0, 1, 2, 4, false},
};

static struct copy row_apply(const struct copy_row *row, LLVMValueRef call)
{
    struct copy copy = {.kind = row->kind, .returns_end = row->returns_end};

    copy.to = LLVMGetArgOperand(call, (unsigned)row->to);
    copy.length = LLVMGetArgOperand(call, (unsigned)row->length);
    if (row->from >= 0) {
        LLVMValueRef other = LLVMGetArgOperand(call, (unsigned)row->from);

        if (row->kind == COPY_MEMSET)
            copy.byte = other;
        else
            copy.from = other;
    }
    return copy;
}

/* va_start and va_copy. The program's lists are as large as ours. */
static struct copy list_understand(LLVMValueRef call, const char *intrinsic)
{
    struct copy copy = {.kind = COPY_NONE};

    if (starts_with(intrinsic, "va_start"))
        copy.kind = COPY_LIST;
    else if (starts_with(intrinsic, "va_copy"))
        copy.kind = COPY_MEMCPY;
    else
        return copy;
    copy.to = LLVMGetArgOperand(call, 0);
    copy.from = copy.kind == COPY_MEMCPY ? LLVMGetArgOperand(call, 1) : NULL;
    copy.length = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call))),
                               sizeof(va_list), 0);
    return copy;
}

static bool is_kind(LLVMValueRef value, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == kind;
}

struct copy copy_understand(LLVMValueRef call)
{
    const struct copy none = {.kind = COPY_NONE};
    LLVMValueRef function = called_function(call);
    const char *intrinsic = intrinsic_name(call), *name;
    size_t length;

    if (intrinsic) {
        for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
            if (starts_with(intrinsic, intrinsics[i].name))
                return row_apply(&intrinsics[i], call);
        return list_understand(call, intrinsic);
    }
    if (!function || !LLVMIsDeclaration(function) || !LLVMIsACallInst(call))
        return none;
    name = LLVMGetValueName2(function, &length);
    for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
        struct copy copy;

        if (strcmp(name, library[i].name) != 0 || LLVMGetNumArgOperands(call) != library[i].count)
            continue;
        copy = row_apply(&library[i], call);
        /* a program may declare its own function of that name */
        if (is_kind(copy.to, LLVMPointerTypeKind) && is_kind(copy.length, LLVMIntegerTypeKind) &&
            (!copy.from || is_kind(copy.from, LLVMPointerTypeKind)) &&
            (!copy.byte || is_kind(copy.byte, LLVMIntegerTypeKind)))
            return copy;
    }
    return none;
}

static LLVMValueRef widened(struct pass *pass, LLVMValueRef value, LLVMTypeRef type)
{
    return LLVMBuildIntCast2(pass->builder, value, type, 0, "");
}

/* A va_list that others see is made in a local one first. */
static void list_rewrite(struct work *work, const struct point *point, const struct copy *copy)
{
    struct pass *pass = work->pass;
    LLVMValueRef call = point->instruction;
    LLVMValueRef local = scratch(work, LLVMArrayType2(pass->i64, sizeof(va_list) / 8));

    LLVMSetOperand(call, 0, local);
    LLVMPositionBuilderBefore(pass->builder, LLVMGetNextInstruction(call));
    LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(call));
    hook_call(pass, "__raddle_memcpy", pass->nothing,
              (LLVMValueRef[]){copy->to, local, copy->length, point->site}, 4);
}

void copy_rewrite(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef call = point->instruction, result = NULL;
    struct copy copy = copy_understand(call);
    LLVMValueRef args[4] = {copy.to, copy.from, widened(pass, copy.length, pass->i64), point->site};
    static const char *const hooks[] = {[COPY_MEMCPY] = "__raddle_memcpy",
                                        [COPY_MEMMOVE] = "__raddle_memmove",
                                        [COPY_MEMSET] = "__raddle_memset"};

    if (copy.kind == COPY_LIST) {
        list_rewrite(work, point, &copy);
        return;
    }
    if (copy.kind == COPY_MEMSET)
        args[1] = copy.byte ? widened(pass, copy.byte, pass->i32) : constant_i32(pass, 0);
    hook_call(pass, hooks[copy.kind], pass->nothing, args, 4);
    if (is_kind(call, LLVMPointerTypeKind))
        result = copy.returns_end ? LLVMBuildGEP2(pass->builder, pass->i8, copy.to, &args[2], 1, "")
                                  : copy.to;
    replace(call, result);
}

static bool is_shared_byval(const struct work *work, LLVMValueRef call, unsigned index)
{
    return call_has_attribute(call, index + 1, work->pass->attr_byval) &&
           !escape_is_private(work, LLVMGetArgOperand(call, index));
}

bool has_shared_byval(const struct work *work, LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (is_shared_byval(work, call, i))
            return true;
    return false;
}

void copy_byval_arguments(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef call = point->instruction;

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, pass->attr_byval);
        LLVMTypeRef type;
        LLVMValueRef local;

        /* a musttail call must pass on the caller's own argument */
        if (!is_shared_byval(work, call, i) ||
            (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail))
            continue;
        type = LLVMGetTypeAttributeValue(byval);
        local = scratch(work, type);
        LLVMSetAlignment(local, 16); /* at least what any argument on the stack asks for */
        hook_call(pass, "__raddle_memcpy", pass->nothing,
                  (LLVMValueRef[]){local, LLVMGetArgOperand(call, i),
                                   constant_i64(pass, LLVMABISizeOfType(pass->layout, type)),
                                   point->site},
                  4);
        LLVMSetOperand(call, i, local);
    }
}
