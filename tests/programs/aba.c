// Pops from a lock-free stack that reuse a node: the compare-exchange succeeds although the world has changed.
// EXPECT: assertion at=aba
#include "common.h"

static atomic_int next[3] = {1, 2, -1}; /* node i is followed by next[i] */
static atomic_int head = 0;
static atomic_int owned[3];

static int pop(void)
{
    int top = load(head);

    if (top < 0)
        return -1;
    if (!atomic_compare_exchange_strong(&head, &top, load(next[top])))
        return -1;
    return top;
}

static void push(int node)
{
    int top = load(head);

    store(next[node], top);
    while (!atomic_compare_exchange_strong(&head, &top, node))
        store(next[node], top);
}

static void *slow(void *_)
{
    int node = pop();

    if (node >= 0)
        assert(atomic_fetch_add(&owned[node], 1) == 0);
    node = load(head);
    assert(node < 0 || load(owned[node]) == 0); /* aba */
    return NULL;
}

static void *fast(void *_)
{
    int a = pop(), b = pop();

    if (b >= 0)
        atomic_fetch_add(&owned[b], 1);
    if (a >= 0)
        push(a);
    return NULL;
}

int main(void)
{
    run2(slow, fast);
    return 0;
}
