#include <string.h>

#include "instrument/instrument.h"

uint32_t block_number(const struct graph *graph, LLVMBasicBlockRef block)
{
    return map_get(&graph->number_of, value_key(block));
}

unsigned block_exits(LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

    return last ? LLVMGetNumSuccessors(last) : 0;
}

uint32_t block_exit(const struct graph *graph, uint32_t block, unsigned i)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(graph->blocks.at[block]);

    return block_number(graph, LLVMGetSuccessor(last, i));
}

static uint32_t *numbers(struct work *work, uint32_t count, uint32_t value)
{
    uint32_t *made = arena_alloc(&work->arena, (count + 1) * sizeof *made);

    for (uint32_t i = 0; i < count; i++)
        made[i] = value;
    return made;
}

/* Depth first, without recursion: functions may have very many blocks. */
static void graph_order(struct graph *graph)
{
    uint32_t count = graph->blocks.count, depth = 0;
    uint32_t *stack = numbers(graph->work, count, 0), *next = numbers(graph->work, count, 0);
    uint8_t *seen = arena_alloc(&graph->work->arena, count);

    memset(seen, 0, count);
    seen[0] = 1;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t block = stack[depth - 1], to;

        if (next[block] == block_exits(graph->blocks.at[block])) {
            graph->rank[block] = graph->reached;
            graph->order[graph->reached++] = block;
            depth--;
            continue;
        }
        to = block_exit(graph, block, next[block]++);
        if (!seen[to]) {
            seen[to] = 1;
            stack[depth++] = to;
        }
    }
}

static uint32_t common_dominator(const struct graph *graph, uint32_t a, uint32_t b)
{
    while (a != b)
        if (graph->rank[a] < graph->rank[b])
            a = graph->above[a];
        else
            b = graph->above[b];
    return a;
}

/* Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm. */
static void graph_dominators(struct graph *graph)
{
    bool changed = true;

    graph->above[0] = 0;
    while (changed) {
        changed = false;
        for (uint32_t i = graph->reached; i-- > 0;) {
            uint32_t block = graph->order[i], found = NO_VALUE;

            for (uint32_t k = 0; block && k < graph->before[block].count; k++) {
                uint32_t from = graph->before[block].at[k];

                if (graph->above[from] != NO_VALUE)
                    found = found == NO_VALUE ? from : common_dominator(graph, from, found);
            }
            changed |= block && graph->above[block] != found;
            if (block)
                graph->above[block] = found;
        }
    }
}

bool dominates(const struct graph *graph, uint32_t above, uint32_t block)
{
    while (block != above && block != 0)
        block = graph->above[block];
    return block == above;
}

void graph_open(struct graph *graph, struct work *work)
{
    uint32_t count;

    memset(graph, 0, sizeof *graph);
    graph->work = work;
    map_open(&graph->number_of, &work->arena);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b)) {
        map_add(&graph->number_of, value_key(b), graph->blocks.count);
        vec_push(&work->arena, &graph->blocks, b);
    }
    count = graph->blocks.count;
    graph->before = arena_alloc(&work->arena, count * sizeof *graph->before);
    memset(graph->before, 0, count * sizeof *graph->before);
    graph->order = numbers(work, count, 0);
    graph->rank = numbers(work, count, NO_VALUE);
    graph->above = numbers(work, count, NO_VALUE);
    graph_order(graph);
    for (uint32_t from = 0; from < count; from++)
        for (unsigned i = 0;
             graph->rank[from] != NO_VALUE && i < block_exits(graph->blocks.at[from]); i++)
            vec_push(&work->arena, &graph->before[block_exit(graph, from, i)], from);
    graph_dominators(graph);
}

bool graph_is_head(const struct graph *graph, uint32_t block)
{
    for (uint32_t i = 0; i < graph->before[block].count; i++)
        if (dominates(graph, block, graph->before[block].at[i]))
            return true;
    return false;
}
