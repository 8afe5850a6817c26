#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

#define QUEUE_CAPACITY 1

/* A queue of numbers for several threads: a ring of QUEUE_CAPACITY places. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int items[QUEUE_CAPACITY];
    unsigned first, count;
};

void queue_init(struct queue *queue);

/* Waits while the queue is full. */
void queue_put(struct queue *queue, int item);

/* Waits while the queue is empty. */
int queue_take(struct queue *queue);

#endif
