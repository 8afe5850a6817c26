#include "queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char *path;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* an entry was added, or all is done */
    struct entry *first, *last;
    unsigned busy; /* threads that look at a path and may still add some */
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int queue_put(const char *path)
{
    struct entry *entry = calloc(1, sizeof *entry);

    if (!entry || !(entry->path = strdup(path))) {
        free(entry);
        return -1;
    }
    pthread_mutex_lock(&queue.lock);
    if (queue.last)
        queue.last->next = entry;
    else
        queue.first = entry;
    queue.last = entry;
    pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return 0;
}

char *queue_take(void)
{
    struct entry *entry;
    char *path = NULL;

    pthread_mutex_lock(&queue.lock);
    while (!queue.first && queue.busy > 0)
        pthread_cond_wait(&queue.changed, &queue.lock);
    entry = queue.first;
    if (entry) {
        queue.first = entry->next;
        if (!queue.first)
            queue.last = NULL;
        queue.busy++;
    }
    pthread_mutex_unlock(&queue.lock);
    if (entry)
        path = entry->path;
    free(entry);
    return path;
}

void queue_done(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.busy--;
    if (queue.busy == 0)
        pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}
