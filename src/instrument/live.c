#include <stdlib.h>
#include <string.h>

#include "instrument/instrument.h"

/* What is live at each point. Values: for each use, up the control flow to the definition,
 * noting the blocks on the way; then backward through each block with points. Variables in
 * memory: live if written before on some way (else their bytes are what an earlier call left on
 * the stack), and either escaped or used later. */

static bool is_recordable(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
    case LLVMPointerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        return LLVMTypeIsSized(type);
    default:
        return false;
    }
}

bool local_is_spilled(const struct work *work, const struct local *local)
{
    LLVMTypeRef type = LLVMTypeOf(local->value);

    return local->memory == NO_VALUE &&
           (!type_is_castable(work->pass, type) || type_bytes(work->pass, type) > 16);
}

/* ---- numbering */

static void local_add(struct work *work, LLVMValueRef value, uint32_t block)
{
    struct local local = {.value = value, .block = block, .memory = NO_VALUE, .slot = NO_VALUE};
    const struct origin *origin = origin_find(work, value);

    if (!is_recordable(LLVMTypeOf(value)))
        return;
    if (origin && (LLVMIsAAllocaInst(value) || LLVMIsAArgument(value))) {
        local.memory = work->memory.count;
        vec_push(&work->arena, &work->memory, work->locals.count);
    }
    map_add(&work->local_of, value_key(value), work->locals.count);
    vec_push(&work->arena, &work->locals, local);
}

void nodes_find(struct work *work)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b)) {
        map_add(&work->node_of, value_key(b), work->nodes.count);
        vec_push(&work->arena, &work->nodes, (struct node){.block = b});
    }
}

static void number(struct work *work)
{
    nodes_find(work);
    for (unsigned i = 0; i < LLVMCountParams(work->function); i++)
        local_add(work, LLVMGetParam(work->function, i), 0);
    for (uint32_t b = 0; b < work->nodes.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(work->nodes.at[b].block); i;
             i = LLVMGetNextInstruction(i)) {
            work->instructions++;
            local_add(work, i, b);
        }
    for (uint32_t from = 0; from < work->nodes.count; from++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(work->nodes.at[from].block);

        for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
            uint32_t to = map_get(&work->node_of, value_key(LLVMGetSuccessor(last, i)));

            vec_push(&work->arena, &work->nodes.at[to].before, from);
        }
    }
}

static uint32_t local_index(const struct work *work, LLVMValueRef value)
{
    return map_get(&work->local_of, value_key(value));
}

/* ---- up from the uses */

struct climb {
    struct work *work;
    uint32_t local;
    VEC(uint32_t) open; /* blocks where it is live at the start, not yet followed */
};

static void live_at_start(struct climb *climb, uint32_t block)
{
    struct node *node = &climb->work->nodes.at[block];

    if (node->in_stamp == climb->local + 1)
        return;
    node->in_stamp = climb->local + 1;
    vec_push(&climb->work->arena, &climb->open, block);
}

static void live_at_end(struct climb *climb, uint32_t block)
{
    struct node *node = &climb->work->nodes.at[block];

    if (node->out_stamp == climb->local + 1)
        return;
    node->out_stamp = climb->local + 1;
    vec_push(&climb->work->arena, &node->live_out, climb->local);
    if (climb->work->locals.at[climb->local].block != block)
        live_at_start(climb, block);
}

static void used_by(struct climb *climb, LLVMValueRef user, LLVMValueRef value)
{
    struct work *work = climb->work;
    uint32_t block = map_get(&work->node_of, value_key(LLVMGetInstructionParent(user)));

    if (!LLVMIsAPHINode(user)) {
        if (work->locals.at[climb->local].block != block)
            live_at_start(climb, block);
        return;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
        if (LLVMGetIncomingValue(user, i) == value)
            live_at_end(climb, map_get(&work->node_of, value_key(LLVMGetIncomingBlock(user, i))));
}

static bool is_marker(LLVMValueRef instruction)
{
    const char *name = LLVMIsACallInst(instruction) ? intrinsic_name(instruction) : NULL;

    return name && (starts_with(name, "lifetime.") || starts_with(name, "dbg."));
}

static bool is_arithmetic(LLVMValueRef user)
{
    return LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user) ||
           LLVMIsAAddrSpaceCastInst(user);
}

static void climb_uses(struct climb *climb, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAInstruction(user) || is_marker(user))
            continue;
        used_by(climb, user, value);
        /* a variable in memory is used where an address inside it is */
        if (climb->work->locals.at[climb->local].memory != NO_VALUE && is_arithmetic(user))
            climb_uses(climb, user);
    }
}

static void climb_all(struct work *work)
{
    struct climb climb = {.work = work};

    for (climb.local = 0; climb.local < work->locals.count; climb.local++) {
        climb_uses(&climb, work->locals.at[climb.local].value);
        while (climb.open.count) {
            const struct node *node = &work->nodes.at[climb.open.at[--climb.open.count]];

            for (uint32_t i = 0; i < node->before.count; i++)
                live_at_end(&climb, node->before.at[i]);
        }
    }
}

/* ---- variables in memory that were touched */

static void touch(struct work *work, LLVMValueRef instruction, uint64_t *touched)
{
    bool marker = is_marker(instruction);

    if (is_arithmetic(instruction) || LLVMIsAICmpInst(instruction))
        return;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        uint32_t local, bit;

        if (!operand || LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMPointerTypeKind)
            continue;
        local = local_index(work, pointer_base(operand));
        if (local == MAP_ABSENT || work->locals.at[local].memory == NO_VALUE)
            continue;
        bit = work->locals.at[local].memory;
        if (marker) /* a lifetime begins or ends: nothing of worth in it */
            touched[bit / 64] &= ~((uint64_t)1 << bit % 64);
        else
            touched[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

static uint32_t memory_words(const struct work *work)
{
    return (work->memory.count + 63) / 64;
}

/* Sends what was touched at the end of a block on to those after it; true if that changed
 * anything. */
static bool flow(struct work *work, uint32_t index, uint64_t *touched)
{
    struct node *node = &work->nodes.at[index];
    LLVMValueRef last = LLVMGetBasicBlockTerminator(node->block);
    bool changed = false;

    memcpy(touched, node->touched, memory_words(work) * sizeof *touched);
    for (LLVMValueRef i = LLVMGetFirstInstruction(node->block); i; i = LLVMGetNextInstruction(i))
        touch(work, i, touched);
    for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
        uint64_t *to =
            work->nodes.at[map_get(&work->node_of, value_key(LLVMGetSuccessor(last, i)))].touched;

        for (uint32_t w = 0; w < memory_words(work); w++) {
            changed |= (touched[w] & ~to[w]) != 0;
            to[w] |= touched[w];
        }
    }
    return changed;
}

static void touched_find(struct work *work)
{
    size_t size = memory_words(work) * sizeof(uint64_t);
    uint64_t *touched = arena_alloc(&work->arena, size + 1);
    bool changed = work->memory.count != 0;

    for (uint32_t i = 0; i < work->nodes.count; i++) {
        work->nodes.at[i].touched = arena_alloc(&work->arena, size + 1);
        memset(work->nodes.at[i].touched, 0, size);
    }
    for (uint32_t i = 0; i < work->memory.count; i++)
        if (LLVMIsAArgument(work->locals.at[work->memory.at[i]].value))
            work->nodes.at[0].touched[i / 64] |= (uint64_t)1 << i % 64;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < work->nodes.count; i++)
            changed |= flow(work, i, touched);
    }
}

/* ---- at the points */

/* The set of live values while a block is walked backward. */
struct alive {
    struct work *work;
    uint8_t *is;        /* by number: 1 live, 2 not live but still in the list */
    VEC(uint32_t) list; /* those with a nonzero mark */
};

static void alive_add(struct alive *alive, uint32_t local)
{
    if (alive->is[local] == 0)
        vec_push(&alive->work->arena, &alive->list, local);
    alive->is[local] = 1;
}

static void alive_add_operands(struct alive *alive, LLVMValueRef instruction)
{
    if (LLVMIsAPHINode(instruction) || is_marker(instruction))
        return;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        uint32_t local;

        if (!operand)
            continue;
        local = local_index(alive->work, operand);
        if (local != MAP_ABSENT)
            alive_add(alive, local);
        if (LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMPointerTypeKind)
            continue;
        local = local_index(alive->work, pointer_base(operand));
        if (local != MAP_ABSENT && alive->work->locals.at[local].memory != NO_VALUE)
            alive_add(alive, local);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static bool memory_is_live(const struct alive *alive, uint32_t local, const uint64_t *touched)
{
    const struct origin *origin = origin_find(alive->work, alive->work->locals.at[local].value);
    uint32_t bit = alive->work->locals.at[local].memory;

    if (!(touched[bit / 64] >> bit % 64 & 1))
        return false;
    return origin->escaped || origin->merged || alive->is[local] == 1;
}

static void snapshot(struct alive *alive, struct point *point, const uint64_t *touched)
{
    struct work *work = alive->work;
    VEC(uint32_t) live = {0};
    uint32_t kept = 0;

    for (uint32_t i = 0; i < alive->list.count; i++) {
        uint32_t local = alive->list.at[i];

        if (alive->is[local] != 1) {
            alive->is[local] = 0;
            continue;
        }
        alive->list.at[kept++] = local;
        if (work->locals.at[local].memory == NO_VALUE)
            vec_push(&work->arena, &live, local);
    }
    alive->list.count = kept;
    for (uint32_t i = 0; i < work->memory.count; i++)
        if (memory_is_live(alive, work->memory.at[i], touched))
            vec_push(&work->arena, &live, work->memory.at[i]);
    if (live.count)
        qsort(live.at, live.count, sizeof *live.at, by_number);
    for (uint32_t i = 0; i < live.count; i++)
        work->locals.at[live.at[i]].recorded = true;
    point->live = live.at;
    point->live_count = live.count;
}

/* What was touched at each point of the block, in order. */
static const uint64_t *touched_at_points(struct work *work, const struct node *node,
                                         uint32_t *count)
{
    uint32_t words = memory_words(work);
    size_t size = words * sizeof(uint64_t);
    uint64_t *now = arena_alloc(&work->arena, size + 1);
    VEC(uint64_t) all = {0};

    *count = 0;
    memcpy(now, node->touched, size);
    for (LLVMValueRef i = LLVMGetFirstInstruction(node->block); i; i = LLVMGetNextInstruction(i)) {
        uint32_t point = map_get(&work->point_of, value_key(i));
        bool call = point != MAP_ABSENT && work->points.at[point].kind == POINT_CALL;

        if (call) /* what is passed may be written before the call is over */
            touch(work, i, now);
        if (point != MAP_ABSENT) {
            for (uint32_t w = 0; w < words; w++)
                vec_push(&work->arena, &all, now[w]);
            ++*count;
        }
        if (!call)
            touch(work, i, now);
    }
    return all.at;
}

static void live_in_block(struct alive *alive, const struct node *node)
{
    struct work *work = alive->work;
    uint32_t count;
    const uint64_t *touched = touched_at_points(work, node, &count);

    for (uint32_t i = 0; count && i < node->live_out.count; i++)
        alive_add(alive, node->live_out.at[i]);
    for (LLVMValueRef i = LLVMGetLastInstruction(node->block); count;
         i = LLVMGetPreviousInstruction(i)) {
        uint32_t local = local_index(work, i);
        uint32_t index = map_get(&work->point_of, value_key(i));
        struct point *point = index == MAP_ABSENT ? NULL : &work->points.at[index];

        if (local != MAP_ABSENT && alive->is[local] == 1)
            alive->is[local] = 2;
        if (point && point->inside)
            snapshot(alive, point, touched + (size_t)--count * memory_words(work));
        alive_add_operands(alive, i);
        if (point && !point->inside)
            snapshot(alive, point, touched + (size_t)--count * memory_words(work));
    }
    for (uint32_t i = 0; i < alive->list.count; i++)
        alive->is[alive->list.at[i]] = 0;
    alive->list.count = 0;
}

/* A second return is on no way that the blocks show; and there are values that no memory can hold. */
static bool is_followed(const struct work *work, LLVMValueRef instruction)
{
    unsigned kind = work->pass->attr_returns_twice;
    LLVMValueRef function;
    LLVMTypeKind type = LLVMGetTypeKind(LLVMTypeOf(instruction));

    if (type != LLVMVoidTypeKind && type != LLVMLabelTypeKind && type != LLVMMetadataTypeKind &&
        !is_recordable(LLVMTypeOf(instruction)))
        return false;
    if (!is_call(instruction))
        return true;
    function = called_function(instruction);
    return !call_has_attribute(instruction, (unsigned)LLVMAttributeFunctionIndex, kind) &&
           !(function && function_has_attribute(function, kind));
}

/* What is passed behind the named arguments is in no value, and what a coroutine needs may be anywhere. */
static bool is_whole(const struct work *work)
{
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(work->function)) || work->pass->coroutines)
        return false;
    for (uint32_t n = 0; n < work->nodes.count; n++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(work->nodes.at[n].block); i;
             i = LLVMGetNextInstruction(i))
            if (!is_followed(work, i))
                return false;
    return true;
}

void live_find(struct work *work)
{
    struct alive alive = {.work = work};

    number(work);
    work->whole = is_whole(work);
    climb_all(work);
    touched_find(work);
    alive.is = arena_alloc(&work->arena, work->locals.count + 1);
    memset(alive.is, 0, work->locals.count);
    for (uint32_t i = 0; i < work->nodes.count; i++)
        live_in_block(&alive, &work->nodes.at[i]);
    for (uint32_t i = 0; i < work->locals.count; i++)
        if (work->locals.at[i].recorded)
            work->locals.at[i].name = value_source_name(work, work->locals.at[i].value);
}
