#include <string.h>

#include "instrument/instrument.h"

static bool access_is_visible(const struct work *work, LLVMValueRef access)
{
    static const char invariant[] = "invariant.load";
    bool is_store = LLVMIsAStoreInst(access);
    unsigned kind = LLVMGetMDKindIDInContext(work->pass->context, invariant, sizeof invariant - 1);
    LLVMTypeRef type = is_store ? LLVMTypeOf(LLVMGetOperand(access, 0)) : LLVMTypeOf(access);

    if (escape_is_private(work, LLVMGetOperand(access, is_store ? 1 : 0)))
        return false;
    if (LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind || type_bytes(work->pass, type) == 0)
        return false;
    return !(LLVMIsALoadInst(access) && LLVMGetMetadata(access, kind));
}

static bool fence_intrinsic(const char *name, uint8_t *order)
{
    static const struct {
        const char *name;
        uint8_t order;
    } fences[] = {{"x86.sse2.mfence", 4}, {"x86.sse2.lfence", 1}, {"x86.sse.sfence", 2}};

    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        if (strcmp(name, fences[i].name) == 0) {
            *order = fences[i].order;
            return true;
        }
    return false;
}

static bool has_shared_pointer(const struct work *work, LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(argument));

        if (kind == LLVMVectorTypeKind &&
            LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(argument))) == LLVMPointerTypeKind)
            return true;
        if (kind == LLVMPointerTypeKind && !escape_is_private(work, argument))
            return true;
    }
    return false;
}

static bool classify_intrinsic(struct work *work, const char *name, LLVMValueRef call,
                               struct point *point)
{
    struct copy copy = copy_understand(call);

    if (copy.kind != COPY_NONE) {
        point->kind = POINT_COPY;
        return !escape_is_private(work, copy.to) ||
               (copy.from && !escape_is_private(work, copy.from));
    }
    if (fence_intrinsic(name, &point->order)) {
        point->kind = POINT_FENCE;
        return true;
    }
    if (strcmp(name, "x86.sse2.clflush") == 0 || strcmp(name, "x86.sse2.pause") == 0)
        return false;
    if (chance_is_instruction(call)) {
        point->kind = POINT_CHANCE;
        return true;
    }
    point->kind = POINT_UNSEEN;
    return (starts_with(name, "masked.") || starts_with(name, "x86.")) &&
           has_shared_pointer(work, call);
}

/* A function without memory effects that is defined elsewhere: nothing visible can happen in it. */
static bool is_pure(const struct pass *pass, LLVMValueRef function)
{
    LLVMAttributeRef memory =
        LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, pass->attr_memory);

    return LLVMIsDeclaration(function) && memory && LLVMGetEnumAttributeValue(memory) == 0;
}

static bool classify_call(struct work *work, LLVMValueRef call, struct point *point)
{
    LLVMValueRef function = called_function(call);
    const char *intrinsic = intrinsic_name(call);
    struct copy copy;
    struct library library;
    size_t length;

    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
        return assembly_classify(work, call, point);
    if (intrinsic)
        return classify_intrinsic(work, intrinsic, call, point);
    copy = copy_understand(call);
    if (copy.kind != COPY_NONE) {
        point->kind = POINT_COPY;
        return !escape_is_private(work, copy.to) ||
               (copy.from && !escape_is_private(work, copy.from));
    }
    library = library_understand(call);
    if (library.kind != LIBRARY_NONE) {
        point->kind = library.class == NO_CLASS || escape_is_private(work, library.pointer)
                          ? POINT_UNSEEN
                          : POINT_LIBRARY;
        return has_shared_pointer(work, call);
    }
    point->kind = POINT_CALL;
    if (!function)
        return true;
    if (strcmp(LLVMGetValueName2(function, &length), "__raddle_head") == 0 ||
        strcmp(LLVMGetValueName2(function, &length), "__raddle_turn") == 0) {
        point->kind = POINT_HEAD;
        point->inside = true; /* nothing of what it is called with is needed behind it */
        return true;
    }
    if (starts_with(LLVMGetValueName2(function, &length), "__raddle_") ||
        is_pure(work->pass, function) || chance_is_told_back(call))
        return has_shared_byval(work, call);
    point->inside = !LLVMIsDeclaration(function) &&
                    LLVMGetLinkage(function) != LLVMWeakAnyLinkage &&
                    LLVMGetLinkage(function) != LLVMLinkOnceAnyLinkage;
    return true;
}

bool point_classify(struct work *work, LLVMValueRef instruction, struct point *point)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        point->kind = POINT_ACCESS;
        return access_is_visible(work, instruction);
    case LLVMFence:
        point->kind = POINT_FENCE;
        point->order = (uint8_t)order_flags(LLVMGetOrdering(instruction));
        return !LLVMIsAtomicSingleThread(instruction); /* else for the compiler only */
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        return classify_call(work, instruction, point);
    default:
        return false;
    }
}

void points_find(struct work *work)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b)) {
        bool bare = is_bare(work->pass, b);

        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct point point = {.instruction = i};

            if ((bare && !is_kept(work->pass, i)) || !point_classify(work, i, &point))
                continue;
            map_add(&work->point_of, value_key(i), work->points.count);
            vec_push(&work->arena, &work->points, point);
        }
    }
}
