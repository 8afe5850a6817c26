#include "explore/tree.h"

void tree_open(struct tree *tree, struct arena *arena, uint32_t max)
{
    *tree = (struct tree){.arena = arena, .max = max};
    vec_push(arena, &tree->nodes, (struct tree_node){.parent = TREE_NONE});
    vec_push(arena, &tree->path, 0);
}

bool tree_wants(const struct tree *tree, uint32_t depth)
{
    return depth < tree->path.count && tree->path.at[depth] != TREE_NONE &&
           tree->nodes.count < tree->max;
}

void tree_step(struct tree *tree, uint32_t depth, uint32_t thread, bool is_buffer, const char *text)
{
    uint32_t parent, node = TREE_NONE;

    while (tree->path.count <= depth) /* a step that was not announced */
        vec_push(tree->arena, &tree->path, TREE_NONE);
    parent = tree->path.at[depth];
    if (tree_wants(tree, depth)) {
        node = tree->nodes.count;
        vec_push(tree->arena, &tree->nodes,
                 (struct tree_node){
                     .parent = parent, .thread = thread, .is_buffer = is_buffer, .text = text});
    } else {
        tree->full = true;
        if (parent != TREE_NONE)
            tree->nodes.at[parent].more = true;
    }
    tree->path.count = depth + 1;
    vec_push(tree->arena, &tree->path, node);
}

void tree_end(struct tree *tree, uint32_t depth, enum tree_mark mark)
{
    uint32_t node = depth < tree->path.count ? tree->path.at[depth] : TREE_NONE;

    tree->runs++;
    if (node == TREE_NONE)
        return;
    tree->nodes.at[node].mark = (uint8_t)mark;
    tree->nodes.at[node].run = tree->runs;
}

enum tree_mark tree_mark_of(const struct explorer *explorer, enum ending ending, bool failed)
{
    if (failed || ending == ENDING_DEADLOCK)
        return TREE_BUG;
    if (ending == ENDING_ASLEEP)
        return TREE_ASLEEP;
    if (ending == ENDING_KNOWN)
        return TREE_KNOWN;
    if (ending == ENDING_CUT)
        return TREE_CUT;
    return explorer->execution.failed_assumes.count ? TREE_ASSUME : TREE_DONE;
}
