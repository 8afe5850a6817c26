// A key that a constructor makes is there in each execution, also after one that has deleted it.
#include "conform.h"

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void destroy(void *value)
{
    pthread_mutex_lock(&mutex);
    ++*(int *)value;
    pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void make(void)
{
    pthread_key_create(&key, destroy);
}

static void *sets(void *counter)
{
    pthread_setspecific(key, counter);
    return NULL;
}

static void program(void)
{
    pthread_t a, b;
    int counter = 0;

    pthread_create(&a, NULL, sets, &counter);
    pthread_create(&b, NULL, sets, &counter);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    NUM(counter);
    CODE(pthread_key_delete(key));
    CODE(pthread_key_delete(key));
}
