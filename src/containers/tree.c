#include "containers/containers.h"

/* ---- going through it */

static struct tree_node *leftmost(struct tree_node *node)
{
    while (node->left)
        node = node->left;
    return node;
}

static struct tree_node *rightmost(struct tree_node *node)
{
    while (node->right)
        node = node->right;
    return node;
}

/* Behind the last node comes the end. If the root is the last one, the way up goes past it: the right child of the end is the root then. */
struct tree_node *tree_next(struct tree_node *node)
{
    struct tree_node *up;

    if (node->right)
        return leftmost(node->right);
    for (up = node->parent; node == up->right; up = up->parent)
        node = up;
    return node->right == up ? node : up;
}

const struct tree_node *tree_next_const(const struct tree_node *node)
{
    return tree_next((struct tree_node *)node);
}

/* The end is red, and the parent of its parent; the root is that, too, but black. */
struct tree_node *tree_previous(struct tree_node *node)
{
    struct tree_node *up;

    if (node->colour == RED && node->parent->parent == node)
        return node->right;
    if (node->left)
        return rightmost(node->left);
    for (up = node->parent; node == up->left; up = up->parent)
        node = up;
    return up;
}

const struct tree_node *tree_previous_const(const struct tree_node *node)
{
    return tree_previous((struct tree_node *)node);
}

/* ---- changing it. The end stands above the root: it points to that as its parent. */

/* Whoever is above `node` points to `other` instead. */
static void parent_adopts(const struct tree_node *node, struct tree_node *other,
                          struct tree_node *end)
{
    struct tree_node *parent = node->parent;

    if (end->parent == node)
        end->parent = other;
    else if (parent->left == node)
        parent->left = other;
    else
        parent->right = other;
}

/* The left child of `node`, or the right one. */
static struct tree_node **child(struct tree_node *node, bool left)
{
    return left ? &node->left : &node->right;
}

/* Turns `node` down to the left, or to the right: its child on the other side takes its place. */
static void rotate(struct tree_node *node, bool left, struct tree_node *end)
{
    struct tree_node *up = *child(node, !left), *between = *child(up, left);

    *child(node, !left) = between;
    if (between)
        between->parent = node;
    up->parent = node->parent;
    parent_adopts(node, up, end);
    *child(up, left) = node;
    node->parent = up;
}

static bool is_red(const struct tree_node *node)
{
    return node && node->colour == RED;
}

/* A red node has got `node`, which is red, as a child. */
static void insert_settle(struct tree_node *node, struct tree_node *end)
{
    while (node != end->parent && node->parent->colour == RED) {
        struct tree_node *parent = node->parent, *above = parent->parent;
        bool left = parent == above->left;
        struct tree_node *uncle = *child(above, !left);

        if (is_red(uncle)) {
            parent->colour = uncle->colour = BLACK;
            above->colour = RED;
            node = above;
            continue;
        }
        if (node == *child(parent, !left)) {
            rotate(parent, left, end);
            parent = node;
        }
        parent->colour = BLACK;
        above->colour = RED;
        rotate(above, !left, end);
        break;
    }
    end->parent->colour = BLACK;
}

void tree_insert(bool left, struct tree_node *node, struct tree_node *parent, struct tree_node *end)
{
    node->parent = parent;
    node->left = node->right = NULL;
    node->colour = RED;
    *child(parent, left) = node; /* of the end: it is the first one now */
    if (parent == end)
        end->parent = end->right = node;
    else if (left && parent == end->left)
        end->left = node;
    else if (!left && parent == end->right)
        end->right = node;
    insert_settle(node, end);
}

/* Below `parent`, where `node` is (or nothing), there is one black node too few. */
static void erase_settle(struct tree_node *node, struct tree_node *parent, struct tree_node *end)
{
    while (node != end->parent && !is_red(node)) {
        bool left = node == parent->left;
        struct tree_node *other = *child(parent, !left);

        if (is_red(other)) {
            other->colour = BLACK;
            parent->colour = RED;
            rotate(parent, left, end);
            other = *child(parent, !left);
        }
        if (!is_red(other->left) && !is_red(other->right)) {
            other->colour = RED;
            node = parent;
            parent = node->parent;
            continue;
        }
        if (!is_red(*child(other, !left))) {
            (*child(other, left))->colour = BLACK;
            other->colour = RED;
            rotate(other, !left, end);
            other = *child(parent, !left);
        }
        other->colour = parent->colour;
        parent->colour = BLACK;
        (*child(other, !left))->colour = BLACK;
        rotate(parent, left, end);
        return;
    }
    if (node)
        node->colour = BLACK;
}

/* `next`, the first node on the right of `node`, takes its place. Returns the parent of the node that takes the place of `next`. */
static struct tree_node *replace(struct tree_node *node, struct tree_node *next,
                                 struct tree_node *end)
{
    struct tree_node *parent = next->parent == node ? next : next->parent;

    node->left->parent = next;
    next->left = node->left;
    if (parent != next) {
        if (next->right)
            next->right->parent = parent;
        parent->left = next->right;
        next->right = node->right;
        node->right->parent = next;
    }
    parent_adopts(node, next, end);
    next->parent = node->parent;
    return parent;
}

/* `node` has one child at most: `below` takes its place. */
static void cut_out(const struct tree_node *node, struct tree_node *below, struct tree_node *end)
{
    if (below)
        below->parent = node->parent;
    parent_adopts(node, below, end);
    if (end->left == node)
        end->left = below ? leftmost(below) : node->parent;
    if (end->right == node)
        end->right = below ? rightmost(below) : node->parent;
}

struct tree_node *tree_erase(struct tree_node *node, struct tree_node *end)
{
    enum colour gone = node->colour;
    struct tree_node *below, *parent;

    if (node->left && node->right) {
        struct tree_node *next = leftmost(node->right);

        below = next->right;
        gone = next->colour;
        parent = replace(node, next, end);
        next->colour = node->colour;
    } else {
        below = node->left ? node->left : node->right;
        parent = node->parent;
        cut_out(node, below, end);
    }
    if (gone == BLACK)
        erase_settle(below, parent, end);
    return node;
}
