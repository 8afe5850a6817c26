#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* The frame: linked at the entry, unlinked at each way out. A value is stored into its slot
 * where it is defined, not at each point where it is live: it cannot change between, and so most
 * points cost one store, of the site. */

struct frame {
    struct work *work;
    struct pass *pass;
    LLVMTypeRef type;
    LLVMValueRef variable; /* alloca */
    LLVMValueRef head;     /* __raddle_frames */
    LLVMValueRef up;       /* the caller's frame */
    LLVMValueRef start;    /* first instruction of the function that is no alloca */
};

static uint32_t slots_needed(const struct work *work, const struct local *local)
{
    if (local->memory != NO_VALUE) /* address; and size if only the run tells it */
        return memory_bytes(work, local->value) ? 1 : 2;
    if (local_is_spilled(work, local))
        return 1;
    return type_bytes(work->pass, LLVMTypeOf(local->value)) > 8 ? 2 : 1;
}

void slots_assign(struct work *work)
{
    for (uint32_t i = 0; i < work->locals.count; i++) {
        struct local *local = &work->locals.at[i];

        if (!local->recorded)
            continue;
        local->slot = work->slots;
        work->slots += slots_needed(work, local);
    }
}

static void builder_at(struct frame *frame, LLVMValueRef before)
{
    LLVMPositionBuilderBefore(frame->pass->builder, before);
    LLVMSetCurrentDebugLocation2(frame->pass->builder, NULL);
}

static LLVMValueRef field(struct frame *frame, unsigned index)
{
    return LLVMBuildStructGEP2(frame->pass->builder, frame->type, frame->variable, index, "");
}

static void slot_store(struct frame *frame, uint32_t slot, LLVMValueRef value)
{
    struct pass *pass = frame->pass;
    LLVMValueRef indices[] = {constant_i32(pass, 0), constant_i32(pass, 3),
                              constant_i32(pass, slot)};
    LLVMValueRef at =
        LLVMBuildInBoundsGEP2(pass->builder, frame->type, frame->variable, indices, 3, "");

    LLVMSetAlignment(LLVMBuildStore(pass->builder, value, at), 8);
}

/* ---- values */

static LLVMValueRef leading_end(LLVMValueRef function)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static LLVMValueRef first_place(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);

    while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static bool is_leading(const struct frame *frame, LLVMValueRef instruction)
{
    while (LLVMIsAAllocaInst(instruction))
        instruction = LLVMGetNextInstruction(instruction);
    return instruction == frame->start;
}

/* Where a value can be stored for the first time, or NULL: an invoke's result exists only on an
 * edge. */
static LLVMValueRef definition_end(const struct frame *frame, LLVMValueRef value)
{
    const struct work *work = frame->work;
    LLVMBasicBlockRef to;

    if (LLVMIsAArgument(value) || (LLVMIsAAllocaInst(value) && is_leading(frame, value)))
        return frame->start;
    if (LLVMIsAPHINode(value))
        return first_place(LLVMGetInstructionParent(value));
    if (LLVMIsAInvokeInst(value)) {
        to = LLVMGetNormalDest(value);
        if (work->nodes.at[map_get(&work->node_of, value_key(to))].before.count == 1)
            return first_place(to);
        return NULL;
    }
    return LLVMIsATerminatorInst(value) ? NULL : LLVMGetNextInstruction(value);
}

static LLVMValueRef slot_value(struct pass *pass, LLVMValueRef value)
{
    uint64_t bytes = type_bytes(pass, LLVMTypeOf(value));
    LLVMTypeRef whole = bytes > 8 ? pass->integer[4] : pass->i64;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));

    if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
        value = LLVMBuildBitCast(pass->builder, value,
                                 LLVMIntTypeInContext(pass->context, (unsigned)bytes * 8), "");
    return value_to_integer(pass, value, whole);
}

/* A variable begins with zeros, not with what a call before has left there: else states would differ by that, and a run that is done again might. Large ones stay as they are, as that
 * would take time. */

static void clear(struct frame *frame, LLVMValueRef variable)
{
    struct pass *pass = frame->pass;
    uint64_t bytes = memory_bytes(frame->work, variable);

    if (LLVMIsAAllocaInst(variable) && bytes > 0 && bytes <= HOOK_CLEARED_MAX)
        LLVMBuildMemSet(pass->builder, variable,
                        LLVMConstInt(LLVMInt8TypeInContext(pass->context), 0, 0),
                        constant_i64(pass, bytes), LLVMGetAlignment(variable));
}

static void store_memory_local(struct frame *frame, const struct local *local)
{
    struct pass *pass = frame->pass;
    LLVMValueRef value = local->value, count;

    slot_store(frame, local->slot, slot_value(pass, value));
    clear(frame, value);
    if (memory_bytes(frame->work, value))
        return;
    count = LLVMBuildIntCast2(pass->builder, LLVMGetOperand(value, 0), pass->i64, 0, "");
    slot_store(frame, local->slot + 1,
               LLVMBuildMul(
                   pass->builder, count,
                   constant_i64(pass, LLVMABISizeOfType(pass->layout, LLVMGetAllocatedType(value))),
                   ""));
}

/* `spill` is the variable for a value that no two slots can hold, or NULL. */
static void store_local(struct frame *frame, const struct local *local, LLVMValueRef spill)
{
    if (local->memory != NO_VALUE)
        store_memory_local(frame, local);
    else if (spill)
        LLVMBuildStore(frame->pass->builder, local->value, spill);
    else
        slot_store(frame, local->slot, slot_value(frame->pass, local->value));
}

/* Those without a place of their own are stored at each point where they are live. */
static void store_at_points(struct frame *frame, uint32_t local, LLVMValueRef spill)
{
    struct work *work = frame->work;

    for (uint32_t i = 0; i < work->points.count; i++) {
        const struct point *point = &work->points.at[i];

        for (uint32_t j = 0; j < point->live_count; j++)
            if (point->live[j] == local) {
                builder_at(frame, point->instruction);
                store_local(frame, &work->locals.at[local], spill);
            }
    }
}

static void record_locals(struct frame *frame)
{
    struct work *work = frame->work;

    for (uint32_t i = 0; i < work->locals.count; i++) {
        const struct local *local = &work->locals.at[i];
        LLVMValueRef spill = NULL, place;

        if (!local->recorded || local->sunk)
            continue;
        if (local_is_spilled(work, local)) {
            spill = scratch(work, LLVMTypeOf(local->value));
            builder_at(frame, frame->start);
            slot_store(frame, local->slot, slot_value(frame->pass, spill));
        }
        place = definition_end(frame, local->value);
        if (!place) {
            store_at_points(frame, i, spill);
            continue;
        }
        builder_at(frame, place);
        store_local(frame, local, spill);
    }
}

void frame_record_sunk(struct work *work, const struct point *point, LLVMValueRef before)
{
    builder_at(work->frame, before);
    for (uint32_t i = 0; i < point->live_count; i++)
        if (work->locals.at[point->live[i]].sunk)
            store_local(work->frame, &work->locals.at[point->live[i]], NULL);
}

/* ---- linking */

static void frame_open(struct frame *frame, struct work *work)
{
    struct pass *pass = work->pass;
    LLVMTypeRef fields[] = {pass->pointer, pass->pointer, pass->pointer,
                            LLVMArrayType2(pass->i64, work->slots)};

    frame->work = work;
    frame->pass = pass;
    frame->start = leading_end(work->function);
    frame->type = LLVMStructTypeInContext(pass->context, fields, 4, 0);
    frame->variable = scratch(work, frame->type);
    frame->head = LLVMGetNamedGlobal(pass->module, "__raddle_frames");
    if (!frame->head)
        frame->head = LLVMAddGlobal(pass->module, pass->pointer, "__raddle_frames");
    builder_at(frame, frame->start);
    frame->up = LLVMBuildLoad2(pass->builder, pass->pointer, frame->head, "");
    LLVMBuildStore(pass->builder, frame->up, field(frame, 0));
    LLVMBuildStore(pass->builder, LLVMConstPointerNull(pass->pointer), field(frame, 2));
    LLVMBuildStore(pass->builder, frame->variable, frame->head);
}

static bool is_musttail(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) &&
           LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail;
}

static void link_at(struct frame *frame, LLVMValueRef before, LLVMValueRef to)
{
    builder_at(frame, before);
    LLVMBuildStore(frame->pass->builder, to, frame->head);
}

/* Before a musttail call nothing of this function may be left; between it and its return nothing
 * may stand. */
static void close_at_exit(struct frame *frame, LLVMValueRef last)
{
    for (LLVMValueRef i = LLVMGetPreviousInstruction(last); i && LLVMIsAReturnInst(last);
         i = LLVMGetPreviousInstruction(i))
        if (is_musttail(i))
            return;
    link_at(frame, last, frame->up);
}

static bool returns_twice(const struct frame *frame, LLVMValueRef call)
{
    LLVMValueRef function = called_function(call);
    unsigned kind = frame->pass->attr_returns_twice;

    return call_has_attribute(call, (unsigned)LLVMAttributeFunctionIndex, kind) ||
           (function && function_has_attribute(function, kind));
}

/* A call that may return once more, from frames that are still linked. */
static bool is_linked_again(const struct frame *frame, LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) && !is_musttail(instruction) &&
           returns_twice(frame, instruction);
}

/* Frames of functions that were left by longjmp or an exception are still linked then: the
 * second return, and the landing pad, put the function's own frame back. */
static void relink(struct frame *frame, LLVMValueRef instruction)
{
    if (LLVMIsALandingPadInst(instruction)) {
        link_at(frame, LLVMGetNextInstruction(instruction), frame->variable);
    } else if (is_musttail(instruction)) {
        link_at(frame, instruction, frame->up);
    } else if (LLVMIsACallInst(instruction)) {
        /* the callee sees a local of ours through the list of frames: no tail call */
        if (LLVMGetTailCallKind(instruction) == LLVMTailCallKindTail)
            LLVMSetTailCallKind(instruction, LLVMTailCallKindNone);
        if (is_linked_again(frame, instruction))
            link_at(frame, LLVMGetNextInstruction(instruction), frame->variable);
    } else if (LLVMIsAReturnInst(instruction) || LLVMIsAResumeInst(instruction)) {
        close_at_exit(frame, instruction);
    }
}

void frame_make(struct work *work)
{
    struct frame *frame = arena_alloc(&work->arena, sizeof *frame);

    work->frame = frame;
    frame_open(frame, work);
    record_locals(frame);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            relink(frame, i);
        }
    for (uint32_t i = 0; i < work->points.count; i++) {
        const struct point *point = &work->points.at[i];

        if (is_musttail(point->instruction) || point->quick) /* its hook does that */
            continue;
        builder_at(frame, point->instruction);
        LLVMBuildStore(work->pass->builder, point->site, field(frame, 1));
        if (!is_linked_again(frame, point->instruction))
            continue;
        builder_at(frame, LLVMGetNextInstruction(LLVMGetNextInstruction(point->instruction)));
        LLVMBuildStore(work->pass->builder, point->site, field(frame, 1));
    }
}

LLVMValueRef frame_behind(const struct work *work, LLVMValueRef call)
{
    LLVMValueRef next = LLVMGetNextInstruction(call);

    if (!work->frame || !is_linked_again(work->frame, call))
        return next;
    for (unsigned stores = 0; stores < 2;
         next = LLVMGetNextInstruction(next)) /* the link, the site */
        stores += LLVMIsAStoreInst(next) != NULL;
    return next;
}
