#ifndef RADDLE_CONTAINERS_CONTAINERS_H
#define RADDLE_CONTAINERS_CONTAINERS_H

/* Ground rules of the room `containers`: std::map, std::set and std::list call a few functions that are not in their headers but in libstdc++, where raddle
 * does not see what they access. These do the same. They are compiled by `raddle cc` itself, into libraddle_containers.a, and linked into each
 * program of C++ before libstdc++ is asked. They include nothing of raddle, and nothing of raddle includes them.
 *
 * The names and the layout of nodes are libstdc++'s; docs/library.md says of what else of it is known what it accesses. */

#include <stdbool.h>
#include <stddef.h>

/* ---- tree.c: std::_Rb_tree_node_base, a node of a red-black tree. That of the tree itself is `end`, red: its parent is the root (NULL: none), its children are the
 * first node and the last one. */

enum colour { RED, BLACK };

struct tree_node {
    enum colour colour;
    struct tree_node *parent, *left, *right;
};

struct tree_node *
tree_next(struct tree_node *node) __asm__("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
const struct tree_node *tree_next_const(const struct tree_node *node) __asm__(
    "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base");
struct tree_node *
tree_previous(struct tree_node *node) __asm__("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
const struct tree_node *tree_previous_const(const struct tree_node *node) __asm__(
    "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base");

/* `node` becomes a child of `parent`, which has none on that side. */
void tree_insert(
    bool left, struct tree_node *node, struct tree_node *parent,
    struct tree_node
        *end) __asm__("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");

/* Takes `node` out, and returns it. */
struct tree_node *tree_erase(struct tree_node *node, struct tree_node *end) __asm__(
    "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");

/* ---- list.c: std::__detail::_List_node_base, a node of a ring; that of the list itself stands for its end */

struct list_node {
    struct list_node *next, *previous;
};

/* Puts `node` before `position`; takes it out. */
void list_hook(struct list_node *node,
               struct list_node *position) __asm__("_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
void list_unhook(struct list_node *node) __asm__("_ZNSt8__detail15_List_node_base9_M_unhookEv");

/* Moves those from `first` on, before `last`, to where they are before `position`. */
void list_transfer(
    struct list_node *position, struct list_node *first,
    struct list_node *last) __asm__("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
void list_reverse(struct list_node *end) __asm__("_ZNSt8__detail15_List_node_base10_M_reverseEv");

/* Each list gets the nodes of the other one. */
void list_swap(struct list_node *a,
               struct list_node *b) __asm__("_ZNSt8__detail15_List_node_base4swapERS0_S1_");

#endif
