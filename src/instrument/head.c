#include <string.h>

#include "instrument/instrument.h"

/* Heads of loops that may go round without changing anything: each gets a call of __raddle_head, behind its phis, which knows whether the
 * code has just come in or has come back. A loop here is a natural one: whoever comes back to its head has been there before, in the same call of the
 * function. Loops that no round can leave as they were get nothing: they count, or write on every way round. */

/* ---- which loops */

/* What a block does in a round. */
enum block_does {
    BLOCK_NOTHING,
    BLOCK_LOOKS,  /* at what other threads may change */
    BLOCK_WRITES, /* or does something else that is never nothing */
};

static bool is_plain_load(LLVMValueRef access)
{
    return LLVMIsALoadInst(access) && !LLVMGetVolatile(access) &&
           LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static enum block_does point_does(const struct point *point)
{
    switch (point->kind) {
    case POINT_ACCESS:
        if (LLVMIsAStoreInst(point->instruction))
            return BLOCK_WRITES;
        return is_plain_load(point->instruction) ? BLOCK_NOTHING : BLOCK_LOOKS;
    case POINT_FENCE:
    case POINT_HEAD:
        return BLOCK_NOTHING;
    case POINT_CHANCE:
    case POINT_UNSEEN:
        return BLOCK_WRITES;
    default:
        return BLOCK_LOOKS;
    }
}

static enum block_does block_does(struct work *work, LLVMBasicBlockRef block)
{
    enum block_does does = BLOCK_NOTHING;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        struct point point = {.instruction = i};

        if (point_classify(work, i, &point) && point_does(&point) > does)
            does = point_does(&point);
    }
    return does;
}

/* Whether some way round writes nothing for certain, and looks at something. */
static bool may_go_round(struct graph *graph, uint32_t head)
{
    struct work *work = graph->work;
    uint8_t *seen = arena_alloc(&work->arena, graph->blocks.count);
    VEC(uint32_t) open = {0};
    bool back = false, looks = false;

    memset(seen, 0, graph->blocks.count);
    vec_push(&work->arena, &open, head);
    while (open.count) {
        uint32_t block = open.at[--open.count];
        enum block_does does = graph->does[block];

        looks |= does == BLOCK_LOOKS;
        for (unsigned i = 0; does != BLOCK_WRITES && i < block_exits(graph->blocks.at[block]);
             i++) {
            uint32_t to = block_exit(graph, block, i);

            back |= to == head;
            if (to == head || seen[to] || !dominates(graph, head, to))
                continue;
            seen[to] = 1;
            vec_push(&work->arena, &open, to);
        }
    }
    return back && looks;
}

/* Whether the phi is another one whenever the code comes back. */
static bool is_counter(const struct graph *graph, uint32_t head, LLVMValueRef phi)
{
    bool back = false;

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i), by;
        uint32_t from = block_number(graph, LLVMGetIncomingBlock(phi, i));

        if (graph->rank[from] == NO_VALUE || !dominates(graph, head, from))
            continue;
        back = true;
        if (!LLVMIsAInstruction(value) ||
            (LLVMGetInstructionOpcode(value) != LLVMAdd &&
             LLVMGetInstructionOpcode(value) != LLVMSub) ||
            LLVMGetOperand(value, 0) != phi)
            return false;
        by = LLVMGetOperand(value, 1);
        if (!LLVMIsAConstantInt(by) || LLVMIsNull(by))
            return false;
    }
    return back;
}

static bool counts(const struct graph *graph, uint32_t head)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(graph->blocks.at[head]); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        if (is_counter(graph, head, i))
            return true;
    return false;
}

/* ---- the call */

static LLVMValueRef behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);

    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* A place in the source: the head may have none. */
static LLVMValueRef located_near(LLVMBasicBlockRef block, LLVMValueRef first)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

    for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
        if (LLVMInstructionGetDebugLoc(i) && LLVMGetDebugLocLine(i))
            return i;
    return last;
}

static void head_mark(struct graph *graph, uint32_t number)
{
    struct work *work = graph->work;
    struct pass *pass = work->pass;
    LLVMBasicBlockRef block = graph->blocks.at[number];
    LLVMValueRef first = behind_phis(block), again, args[2];

    if (LLVMIsALandingPadInst(first) || LLVMIsACatchPadInst(first) ||
        LLVMIsACleanupPadInst(first) || LLVMIsACatchSwitchInst(first))
        return;
    LLVMPositionBuilderBefore(pass->builder, LLVMGetFirstInstruction(block));
    LLVMSetCurrentDebugLocation2(pass->builder, NULL);
    again = LLVMBuildPhi(pass->builder, pass->i32, "");
    for (uint32_t i = 0; i < LLVMCountBasicBlocks(work->function); i++)
        for (unsigned k = 0; k < block_exits(graph->blocks.at[i]); k++) {
            LLVMValueRef value =
                constant_i32(pass, graph->rank[i] != NO_VALUE && dominates(graph, number, i));

            if (block_exit(graph, i, k) == number)
                LLVMAddIncoming(again, &value, &graph->blocks.at[i], 1);
        }
    LLVMPositionBuilderBefore(pass->builder, first);
    LLVMSetCurrentDebugLocation2(pass->builder,
                                 LLVMInstructionGetDebugLoc(located_near(block, first)));
    args[0] = again;
    args[1] = LLVMConstPointerNull(pass->pointer);
    vec_push(&work->arena, &work->heads,
             ((struct head){.mark = hook_call(pass, "__raddle_head", pass->nothing, args, 2)}));
}

void heads_find(struct work *work)
{
    struct graph graph;

    if (LLVMCountBasicBlocks(work->function) < 2)
        return;
    graph_open(&graph, work);
    graph.does = arena_alloc(&work->arena, graph.blocks.count);
    for (uint32_t i = 0; i < graph.blocks.count; i++)
        graph.does[i] = block_does(work, graph.blocks.at[i]);
    for (uint32_t i = 1; i < graph.blocks.count; i++)
        if (graph.rank[i] != NO_VALUE && graph_is_head(&graph, i) && !counts(&graph, i) &&
            may_go_round(&graph, i))
            head_mark(&graph, i);
    for (uint32_t i = 0; i < work->heads.count; i++)
        fresh_find(work, &work->heads.at[i]);
    for (uint32_t i = 0; i < work->heads.count; i++)
        turns_find(work, &work->heads.at[i]);
    exchanges_find(work);
}

static LLVMValueRef site_of(const struct work *work, LLVMValueRef instruction)
{
    return work->points.at[map_get(&work->point_of, value_key(instruction))].site;
}

/* The sites are known only now. */
void head_rewrite(struct work *work, const struct point *point)
{
    const struct turn *turn = turn_of(work, point->instruction);

    if (!turn) {
        LLVMSetOperand(point->instruction, 1, point->site);
        return;
    }
    LLVMSetOperand(point->instruction, 2, site_of(work, turn->mark));
    LLVMSetOperand(point->instruction, 3,
                   turn->exchange ? site_of(work, turn->exchange) : point->site);
}
