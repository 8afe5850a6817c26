#include <string.h>

#include "instrument/instrument.h"
#include "instrument/span.h"
#include "runtime/hooks.h"

/* Loops whose plain accesses can be told before they begin: how often they go round is known by then, each access is made in every round, and its address goes on
 * by the same step. Which these are is found here; span_make.c gives them a copy without hooks.
 *
 * A few others may be among them, made in some rounds only or wherever another one leads to: `h[a[i]]++`. They keep their checks in the copy. */

#define DEPTH_MAX 12 /* operands of operands that are looked at */
#define NODES_MAX 64 /* of them in all, for one value */
#define REST_MAX  4  /* accesses that are not told, in a loop that gets a copy all the same */

/* ---- values */

/* What becomes of a value from round to round. */
enum course { COURSE_UNKNOWN, COURSE_FIXED, COURSE_EVEN };

struct look {
    struct span_loop *loop;
    uint32_t nodes;
};

static enum course course_of(struct look *look, LLVMValueRef value, unsigned depth);

bool span_is_inside(const struct span_loop *loop, LLVMValueRef value)
{
    uint32_t block = LLVMIsAInstruction(value)
                         ? block_number(loop->graph, LLVMGetInstructionParent(value))
                         : MAP_ABSENT;

    return block != MAP_ABSENT && loop->in[block];
}

/* What comes into a phi of the head from the latch. */
static LLVMValueRef phi_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == block)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

LLVMValueRef span_phi_start(const struct span_loop *loop, LLVMValueRef phi)
{
    return phi_from(phi, loop->entry);
}

LLVMValueRef span_phi_next(const struct span_loop *loop, LLVMValueRef phi)
{
    return phi_from(phi, loop->latch);
}

static bool operands_are_fixed(struct look *look, LLVMValueRef value, unsigned from, unsigned depth)
{
    for (unsigned i = from; i < (unsigned)LLVMGetNumOperands(value); i++)
        if (course_of(look, LLVMGetOperand(value, i), depth) != COURSE_FIXED)
            return false;
    return true;
}

static bool has_wide_indices(LLVMValueRef gep)
{
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(gep, i));

        if (!LLVMIsAConstantInt(LLVMGetOperand(gep, i)) &&
            (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 64))
            return false;
    }
    return true;
}

/* A phi that the same is added to in each round. */
static enum course course_of_phi(struct look *look, LLVMValueRef phi, unsigned depth)
{
    const struct span_loop *loop = look->loop;
    LLVMValueRef next;
    LLVMOpcode opcode;

    if (LLVMGetInstructionParent(phi) != loop->head)
        return COURSE_UNKNOWN;
    next = span_phi_next(loop, phi);
    if (!next || !span_is_inside(loop, next))
        return COURSE_UNKNOWN;
    opcode = LLVMGetInstructionOpcode(next);
    if (opcode == LLVMGetElementPtr ? !has_wide_indices(next)
                                    : opcode != LLVMAdd && opcode != LLVMSub)
        return COURSE_UNKNOWN;
    if (LLVMGetOperand(next, 0) == phi)
        return operands_are_fixed(look, next, 1, depth) ? COURSE_EVEN : COURSE_UNKNOWN;
    return opcode == LLVMAdd && LLVMGetOperand(next, 1) == phi &&
                   course_of(look, LLVMGetOperand(next, 0), depth) == COURSE_FIXED
               ? COURSE_EVEN
               : COURSE_UNKNOWN;
}

/* The larger one: both are known. */
static enum course either(enum course a, enum course b)
{
    if (a == COURSE_UNKNOWN || b == COURSE_UNKNOWN)
        return COURSE_UNKNOWN;
    return a == COURSE_EVEN ? a : b;
}

static enum course course_of_sum(struct look *look, LLVMValueRef value, unsigned depth)
{
    enum course course = COURSE_FIXED;

    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
        course = either(course, course_of(look, LLVMGetOperand(value, i), depth));
    return course;
}

static enum course course_of_product(struct look *look, LLVMValueRef value, unsigned depth)
{
    enum course a = course_of(look, LLVMGetOperand(value, 0), depth);
    enum course b = course_of(look, LLVMGetOperand(value, 1), depth);

    if (a == COURSE_EVEN && b == COURSE_EVEN)
        return COURSE_UNKNOWN;
    return either(a, b);
}

/* Where the value is widened is kept: that it goes on evenly there is asked when the program runs. */
static enum course course_of_wider(struct look *look, LLVMValueRef value, unsigned depth)
{
    struct span_loop *loop = look->loop;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0)), to = LLVMTypeOf(value);
    enum course course = course_of(look, LLVMGetOperand(value, 0), depth);

    if (LLVMGetTypeKind(from) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(from) > 32 ||
        LLVMGetIntTypeWidth(to) > 64)
        return COURSE_UNKNOWN;
    if (course == COURSE_EVEN)
        vec_push(&loop->work->arena, &loop->wider, value);
    return course;
}

/* A load, by the rules for quick accesses, from where the loop does not write: that is asked when the program runs, too. */
static enum course course_of_load(struct look *look, LLVMValueRef load, unsigned depth)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(load));

    return !look->loop->blind && span_is_access(look->loop->work, load) &&
                   (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind) &&
                   course_of(look, LLVMGetOperand(load, 0), depth) == COURSE_FIXED
               ? COURSE_FIXED
               : COURSE_UNKNOWN;
}

static enum course course_of(struct look *look, LLVMValueRef value, unsigned depth)
{
    if (!span_is_inside(look->loop, value))
        return COURSE_FIXED;
    if (depth == 0 || look->nodes++ >= NODES_MAX)
        return COURSE_UNKNOWN;
    depth--;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        return course_of_phi(look, value, depth);
    case LLVMLoad:
        return course_of_load(look, value, depth);
    case LLVMGetElementPtr:
        if (!has_wide_indices(value) || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
            return COURSE_UNKNOWN;
        return course_of_sum(look, value, depth);
    case LLVMAdd:
    case LLVMSub:
        return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind
                   ? course_of_sum(look, value, depth)
                   : COURSE_UNKNOWN;
    case LLVMMul:
        return course_of_product(look, value, depth);
    case LLVMShl:
        return LLVMIsAConstantInt(LLVMGetOperand(value, 1))
                   ? course_of(look, LLVMGetOperand(value, 0), depth)
                   : COURSE_UNKNOWN;
    case LLVMTrunc:
        return course_of(look, LLVMGetOperand(value, 0), depth);
    case LLVMSExt:
    case LLVMZExt:
        return course_of_wider(look, value, depth);
    default:
        return COURSE_UNKNOWN;
    }
}

static enum course course(struct span_loop *loop, LLVMValueRef value)
{
    struct look look = {.loop = loop};

    loop->wider.count = 0;
    return course_of(&look, value, DEPTH_MAX);
}

void span_find_wider(struct span_loop *loop, LLVMValueRef value)
{
    course(loop, value);
}

/* ---- how often it goes round */

static LLVMIntPredicate swapped(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntULT:
        return LLVMIntUGT;
    case LLVMIntULE:
        return LLVMIntUGE;
    case LLVMIntUGT:
        return LLVMIntULT;
    case LLVMIntUGE:
        return LLVMIntULE;
    case LLVMIntSLT:
        return LLVMIntSGT;
    case LLVMIntSLE:
        return LLVMIntSGE;
    case LLVMIntSGT:
        return LLVMIntSLT;
    case LLVMIntSGE:
        return LLVMIntSLE;
    default:
        return predicate;
    }
}

static LLVMIntPredicate inverse(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntULT:
        return LLVMIntUGE;
    case LLVMIntULE:
        return LLVMIntUGT;
    case LLVMIntUGT:
        return LLVMIntULE;
    case LLVMIntUGE:
        return LLVMIntULT;
    case LLVMIntSLT:
        return LLVMIntSGE;
    case LLVMIntSLE:
        return LLVMIntSGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    case LLVMIntEQ:
        return LLVMIntNE;
    default:
        return LLVMIntEQ;
    }
}

LLVMValueRef span_counter(const struct span_loop *loop)
{
    return LLVMGetOperand(loop->compare, loop->swaps ? 1 : 0);
}

LLVMValueRef span_bound(const struct span_loop *loop)
{
    return LLVMGetOperand(loop->compare, loop->swaps ? 0 : 1);
}

/* The test by which the loop goes on. */
static bool test_find(struct span_loop *loop)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(loop->leaves), compare;
    LLVMTypeRef type;
    LLVMTypeKind kind;

    if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last))
        return false;
    loop->compare = compare = LLVMGetCondition(last);
    if (!LLVMIsAICmpInst(compare) || !span_is_inside(loop, compare))
        return false;
    loop->predicate = LLVMGetICmpPredicate(compare);
    if (LLVMGetSuccessor(last, 0) == loop->exit)
        loop->predicate = inverse(loop->predicate);
    type = LLVMTypeOf(LLVMGetOperand(compare, 0));
    kind = LLVMGetTypeKind(type);
    if (loop->predicate == LLVMIntEQ ||
        (kind != LLVMPointerTypeKind &&
         (kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)))
        return false;
    loop->swaps = course(loop, LLVMGetOperand(compare, 0)) == COURSE_FIXED;
    if (loop->swaps)
        loop->predicate = swapped(loop->predicate);
    return course(loop, span_counter(loop)) == COURSE_EVEN &&
           course(loop, span_bound(loop)) == COURSE_FIXED;
}

/* ---- its blocks */

/* Those from which the latch is reached without the head between. */
static void blocks_find(struct span_loop *loop, uint32_t head, uint32_t latch)
{
    struct graph *graph = loop->graph;
    VEC(uint32_t) open = {0};

    loop->in[head] = loop->in[latch] = true;
    if (latch != head)
        vec_push(&loop->work->arena, &open, latch);
    while (open.count) {
        uint32_t block = open.at[--open.count];

        for (uint32_t i = 0; i < graph->before[block].count; i++) {
            uint32_t from = graph->before[block].at[i];

            if (loop->in[from])
                continue;
            loop->in[from] = true;
            vec_push(&loop->work->arena, &open, from);
        }
    }
}

/* It comes in by one way and comes back by one, and leaves by one, from the head or the latch; nothing goes round inside. */
static bool shape_find(struct span_loop *loop, uint32_t head)
{
    struct graph *graph = loop->graph;
    uint32_t from = NO_VALUE, back = NO_VALUE, exits = 0, exit = NO_VALUE;

    for (uint32_t i = 0; i < graph->before[head].count; i++) {
        uint32_t *which = dominates(graph, head, graph->before[head].at[i]) ? &back : &from;

        if (*which != NO_VALUE)
            return false;
        *which = graph->before[head].at[i];
    }
    if (from == NO_VALUE || back == NO_VALUE || block_exits(graph->blocks.at[from]) != 1 ||
        !LLVMIsABranchInst(LLVMGetBasicBlockTerminator(graph->blocks.at[from])))
        return false;
    blocks_find(loop, head, back);
    for (uint32_t b = 0; b < graph->blocks.count; b++)
        for (unsigned i = 0; loop->in[b] && i < block_exits(graph->blocks.at[b]); i++) {
            uint32_t to = block_exit(graph, b, i);

            if (loop->in[to]) {
                if (to != head && graph->rank[to] >= graph->rank[b])
                    return false; /* something goes round inside */
                continue;
            }
            exits++;
            exit = to;
            loop->leaves = graph->blocks.at[b];
        }
    loop->head = graph->blocks.at[head];
    loop->latch = graph->blocks.at[back];
    loop->entry = graph->blocks.at[from];
    loop->exit = exit == NO_VALUE ? NULL : graph->blocks.at[exit];
    return exits == 1 && graph->before[exit].count == 1 &&
           (loop->leaves == loop->head || loop->leaves == loop->latch);
}

/* ---- what is done in it */

static bool is_in_every_round(const struct span_loop *loop, LLVMValueRef instruction)
{
    return dominates(loop->graph, block_number(loop->graph, LLVMGetInstructionParent(instruction)),
                     block_number(loop->graph, loop->latch));
}

bool span_is_access(struct work *work, LLVMValueRef instruction)
{
    struct point point = {.instruction = instruction};

    return point_classify(work, instruction, &point) && is_quick(work, &point);
}

bool span_is_once_more(const struct span_loop *loop, LLVMValueRef access)
{
    return loop->leaves == loop->latch || LLVMGetInstructionParent(access) == loop->head;
}

/* Whether one that is made in every round does what the other one may do. */
static bool is_covered(const struct span_loop *loop, LLVMValueRef access)
{
    for (uint32_t i = 0; i < loop->accesses.count; i++) {
        LLVMValueRef other = loop->accesses.at[i];

        if ((LLVMIsAStoreInst(other) || !LLVMIsAStoreInst(access)) &&
            span_is_once_more(loop, other) >= span_is_once_more(loop, access) &&
            access_class(loop->work, access) == access_class(loop->work, other) &&
            same_value(access_pointer(access), access_pointer(other), SAME_DEPTH))
            return true;
    }
    return false;
}

static bool is_told(struct span_loop *loop, LLVMValueRef access, bool always)
{
    return always && loop->accesses.count < HOOK_SPANS_MAX &&
           course(loop, access_pointer(access)) != COURSE_UNKNOWN;
}

/* Those that are made in every round, or only the others; and that others are not the same as. */
static bool accesses_find(struct span_loop *loop, bool always)
{
    struct arena *arena = &loop->work->arena;

    for (uint32_t b = 0; b < loop->graph->blocks.count; b++) {
        if (!loop->in[b])
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(loop->graph->blocks.at[b]); i;
             i = LLVMGetNextInstruction(i)) {
            struct point point = {.instruction = i};

            if (LLVMIsAAllocaInst(i))
                return false;
            if (!point_classify(loop->work, i, &point))
                continue;
            if (!is_quick(loop->work, &point))
                return false;
            if (is_in_every_round(loop, i) != always || is_covered(loop, i))
                continue;
            if (is_told(loop, i, always))
                vec_push(arena, &loop->accesses, i);
            else if (loop->rest.count < REST_MAX)
                vec_push(arena, &loop->rest, i);
            else
                return false;
        }
    }
    return loop->accesses.count > 0;
}

static bool all_find(struct span_loop *loop)
{
    loop->accesses.count = loop->rest.count = 0;
    return test_find(loop) && accesses_find(loop, true) && accesses_find(loop, false);
}

static bool has_stores(const struct span_loop *loop)
{
    for (uint32_t i = 0; i < loop->rest.count; i++)
        if (LLVMIsAStoreInst(loop->rest.at[i]))
            return true;
    return false;
}

static bool loop_find(struct span_loop *loop, uint32_t head)
{
    if (!shape_find(loop, head) || !all_find(loop))
        return false;
    loop->blind = has_stores(loop);
    return !loop->blind || all_find(loop);
}

void spans_make(struct work *work)
{
    struct graph graph;
    VEC(struct span_loop) found = {0};

    if (LLVMCountBasicBlocks(work->function) < 2)
        return;
    graph_open(&graph, work);
    for (uint32_t i = 1; i < graph.blocks.count; i++) {
        struct span_loop loop = {.work = work, .graph = &graph};

        if (graph.rank[i] == NO_VALUE || !graph_is_head(&graph, i))
            continue;
        loop.in = arena_alloc(&work->arena, graph.blocks.count);
        memset(loop.in, 0, graph.blocks.count);
        if (loop_find(&loop, i))
            vec_push(&work->arena, &found, loop);
    }
    if (found.count)
        names_find(work);
    for (uint32_t i = 0; i < found.count; i++)
        span_copy(&found.at[i]);
}
