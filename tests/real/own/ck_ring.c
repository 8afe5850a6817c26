/* Two producers and a consumer on a ring of Concurrency Kit: nothing is lost, doubled or made up. */
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <stdint.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int values[3] = {0, 1, 2};
static int seen[3];

static void *produce(void *value)
{
    assert(ck_ring_enqueue_mpsc(&ring, buffer, value));
    return NULL;
}

int main(void)
{
    pthread_t producers[2];
    unsigned got = 0;
    void *value;

    ck_ring_init(&ring, 4);
    for (int i = 0; i < 2; i++)
        pthread_create(&producers[i], NULL, produce, &values[i + 1]);
    if (ck_ring_dequeue_mpsc(&ring, buffer, &value)) { /* while they still produce */
        seen[*(int *)value]++;
        got++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(producers[i], NULL);
    while (ck_ring_dequeue_mpsc(&ring, buffer, &value)) {
        seen[*(int *)value]++;
        got++;
    }
    assert(got == 2 && seen[1] == 1 && seen[2] == 1);
    return 0;
}
