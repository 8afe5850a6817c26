// A stack with compare-exchange: two threads push, then each pops one; nothing is lost. With a plain store of the
// head instead, it is.
// EXPECT: safe
// EXPECT(sc -DBROKEN): assertion at=lost
#include "common.h"

struct node {
    struct node *next;
    int value;
};

static struct node nodes[2];
static _Atomic(struct node *) head;

static void *thread(void *id)
{
    struct node *node = &nodes[(intptr_t)id];

    node->value = (int)(intptr_t)id + 1;
    node->next = load(head);
#ifdef BROKEN
    store(head, node);
#else
    while (!atomic_compare_exchange_weak(&head, &node->next, node))
        ;
#endif
    return NULL;
}

int main(void)
{
    int sum = 0;

    run(2, thread);
    for (struct node *node = head; node; node = node->next)
        sum += node->value;
    assert(sum == 3); /* lost */
    return 0;
}
