#include "queue.h"

void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->first = queue->count = 0;
}

void queue_put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == QUEUE_CAPACITY)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->items[(queue->first + queue->count++) % QUEUE_CAPACITY] = item;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

int queue_take(struct queue *queue)
{
    int item;

    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0)
        pthread_cond_wait(&queue->changed, &queue->lock);
    item = queue->items[queue->first];
    queue->first = (queue->first + 1) % QUEUE_CAPACITY;
    queue->count--;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return item;
}
