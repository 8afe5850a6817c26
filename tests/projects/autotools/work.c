#include "work.h"

#include <assert.h>
#include <stddef.h>

#include "lib/queue.h"
#include "plugin/total.h"

static struct queue queue;
static int is_racy;

static void *worker(void *unused)
{
    int item = queue_take(&queue);

    (void)unused;
    if (is_racy)
        total_add_racy(item);
    else
        total_add(item);
    return NULL;
}

int work_run(int n, int racy)
{
    pthread_t threads[8];

    is_racy = racy;
    queue_open(&queue);
    for (int i = 0; i < n; i++)
        assert(pthread_create(&threads[i], NULL, worker, NULL) == 0);
    for (int i = 1; i <= n; i++)
        queue_put(&queue, i);
    for (int i = 0; i < n; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    queue_close(&queue);
    return total_get();
}
