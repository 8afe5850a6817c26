#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"
#include "instrument/span.h"
#include "runtime/hooks.h"

/* Plain accesses that code checks by itself (struct raddle_quick): the instruction stays, on the likely side of a fork; on the other
 * one a hook does it, and the frame is filled in only there.
 *
 * Of accesses in one block to the same bytes, with nothing between that lets the thread release anything, the first asks for
 * all: if it need not be told, nor need the others. */

#define SUNK_MAX 8 /* points; a value that is live at more of them is recorded once */

/* ---- which they are */

LLVMValueRef access_pointer(LLVMValueRef access)
{
    return LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
}

static LLVMTypeRef access_type(LLVMValueRef access)
{
    return LLVMIsAStoreInst(access) ? LLVMTypeOf(LLVMGetOperand(access, 0)) : LLVMTypeOf(access);
}

int access_class(const struct work *work, LLVMValueRef access)
{
    return size_class(type_bytes(work->pass, access_type(access)));
}

bool is_quick(const struct work *work, const struct point *point)
{
    LLVMValueRef access = point->instruction;
    int class;

    if (point->kind != POINT_ACCESS || (!LLVMIsALoadInst(access) && !LLVMIsAStoreInst(access)) ||
        LLVMGetVolatile(access) || LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic)
        return false;
    class = access_class(work, access);
    return class != NO_CLASS && class <= 3 && type_is_castable(work->pass, access_type(access));
}

static bool is_arithmetic(LLVMValueRef value)
{
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMGetElementPtr:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return true;
    default:
        return false;
    }
}

bool same_value(LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
    int count;

    if (a == b)
        return true;
    if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || !is_arithmetic(a) ||
        LLVMTypeOf(a) != LLVMTypeOf(b))
        return false;
    if (LLVMIsAGetElementPtrInst(a) &&
        LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
        return false;
    count = LLVMGetNumOperands(a);
    if (count != LLVMGetNumOperands(b))
        return false;
    for (int i = 0; i < count; i++)
        if (!same_value(LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i), depth - 1))
            return false;
    return true;
}

/* The points of a block that may still ask for later ones. */
struct askers {
    struct work *work;
    VEC(uint32_t) list;
};

static void asker_find(struct askers *askers, uint32_t index)
{
    struct work *work = askers->work;
    struct point *point = &work->points.at[index];
    LLVMValueRef access = point->instruction;

    for (uint32_t i = 0; i < askers->list.count; i++) {
        struct point *first = &work->points.at[askers->list.at[i]];

        if (access_class(work, access) > access_class(work, first->instruction) ||
            !same_value(access_pointer(access), access_pointer(first->instruction), SAME_DEPTH))
            continue;
        point->asker = askers->list.at[i];
        first->asks_write |= LLVMIsAStoreInst(access) != NULL;
        return;
    }
    point->asker = index;
    point->asks_write = LLVMIsAStoreInst(access) != NULL;
    vec_push(&work->arena, &askers->list, index);
}

/* Code that is no access of the program, and calls nothing. */
static bool is_marker(LLVMValueRef call)
{
    const char *name = intrinsic_name(call);

    return name && (starts_with(name, "dbg.") || starts_with(name, "lifetime."));
}

static void find_in_block(struct askers *askers, LLVMBasicBlockRef block)
{
    struct work *work = askers->work;

    askers->list.count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        uint32_t index = map_get(&work->point_of, value_key(i));

        if (index != MAP_ABSENT && is_quick(work, &work->points.at[index])) {
            work->points.at[index].quick = true;
            asker_find(askers, index);
        } else if (index != MAP_ABSENT || (is_call(i) && !is_marker(i))) {
            askers->list.count = 0;
        }
    }
}

/* Values that are live at quick points only are recorded there, on the unlikely side. */
static void sink(struct work *work)
{
    for (uint32_t i = 0; i < work->points.count; i++) {
        const struct point *point = &work->points.at[i];

        for (uint32_t j = 0; j < point->live_count; j++) {
            struct local *local = &work->locals.at[point->live[j]];

            local->uses += point->quick && (!point->straight || local->busy) ? 1 : SUNK_MAX + 1;
        }
    }
    for (uint32_t i = 0; i < work->locals.count; i++) {
        struct local *local = &work->locals.at[i];

        local->sunk = local->recorded && local->uses <= SUNK_MAX && local->memory == NO_VALUE &&
                      !local_is_spilled(work, local);
    }
}

/* Code that is not optimised is not much faster than the hook, and where it reads only it has more to look at than where it writes. */
static void leave_reads(struct work *work)
{
    for (uint32_t i = 0; i < work->points.count; i++) {
        struct point *point = &work->points.at[i];

        if (point->quick && !work->points.at[point->asker].asks_write)
            point->quick = false;
    }
}

void quick_find(struct work *work)
{
    struct askers askers = {.work = work};

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b))
        find_in_block(&askers, b);
    if (!work->pass->optimises)
        leave_reads(work);
    quick_places(work);
    sink(work);
}

/* ---- counting */

/* A loop of which it is known how often it goes round does not wait for anybody: it counts for nothing, whether it has hooks or not. */
static LLVMValueRef count_of(struct work *work, LLVMBasicBlockRef block, uint64_t accesses)
{
    struct pass *pass = work->pass;
    LLVMValueRef number = constant_i64(pass, accesses ? accesses : 1);
    uint32_t index = map_get(&pass->bare_of, value_key(block));

    return index == MAP_ABSENT ? number
                               : LLVMBuildSelect(pass->builder, pass->trips_known.at[index - 1],
                                                 constant_i64(pass, 0), number, "");
}

static void count_at(struct work *work, LLVMBasicBlockRef block, uint64_t accesses)
{
    struct pass *pass = work->pass;
    LLVMValueRef place = LLVMGetFirstInstruction(block), function = quick_count_function(pass);
    LLVMValueRef number;

    while (LLVMIsAPHINode(place) || LLVMIsALandingPadInst(place) || LLVMIsAAllocaInst(place))
        place = LLVMGetNextInstruction(place);
    LLVMPositionBuilderBefore(pass->builder, place);
    LLVMSetCurrentDebugLocation2(pass->builder, NULL);
    number = count_of(work, block, accesses);
    LLVMBuildCall2(pass->builder, LLVMGlobalGetValueType(function), function, &number, 1, "");
}

/* Marks the blocks that the code can come back to from further down: each loop has one. */
static void returns_find(struct work *work, struct map *number_of, bool *returns)
{
    uint32_t count = 0, from = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b))
        map_add(number_of, value_key(b), count++);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b), from++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);

        for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
            uint32_t to = map_get(number_of, value_key(LLVMGetSuccessor(last, i)));

            returns[to] |= to <= from;
        }
    }
}

/* Accesses are counted at the entry and at those blocks, each up to the next of them. */
static void count_insert(struct work *work)
{
    struct map number_of;
    uint32_t blocks = LLVMCountBasicBlocks(work->function), number = 0;
    bool *returns = arena_alloc(&work->arena, blocks);
    LLVMBasicBlockRef place = LLVMGetEntryBasicBlock(work->function);
    uint64_t accesses = 0;

    memset(returns, 0, blocks);
    map_open(&number_of, &work->arena);
    returns_find(work, &number_of, returns);
    for (LLVMBasicBlockRef b = place; b; b = LLVMGetNextBasicBlock(b), number++) {
        if (number && returns[number] && !is_bare(work->pass, b)) {
            count_at(work, place, accesses);
            place = b;
            accesses = 0;
        }
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            uint32_t index = map_get(&work->point_of, value_key(i));

            accesses += index != MAP_ABSENT && work->points.at[index].quick;
        }
    }
    count_at(work, place, accesses);
}

/* ---- forks */

static void ask(struct work *work, struct point *point)
{
    LLVMValueRef pointer = access_pointer(point->instruction);
    LLVMValueRef function =
        quick_check_function(work->pass, access_class(work, point->instruction), point->asks_write);

    builder_before(work->pass, point->instruction);
    point->known = LLVMBuildCall2(work->pass->builder, LLVMGlobalGetValueType(function), function,
                                  &pointer, 1, "");
    LLVMSetInstructionCallConv(point->known, LLVMGetFunctionCallConv(function));
}

static void fork_at(struct work *work, struct point *point)
{
    struct pass *pass = work->pass;

    if (&work->points.at[point->asker] == point)
        ask(work, point);
    block_fork(pass, work->points.at[point->asker].known, point->instruction, &point->likely,
               &point->unlikely);
    frame_record_sunk(work, point, point->unlikely);
    builder_before(pass, point->instruction);
    LLVMInstructionRemoveFromParent(point->instruction);
    LLVMPositionBuilderBefore(pass->builder, point->likely);
    LLVMInsertIntoBuilder(pass->builder, point->instruction);
}

void quick_fork(struct work *work)
{
    bool any = false;

    for (uint32_t i = 0; i < work->points.count; i++)
        any |= work->points.at[i].quick;
    if (!any)
        return;
    count_insert(work);
    for (uint32_t i = 0; i < work->points.count; i++) {
        struct point *point = &work->points.at[i];

        if (point->straight)
            frame_record_sunk(work, point, point->instruction);
        else if (point->quick)
            fork_at(work, point);
    }
}

/* ---- both sides */

static LLVMValueRef read_call(struct work *work, const struct point *point, int class)
{
    LLVMValueRef load = point->instruction, args[] = {access_pointer(load), point->site}, value;
    char name[32];

    snprintf(name, sizeof name, "__raddle_read%u", 1u << class);
    value = quick_call(work->pass, name, work->pass->integer[class], args, 2);
    return value_from_integer(work->pass, value, LLVMTypeOf(load));
}

static void write_call(struct work *work, const struct point *point, int class)
{
    struct pass *pass = work->pass;
    LLVMValueRef store = point->instruction, args[3] = {access_pointer(store), NULL, point->site};
    char name[32];

    args[1] = value_to_integer(pass, LLVMGetOperand(store, 0), pass->integer[class]);
    snprintf(name, sizeof name, "__raddle_write%u", 1u << class);
    quick_call(pass, name, pass->nothing, args, 3);
}

static void quick_load(struct work *work, const struct point *point, int class)
{
    struct pass *pass = work->pass;
    LLVMValueRef load = point->instruction, value = read_call(work, point, class), phi;
    LLVMValueRef rest =
        LLVMGetFirstInstruction(LLVMGetSuccessor(point->likely, 0)); /* behind the fork */
    LLVMBasicBlockRef from[] = {LLVMGetInstructionParent(point->likely),
                                LLVMGetInstructionParent(point->unlikely)};

    LLVMPositionBuilderBefore(pass->builder, rest);
    phi = LLVMBuildPhi(pass->builder, LLVMTypeOf(load), "");
    LLVMReplaceAllUsesWith(load, phi);
    LLVMAddIncoming(phi, (LLVMValueRef[]){load, value}, from, 2);
}

static void quick_store(struct work *work, const struct point *point, int class)
{
    write_call(work, point, class);
    LLVMPositionBuilderBefore(work->pass->builder, point->likely);
    quick_note_write(work->pass);
}

/* The hook alone, in the place of the access. */
static void straight_rewrite(struct work *work, const struct point *point, int class)
{
    builder_before(work->pass, point->instruction);
    if (LLVMIsAStoreInst(point->instruction))
        write_call(work, point, class);
    replace(point->instruction,
            LLVMIsAStoreInst(point->instruction) ? NULL : read_call(work, point, class));
}

void quick_rewrite(struct work *work, const struct point *point)
{
    int class = access_class(work, point->instruction);

    if (point->straight) {
        straight_rewrite(work, point, class);
        return;
    }
    LLVMPositionBuilderBefore(work->pass->builder, point->unlikely);
    LLVMSetCurrentDebugLocation2(work->pass->builder,
                                 LLVMInstructionGetDebugLoc(point->instruction));
    if (LLVMIsAStoreInst(point->instruction))
        quick_store(work, point, class);
    else
        quick_load(work, point, class);
}
