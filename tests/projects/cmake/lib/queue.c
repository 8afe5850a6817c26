#include "queue.h"

void queue_open(struct queue *queue)
{
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
    queue->first = queue->count = 0;
}

void queue_close(struct queue *queue)
{
    pthread_cond_destroy(&queue->not_full);
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->mutex);
}

void queue_put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == QUEUE_SIZE)
        pthread_cond_wait(&queue->not_full, &queue->mutex);
    queue->items[(queue->first + queue->count) % QUEUE_SIZE] = item;
    queue->count++;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->mutex);
}

int queue_take(struct queue *queue)
{
    int item;

    pthread_mutex_lock(&queue->mutex);
    while (queue->count == 0)
        pthread_cond_wait(&queue->not_empty, &queue->mutex);
    item = queue->items[queue->first];
    queue->first = (queue->first + 1) % QUEUE_SIZE;
    queue->count--;
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->mutex);
    return item;
}
