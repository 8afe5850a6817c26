#include "ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Block number n is in slot n % count. Reader and writer each know which block comes next for them; workers share that number. Only
 * one worker waits for it at a time; the others wait for the lock. */
static struct {
    struct slot *slots;
    unsigned count;
    unsigned long filled;      /* the reader's */
    unsigned long drained;     /* the writer's */
    pthread_mutex_t take_lock; /* of the next: */
    unsigned long taken;
    atomic_bool failed;
} ring = {.take_lock = PTHREAD_MUTEX_INITIALIZER};

int ring_open(unsigned slots, size_t size)
{
    ring.slots = calloc(slots, sizeof *ring.slots);
    if (!ring.slots)
        return -1;
    ring.count = slots;
    for (unsigned i = 0; i < slots; i++) {
        struct slot *slot = &ring.slots[i];

        slot->in = malloc(size);
        slot->out = malloc(size);
        if (!slot->in || !slot->out || sem_init(&slot->free, 0, 1) != 0 ||
            sem_init(&slot->filled, 0, 0) != 0 || sem_init(&slot->done, 0, 0) != 0)
            return -1;
    }
    return 0;
}

void ring_close(void)
{
    for (unsigned i = 0; i < ring.count; i++) {
        free(ring.slots[i].in);
        free(ring.slots[i].out);
    }
    free(ring.slots);
}

/* ---- one slot */

static struct slot *slot_of(unsigned long block)
{
    return &ring.slots[block % ring.count];
}

/* Waits for one's turn. False if somebody failed. */
static bool turn_await(sem_t *turn)
{
    while (sem_wait(turn) != 0 && errno == EINTR)
        continue;
    if (!atomic_load(&ring.failed))
        return true;
    sem_post(turn); /* others may wait for it, too */
    return false;
}

/* ---- the reader */

struct slot *ring_fill_begin(void)
{
    struct slot *slot = slot_of(ring.filled);

    return turn_await(&slot->free) ? slot : NULL;
}

void ring_fill_end(struct slot *slot)
{
    ring.filled++;
    sem_post(&slot->filled);
}

void ring_finish(void)
{
    struct slot *slot = slot_of(ring.filled);

    if (atomic_load(&ring.failed))
        return; /* the slot may be somebody else's */
    slot->is_end = true;
    sem_post(&slot->filled);
}

/* ---- workers */

struct slot *ring_work_begin(void)
{
    struct slot *slot;

    pthread_mutex_lock(&ring.take_lock);
    slot = slot_of(ring.taken);
    if (!turn_await(&slot->filled)) {
        slot = NULL;
    } else if (!slot->is_end) {
        ring.taken++;
    } else {
        sem_post(&slot->filled); /* for the other workers, */
        sem_post(&slot->done);   /* and for the writer */
        slot = NULL;
    }
    pthread_mutex_unlock(&ring.take_lock);
    return slot;
}

void ring_work_end(struct slot *slot)
{
    sem_post(&slot->done);
}

/* ---- the writer */

struct slot *ring_drain_begin(void)
{
    struct slot *slot = slot_of(ring.drained);

    return turn_await(&slot->done) && !slot->is_end ? slot : NULL;
}

void ring_drain_end(struct slot *slot)
{
    ring.drained++;
    sem_post(&slot->free);
}

/* ---- anybody */

void ring_fail(void)
{
    atomic_store(&ring.failed, true);
    for (unsigned i = 0; i < ring.count; i++) {
        sem_post(&ring.slots[i].free);
        sem_post(&ring.slots[i].filled);
        sem_post(&ring.slots[i].done);
    }
}

bool ring_failed(void)
{
    return atomic_load(&ring.failed);
}
