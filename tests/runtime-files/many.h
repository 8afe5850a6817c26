/* Threads that take one lock in any order: n! executions, each of which does what the test does before or after. */

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t many_lock = PTHREAD_MUTEX_INITIALIZER;
static int many_count;

static void *many_thread(void *argument)
{
    pthread_mutex_lock(&many_lock);
    many_count++;
    pthread_mutex_unlock(&many_lock);
    return argument;
}

static inline void many(int n)
{
    pthread_t threads[8];

    assert(many_count == 0);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, many_thread, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    assert(many_count == n);
}
