/* Two threads push to and pop from a lock-free stack of Concurrency Kit: each popped once, nothing is lost. */
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

struct item {
    ck_stack_entry_t link;
    int popped;
};

static ck_stack_t stack = CK_STACK_INITIALIZER;
static struct item items[2];

static void *push_and_pop(void *arg)
{
    struct item *item = arg;
    ck_stack_entry_t *entry;

    ck_stack_push_upmc(&stack, &item->link);
    entry = ck_stack_pop_upmc(&stack);
    assert(entry); /* its own is there, or the other one instead of it */
    ((struct item *)entry)->popped++;
    return NULL;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, push_and_pop, &items[1]);
    push_and_pop(&items[0]);
    pthread_join(other, NULL);
    assert(items[0].popped == 1 && items[1].popped == 1 && CK_STACK_ISEMPTY(&stack));
    return 0;
}
