#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

#define QUEUE_SIZE 2

/* A bounded queue of numbers. */
struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
    int items[QUEUE_SIZE];
    unsigned first, count;
};

void queue_open(struct queue *queue);
void queue_close(struct queue *queue);
void queue_put(struct queue *queue, int item);
int queue_take(struct queue *queue);

#endif
