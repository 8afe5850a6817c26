/* N threads push to a Treiber stack and pop from it, once each. Nodes are not used again. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

struct node {
    struct node *_Atomic next;
    int value;
};

static struct node nodes[N];
static struct node *_Atomic top;
static int taken[N];

static void push(struct node *node)
{
    struct node *old;

    do {
        old = atomic_load(&top);
        atomic_store(&node->next, old);
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);

    while (!atomic_compare_exchange_strong(&top, &old, atomic_load(&old->next)))
        ;
    return old;
}

static void *worker(void *arg)
{
    struct node *mine = arg;

    mine->value = (int)(mine - nodes);
    push(mine);
    taken[pop()->value]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int status = 0;

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        status |= taken[i] != 1;
    return status;
}
