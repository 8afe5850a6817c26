/* A stack without locks, of nodes in an array. ABA: a node that was popped and pushed again in between is taken for the same top. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    int taken;
};

static struct node nodes[3];
static _Atomic(struct node *) top;
static atomic_int holders[3];

static struct node *pop(void)
{
    struct node *first = atomic_load(&top), *next;

    while (first) {
        next = atomic_load(&first->next);
        if (atomic_compare_exchange_strong(&top, &first, next))
            return first;
    }
    return NULL;
}

static void push(struct node *node)
{
    struct node *first = atomic_load(&top);

    do
        atomic_store(&node->next, first);
    while (!atomic_compare_exchange_strong(&top, &first, node));
}

static void hold(struct node *node)
{
    if (node)
        assert(atomic_fetch_add(&holders[node - nodes], 1) == 0);
}

static void *one(void *_)
{
    hold(pop());
    hold(pop());
    return _;
}

static void *other(void *_)
{
    struct node *a = pop();
#ifdef ABA
    struct node *b = pop();

    hold(b);
    if (a)
        push(a);
#else
    hold(a);
#endif
    return _;
}

int main(void)
{
    pthread_t t[2];

    push(&nodes[2]);
    push(&nodes[1]);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
