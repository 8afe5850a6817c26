// Publishing a new object by a pointer.
// EXPECT(all): safe
// EXPECT(all -DPLAIN): data-race
// EXPECT(all -DRELAXED): data-race
// EXPECT(all -DLATE): data-race
#include "races.h"

struct node {
    int value;
    struct node *next;
};

#ifdef PLAIN
static struct node *head;
#define SHOW(new) (head = (new))
#define SEE       head
#elif defined RELAXED
static struct node *_Atomic head;
#define SHOW(new) store(head, new, relaxed)
#define SEE       load(head, relaxed)
#else
static struct node *_Atomic head;
#define SHOW(new) store(head, new, release)
#define SEE       load(head, acquire)
#endif

static void *first(void *_)
{
    struct node *new = malloc(sizeof *new);

    new->value = 1;
    new->next = NULL;
    SHOW(new);
#ifdef LATE
    new->value = 2;
#endif
    return _;
}

static void *second(void *_)
{
    struct node *found = SEE;

    if (found)
        assert(found->value == 1);
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
