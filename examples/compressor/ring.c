#include "ring.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t room;  /* the reader waits for a free slot */
    pthread_cond_t work;  /* workers wait for a filled one */
    pthread_cond_t ready; /* the writer waits for its next one */
    struct slot *slots;
    unsigned count;
    /* block number n is in slot n % count; drained <= taken <= filled <= drained + count */
    unsigned long filled, taken, drained;
    bool finished, failed;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .room = PTHREAD_COND_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .ready = PTHREAD_COND_INITIALIZER};

int ring_open(unsigned slots, size_t size)
{
    ring.slots = calloc(slots, sizeof *ring.slots);
    if (!ring.slots)
        return -1;
    ring.count = slots;
    for (unsigned i = 0; i < slots; i++) {
        ring.slots[i].in = malloc(size);
        ring.slots[i].out = malloc(size);
        if (!ring.slots[i].in || !ring.slots[i].out)
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

struct slot *ring_fill_begin(void)
{
    struct slot *slot;

    pthread_mutex_lock(&ring.lock);
    while (ring.filled - ring.drained == ring.count && !ring.failed)
        pthread_cond_wait(&ring.room, &ring.lock);
    slot = ring.failed ? NULL : &ring.slots[ring.filled % ring.count];
    pthread_mutex_unlock(&ring.lock);
    return slot;
}

void ring_fill_end(struct slot *slot)
{
    pthread_mutex_lock(&ring.lock);
    slot->is_done = false;
    ring.filled++;
    pthread_cond_signal(&ring.work);
    pthread_mutex_unlock(&ring.lock);
}

void ring_finish(void)
{
    pthread_mutex_lock(&ring.lock);
    ring.finished = true;
    pthread_cond_broadcast(&ring.work);
    pthread_cond_signal(&ring.ready);
    pthread_mutex_unlock(&ring.lock);
}

struct slot *ring_work_begin(void)
{
    struct slot *slot = NULL;

    pthread_mutex_lock(&ring.lock);
    while (ring.taken == ring.filled && !ring.finished && !ring.failed)
        pthread_cond_wait(&ring.work, &ring.lock);
    if (ring.taken < ring.filled && !ring.failed)
        slot = &ring.slots[ring.taken++ % ring.count];
    pthread_mutex_unlock(&ring.lock);
    return slot;
}

void ring_work_end(struct slot *slot)
{
    pthread_mutex_lock(&ring.lock);
    slot->is_done = true;
    pthread_cond_signal(&ring.ready);
    pthread_mutex_unlock(&ring.lock);
}

/* Whether the writer has nothing to do yet. */
static bool must_wait(void)
{
    if (ring.failed)
        return false;
    if (ring.drained == ring.filled)
        return !ring.finished;
    return !ring.slots[ring.drained % ring.count].is_done;
}

struct slot *ring_drain_begin(void)
{
    struct slot *slot = NULL;

    pthread_mutex_lock(&ring.lock);
    while (must_wait())
        pthread_cond_wait(&ring.ready, &ring.lock);
    if (ring.drained < ring.filled && !ring.failed)
        slot = &ring.slots[ring.drained % ring.count];
    pthread_mutex_unlock(&ring.lock);
    return slot;
}

void ring_drain_end(struct slot *slot)
{
    (void)slot; /* it is the oldest one, as there is only one writer */
    pthread_mutex_lock(&ring.lock);
    ring.drained++;
    pthread_cond_signal(&ring.room);
    pthread_mutex_unlock(&ring.lock);
}

void ring_fail(void)
{
    pthread_mutex_lock(&ring.lock);
    ring.failed = true;
    pthread_cond_broadcast(&ring.room);
    pthread_cond_broadcast(&ring.work);
    pthread_cond_broadcast(&ring.ready);
    pthread_mutex_unlock(&ring.lock);
}

bool ring_failed(void)
{
    bool failed;

    pthread_mutex_lock(&ring.lock);
    failed = ring.failed;
    pthread_mutex_unlock(&ring.lock);
    return failed;
}
