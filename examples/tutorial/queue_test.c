/* Two threads put numbers into a queue, two take them out; none may be lost. */
#include <assert.h>
#include <stdint.h>

#include "queue.h"

static struct queue queue;

static void *put_one(void *item)
{
    queue_put(&queue, (int)(intptr_t)item);
    return NULL;
}

static void *take_one(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)queue_take(&queue);
}

int main(void)
{
    pthread_t putters[2], takers[2];
    void *taken[2];

    queue_init(&queue);
    for (intptr_t i = 0; i < 2; i++) {
        pthread_create(&takers[i], NULL, take_one, NULL);
        pthread_create(&putters[i], NULL, put_one, (void *)(i + 1));
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(putters[i], NULL);
        pthread_join(takers[i], &taken[i]);
    }
    assert((intptr_t)taken[0] + (intptr_t)taken[1] == 3);
    return 0;
}
