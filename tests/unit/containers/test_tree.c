#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "containers/containers.h"

/* A set of small numbers, as std::set has it, beside an array that says which there are. */

#define VALUES 64u

struct item {
    struct tree_node node;
    unsigned value;
};

struct set {
    struct tree_node end;
    struct item items[VALUES];
    bool has[VALUES];
};

static uint64_t state = 1;

static unsigned chance(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void set_open(struct set *set)
{
    *set = (struct set){.end = {.colour = RED}};
    set->end.left = set->end.right = &set->end;
}

static void set_add(struct set *set, unsigned value)
{
    struct tree_node *parent = &set->end, *at = set->end.parent;
    bool left = true;

    while (at) {
        parent = at;
        left = value < ((struct item *)at)->value;
        at = left ? at->left : at->right;
    }
    set->items[value].value = value;
    tree_insert(left, &set->items[value].node, parent, &set->end);
    set->has[value] = true;
}

static void set_remove(struct set *set, unsigned value)
{
    assert_ptr_equal(tree_erase(&set->items[value].node, &set->end), &set->items[value].node);
    set->has[value] = false;
}

/* How many black nodes there are on each way down. */
static unsigned blacks(const struct tree_node *node, const struct tree_node *parent)
{
    unsigned left, right;

    if (!node)
        return 1;
    assert_ptr_equal(node->parent, parent);
    if (node->colour == RED) {
        assert_false(node->left && node->left->colour == RED);
        assert_false(node->right && node->right->colour == RED);
    }
    left = blacks(node->left, node);
    right = blacks(node->right, node);
    assert_int_equal(left, right);
    return left + (node->colour == BLACK);
}

/* Balanced, in order both ways, and with all that should be there. */
static void set_check(const struct set *set)
{
    const struct tree_node *end = &set->end, *at = end->left;
    const struct tree_node *root = end->parent;

    assert_int_equal(end->colour, RED);
    assert_true(!root || root->colour == BLACK);
    blacks(root, end);
    for (unsigned i = 0; i < VALUES; i++)
        if (set->has[i]) {
            assert_ptr_equal(at, &set->items[i].node);
            at = tree_next_const(at);
        }
    assert_ptr_equal(at, end);
    for (unsigned i = VALUES; i-- > 0;)
        if (set->has[i]) {
            at = tree_previous_const(at);
            assert_ptr_equal(at, &set->items[i].node);
        }
    assert_ptr_equal(at, end->left);
}

static void random_changes(void **context)
{
    static struct set set;

    (void)context;
    for (unsigned round = 0; round < 200; round++) {
        unsigned values = 1 + chance(VALUES);

        set_open(&set);
        for (unsigned step = 0; step < 300; step++) {
            unsigned value = chance(values);

            if (set.has[value])
                set_remove(&set, value);
            else
                set_add(&set, value);
            set_check(&set);
        }
    }
}

static void to_the_last_one(void **context)
{
    static struct set set;

    (void)context;
    set_open(&set);
    for (unsigned i = 0; i < VALUES; i++)
        set_add(&set, i);
    set_check(&set);
    for (unsigned i = 0; i < VALUES; i++) {
        set_remove(&set, (i * 29) % VALUES);
        set_check(&set);
    }
    assert_null(set.end.parent);
    assert_ptr_equal(set.end.left, &set.end);
    assert_ptr_equal(set.end.right, &set.end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_changes),
                                       cmocka_unit_test(to_the_last_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
