/* Michael and Scott's queue: N threads put in one each; the first one takes one out. Nodes are not used again. */
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

static struct node dummy, nodes[N];
static struct node *_Atomic first = &dummy, *_Atomic last = &dummy;

static void put(struct node *node)
{
    for (;;) {
        struct node *end = atomic_load(&last), *next = atomic_load(&end->next);

        if (end != atomic_load(&last))
            continue;
        if (next) {
            atomic_compare_exchange_strong(&last, &end, next);
        } else if (atomic_compare_exchange_strong(&end->next, &next, node)) {
            atomic_compare_exchange_strong(&last, &end, node);
            return;
        }
    }
}

static int take(void)
{
    for (;;) {
        struct node *begin = atomic_load(&first), *end = atomic_load(&last);
        struct node *next = atomic_load(&begin->next);

        if (begin != atomic_load(&first))
            continue;
        if (begin == end) {
            if (!next)
                return -1;
            atomic_compare_exchange_strong(&last, &end, next);
        } else {
            int value = next->value;

            if (atomic_compare_exchange_strong(&first, &begin, next))
                return value;
        }
    }
}

static void *worker(void *arg)
{
    struct node *mine = arg;

    mine->value = (int)(mine - nodes);
    put(mine);
    if (mine == nodes && take() < 0)
        return mine;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    void *failed = NULL, *result;

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &nodes[i]);
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], &result);
        failed = result ? result : failed;
    }
    return failed != NULL;
}
