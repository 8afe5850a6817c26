#include "instrument/instrument.h"

/* Which local variables can be known outside of this call of the function. An optimistic start,
 * then to the fixed point: a variable has escaped if its address is used in a way that we do not
 * follow; a merge of pointers has if one of them has or is not ours; and then all that it merges
 * have, because one address must not be accessed by hooks here and directly there (a store may
 * wait in a buffer). */

LLVMValueRef pointer_base(LLVMValueRef pointer)
{
    for (;;) {
        if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
            LLVMIsAAddrSpaceCastInst(pointer)) {
            pointer = LLVMGetOperand(pointer, 0);
            continue;
        }
        if (LLVMIsAConstantExpr(pointer)) {
            LLVMOpcode opcode = LLVMGetConstOpcode(pointer);

            if (opcode == LLVMGetElementPtr || opcode == LLVMBitCast ||
                opcode == LLVMAddrSpaceCast) {
                pointer = LLVMGetOperand(pointer, 0);
                continue;
            }
        }
        return pointer;
    }
}

const struct origin *origin_find(const struct work *work, LLVMValueRef value)
{
    uint32_t index = map_get(&work->origin_of, value_key(value));

    return index == MAP_ABSENT ? NULL : &work->origins.at[index];
}

static bool is_merge(LLVMValueRef value)
{
    return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

static bool is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

static void origin_add(struct work *work, LLVMValueRef value, bool dynamic)
{
    map_add(&work->origin_of, value_key(value), work->origins.count);
    vec_push(&work->arena, &work->origins, (struct origin){.value = value, .dynamic = dynamic});
}

static bool is_dynamic(LLVMValueRef alloca)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(alloca);

    return !LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) ||
           block != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
}

static void collect(struct work *work)
{
    unsigned params = LLVMCountParams(work->function);

    for (unsigned i = 0; i < params; i++)
        if (LLVMGetEnumAttributeAtIndex(work->function, i + 1, work->pass->attr_byval))
            origin_add(work, LLVMGetParam(work->function, i), false);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAllocaInst(i))
                origin_add(work, i, is_dynamic(i));
            else if (is_merge(i) && is_pointer(i))
                origin_add(work, i, false);
        }
}

/* A call that is given the address: harmless if we know all that it does with it. */
static bool call_keeps_private(const struct work *work, LLVMValueRef call, LLVMValueRef pointer)
{
    const char *intrinsic = intrinsic_name(call);
    unsigned count = LLVMGetNumArgOperands(call);
    struct library library = library_understand(call);

    if (LLVMGetCalledValue(call) == pointer)
        return false;
    if (intrinsic && (starts_with(intrinsic, "lifetime.") || starts_with(intrinsic, "dbg.") ||
                      starts_with(intrinsic, "va_") || starts_with(intrinsic, "invariant.")))
        return true;
    if (copy_understand(call).kind != COPY_NONE)
        return true;
    if (library.kind != LIBRARY_NONE)
        return !(library.by_value && library.operand == pointer); /* that one is the value */
    for (unsigned i = 0; i < count; i++) {
        /* by value, or memory operand of inline assembly: both are done with when the call
         * returns */
        if (LLVMGetArgOperand(call, i) == pointer &&
            !call_has_attribute(call, i + 1, work->pass->attr_byval) &&
            !(LLVMIsAInlineAsm(LLVMGetCalledValue(call)) &&
              call_has_attribute(call, i + 1, work->pass->attr_elementtype)))
            return false;
    }
    return true;
}

static bool use_escapes(const struct work *work, LLVMValueRef user, LLVMValueRef pointer)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == pointer ||
               LLVMGetOrdering(user) == LLVMAtomicOrderingSequentiallyConsistent;
    case LLVMAtomicRMW: /* nobody sees it, but a locked instruction is a fence for all else */
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        return !call_keeps_private(work, user, pointer);
    default:
        return !(is_merge(user) && is_pointer(user));
    }
}

/* Follows the address arithmetic on `pointer`. Sets origin->merged on the way. */
static bool escapes_by_use(struct work *work, struct origin *origin, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAInstruction(user))
            return true;
        if (LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user) ||
            LLVMIsAAddrSpaceCastInst(user)) {
            if (escapes_by_use(work, origin, user))
                return true;
        } else {
            if (is_merge(user))
                origin->merged = true;
            if (use_escapes(work, user, pointer))
                return true;
        }
    }
    return false;
}

static bool is_nothing(LLVMValueRef value)
{
    return LLVMIsAConstantPointerNull(value) || LLVMIsUndef(value) || LLVMIsPoison(value);
}

/* Carries "escaped" both ways between a merge and one pointer that it merges; true if something
 * changed. */
static bool balance(struct work *work, struct origin *merge, LLVMValueRef incoming)
{
    LLVMValueRef base = pointer_base(incoming);
    uint32_t index = map_get(&work->origin_of, value_key(base));
    struct origin *other;

    if (is_nothing(base))
        return false;
    if (index == MAP_ABSENT) {
        bool changed = !merge->escaped;

        merge->escaped = true;
        return changed;
    }
    other = &work->origins.at[index];
    if (merge->escaped == other->escaped)
        return false;
    merge->escaped = other->escaped = true;
    return true;
}

static bool balance_merge(struct work *work, struct origin *merge)
{
    bool changed = false;

    if (LLVMIsASelectInst(merge->value)) {
        changed |= balance(work, merge, LLVMGetOperand(merge->value, 1));
        changed |= balance(work, merge, LLVMGetOperand(merge->value, 2));
        return changed;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(merge->value); i++)
        changed |= balance(work, merge, LLVMGetIncomingValue(merge->value, i));
    return changed;
}

void escape_find(struct work *work)
{
    bool changed = true;

    collect(work);
    for (uint32_t i = 0; i < work->origins.count; i++) {
        struct origin *origin = &work->origins.at[i];

        /* several instances of a dynamic one may be alive, and a merge would not tell which */
        origin->escaped =
            escapes_by_use(work, origin, origin->value) || (origin->dynamic && origin->merged);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < work->origins.count; i++)
            if (is_merge(work->origins.at[i].value))
                changed |= balance_merge(work, &work->origins.at[i]);
    }
}

bool escape_is_private(const struct work *work, LLVMValueRef pointer)
{
    LLVMValueRef base = pointer_base(pointer);
    const struct origin *origin = origin_find(work, base);

    if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0)
        return true;
    if (LLVMIsAGlobalVariable(base))
        return LLVMIsGlobalConstant(base) && !LLVMIsThreadLocal(base);
    return origin && !origin->escaped;
}
