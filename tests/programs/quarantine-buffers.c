// A store to a block may still be in the buffer of its thread when that frees the block. It must not come to memory when another block is there.
// EXPECT(sc -DAGAIN=1): safe executions=2
// EXPECT(tso -DAGAIN=0): safe executions=2
// EXPECT(pso -DAGAIN=0): safe executions=2
// EXPECT(all -DFENCED -DAGAIN=1): safe executions=2
#include "common.h"

enum { SIZE = 100000, ROUNDS = 400 };

struct box {
    atomic_int value;
    char rest[SIZE];
};

static _Atomic(struct box *) shared;

static void *worker(void *_)
{
    struct box *old = NULL, *box = NULL;

    for (int i = 0; i < ROUNDS; i++)
        free(malloc(2 * SIZE)); /* of another size: the time has come, but not for these */
    for (int i = 0; i < 20; i++)
        free(malloc(sizeof *old));
    old = malloc(sizeof *old);
    store(old->value, 7);
    free(old);
    for (int i = 0; i < 40 && box != old; i++) {
        free(box);
        box = calloc(1, sizeof *box);
        assert(load(box->value) == 0);
    }
    assert((box == old) == AGAIN);
    atomic_store_explicit(&shared, box, memory_order_release);
    return NULL;
}

static void *reader(void *_)
{
    struct box *box = atomic_load_explicit(&shared, memory_order_acquire);

    assert(!box || load(box->value) == 0);
    return NULL;
}

int main(void)
{
    run2(worker, reader);
    return 0;
}
