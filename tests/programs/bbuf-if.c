// "if" where a "while" belongs: the consumer that was woken finds that another one was faster.
// EXPECT: assertion at=empty
// EXPECT(sc -DAGAIN=while): safe
#include "common.h"

#ifndef AGAIN
#define AGAIN if
#endif

static int items;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

static void *producer(void *_)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        items++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *consumer(void *_)
{
    pthread_mutex_lock(&m);
    AGAIN (items == 0)
        pthread_cond_wait(&not_empty, &m);
    assert(items > 0); /* empty */
    items--;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *thread(void *id)
{
    return id ? consumer(id) : producer(id);
}

int main(void)
{
    run(3, thread);
    return 0;
}
