// Thread-specific values and their destructors, which run when the thread ends, by return or by pthread_exit.
// EXPECT(all): safe
#include "common.h"

static pthread_key_t key, plain;
static atomic_int destroyed;

static void destructor(void *value)
{
    atomic_fetch_add(&destroyed, *(int *)value);
    free(value);
}

static void *thread(void *id)
{
    int *value = malloc(sizeof *value);

    assert(pthread_getspecific(key) == NULL);
    *value = (int)(intptr_t)id + 1;
    assert(pthread_setspecific(key, value) == 0);
    assert(pthread_setspecific(plain, &destroyed) == 0);
    assert(pthread_getspecific(key) == value);
    if (id)
        pthread_exit(NULL);
    return NULL;
}

int main(void)
{
    assert(pthread_key_create(&key, destructor) == 0);
    assert(pthread_key_create(&plain, NULL) == 0);
    run(2, thread);
    assert(destroyed == 3);
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
