#include <string.h>

#include "instrument/instrument.h"

/* Which quick accesses have their check in place. A check is some thirty instructions for clang to go over, and cuts its block in pieces; and most code runs
 * seldom. So only loops that do nothing else have checks, if these are few. Elsewhere a hook does the access, and first looks at the same things. */

#define LOOP_MAX 8 /* checks in a loop that has them in it */

/* The blocks of a function in the order in which clang puts them. */
struct layout {
    struct work *work;
    struct map number_of; /* block -> number */
    uint32_t count;
    uint32_t *
        last; /* of each that code comes back to: from where, at the farthest; of others NO_VALUE */
    uint32_t *checks; /* of each */
    bool *calls;      /* there is something else that takes its time */
};

static uint32_t checks_in(struct work *work, LLVMBasicBlockRef block)
{
    uint32_t count = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        uint32_t index = map_get(&work->point_of, value_key(i));

        count += index != MAP_ABSENT && work->points.at[index].quick &&
                 work->points.at[index].asker == index;
    }
    return count;
}

/* Points that are not quick, and calls that are none: most are of functions without hooks. */
static bool has_calls(struct work *work, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        uint32_t index = map_get(&work->point_of, value_key(i));

        if (index == MAP_ABSENT ? is_call(i) && !intrinsic_name(i) : !work->points.at[index].quick)
            return true;
    }
    return false;
}

static void layout_find(struct layout *layout, struct work *work)
{
    uint32_t blocks = LLVMCountBasicBlocks(work->function), from = 0;

    layout->work = work;
    layout->last = arena_alloc(&work->arena, blocks * sizeof *layout->last);
    layout->checks = arena_alloc(&work->arena, blocks * sizeof *layout->checks);
    layout->calls = arena_alloc(&work->arena, blocks);
    memset(layout->last, 0xff, blocks * sizeof *layout->last);
    map_open(&layout->number_of, &work->arena);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b)) {
        layout->checks[layout->count] = checks_in(work, b);
        layout->calls[layout->count] = has_calls(work, b);
        map_add(&layout->number_of, value_key(b), layout->count++);
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b), from++)
        for (unsigned i = 0; i < block_exits(b); i++) {
            LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
            uint32_t to = map_get(&layout->number_of, value_key(LLVMGetSuccessor(last, i)));

            if (to <= from)
                layout->last[to] = from; /* later ones are farther */
        }
}

/* Whether the loop that begins there has no other one in it, and few checks. */
static bool is_small(const struct layout *layout, uint32_t head)
{
    uint32_t checks = 0;

    for (uint32_t b = head; b <= layout->last[head]; b++) {
        if (layout->calls[b] || (b != head && layout->last[b] != NO_VALUE))
            return false;
        checks += layout->checks[b];
    }
    return checks <= LOOP_MAX;
}

static bool *busy_find(const struct layout *layout)
{
    bool *busy = arena_alloc(&layout->work->arena, layout->count);

    memset(busy, 0, layout->count);
    for (uint32_t b = 0; b < layout->count; b++)
        if (layout->last[b] != NO_VALUE && is_small(layout, b))
            memset(busy + b, 1, layout->last[b] - b + 1);
    return busy;
}

void quick_places(struct work *work)
{
    struct layout layout = {0};
    const bool *busy;

    layout_find(&layout, work);
    busy = busy_find(&layout);
    for (uint32_t i = 0; i < work->points.count; i++) {
        struct point *point = &work->points.at[i];
        LLVMBasicBlockRef block = LLVMGetInstructionParent(point->instruction);

        point->straight = point->quick && !busy[map_get(&layout.number_of, value_key(block))];
    }
    for (uint32_t i = 0; i < work->locals.count; i++) {
        LLVMValueRef value = work->locals.at[i].value;

        work->locals.at[i].busy = LLVMIsAInstruction(value) && busy[work->locals.at[i].block];
    }
}
