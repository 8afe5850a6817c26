// EXPECT(all -DWAIT=load): safe executions=1
// EXPECT(all -DWAIT=load -O2): safe executions=1
// EXPECT(all -DWAIT=load -DLOCAL): safe executions=1
// EXPECT(sc -DWAIT=looked): safe
// EXPECT(sc -DWAIT=swap): safe executions=1
// EXPECT(sc -DWAIT=cas): safe executions=1
// EXPECT(sc -DWAIT=load -DNOBODY): spin
// EXPECT(sc -DWAIT=load -DCOUNTS): safe executions=1
/* A thread waits for what lies on its own stack, or is its own by thread, before another thread has come there. */
#include "common.h"

struct node {
    atomic_int held;
};

static struct node *_Atomic known;
static _Thread_local struct node of_thread;

static void wait_load(struct node *node)
{
    while (atomic_load(&node->held))
        ;
}

static void wait_looked(struct node *node)
{
    while (*(volatile int *)&node->held)
        ;
    wait_load(node);
}

static void wait_swap(struct node *node)
{
    while (atomic_exchange(&node->held, 1))
        ;
}

static void wait_cas(struct node *node)
{
    int free;

    do
        free = 0;
    while (!atomic_compare_exchange_strong(&node->held, &free, 1));
}

#define PASTE(a, b) a##b
#define CALL(how)   PASTE(wait_, how)

static void *waiter(void *unused)
{
    struct node on_stack;
#ifdef LOCAL
    struct node *node = &of_thread;
#else
    struct node *node = &on_stack;
#endif

    (void)on_stack;
    atomic_store(&node->held, 1);
    atomic_store(&known, node);
    CALL(WAIT)(node);
    return unused;
}

static void *giver(void *unused)
{
    struct node *node;

#ifdef COUNTS /* nobody waits for that, so these are no steps */
    struct node mine = {0};

    for (int i = 0; i < 300000; i++)
        atomic_fetch_add(&mine.held, 1);
    assert(atomic_load(&mine.held) == 300000);
#endif
    while (!(node = atomic_load(&known)))
        ;
#ifndef NOBODY
    atomic_store(&node->held, 0);
#endif
    return unused;
}

int main(void)
{
    run2(waiter, giver);
    return 0;
}
