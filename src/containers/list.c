#include "containers/containers.h"

void list_hook(struct list_node *node, struct list_node *position)
{
    struct list_node *before = position->previous;

    node->next = position;
    node->previous = before;
    before->next = node;
    position->previous = node;
}

void list_unhook(struct list_node *node)
{
    struct list_node *next = node->next, *before = node->previous;

    before->next = next;
    next->previous = before;
}

void list_transfer(struct list_node *position, struct list_node *first, struct list_node *last)
{
    struct list_node *end, *from, *to;

    if (position == last)
        return;
    end = last->previous;
    from = first->previous;
    to = position->previous;
    from->next = last;
    last->previous = from;
    to->next = first;
    first->previous = to;
    end->next = position;
    position->previous = end;
}

void list_reverse(struct list_node *end)
{
    struct list_node *node = end;

    do {
        struct list_node *next = node->next;

        node->next = node->previous;
        node->previous = next;
        node = next;
    } while (node != end);
}

/* Nodes that pointed to the old end point to the new one. */
static void ring_adopt(struct list_node *end, struct list_node *first, struct list_node *last)
{
    end->next = first;
    end->previous = last;
    first->previous = end;
    last->next = end;
}

void list_swap(struct list_node *a, struct list_node *b)
{
    struct list_node *first_a = a->next, *last_a = a->previous;
    struct list_node *first_b = b->next, *last_b = b->previous;

    if (first_b == b)
        ring_adopt(a, a, a);
    else
        ring_adopt(a, first_b, last_b);
    if (first_a == a)
        ring_adopt(b, b, b);
    else
        ring_adopt(b, first_a, last_a);
}
