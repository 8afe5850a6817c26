// C11 threads: mutexes of each kind, conditions, once, thread-specific storage, results.
// EXPECT(all): safe
// EXPECT(sc -O2): safe
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t mutex, recursive;
static cnd_t cond;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, calls, destroyed;

static void count_call(void)
{
    calls++;
}

static void destructor(void *value)
{
    mtx_lock(&mutex);
    destroyed += *(int *)value;
    mtx_unlock(&mutex);
    free(value);
}

static int producer(void *argument)
{
    int *value = malloc(sizeof *value);

    *value = 5;
    assert(tss_set(key, value) == thrd_success && tss_get(key) == value);
    call_once(&once, count_call);
    assert(mtx_lock(&mutex) == thrd_success);
    ready = *(int *)argument;
    assert(cnd_signal(&cond) == thrd_success);
    assert(mtx_unlock(&mutex) == thrd_success);
    return -3;
}

static int consumer(void *argument)
{
    (void)argument;
    assert(tss_get(key) == NULL);
    call_once(&once, count_call);
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&cond, &mutex);
    mtx_unlock(&mutex);
    thrd_exit(ready);
}

int main(void)
{
    thrd_t a, b;
    int argument = 7, result;

    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    assert(cnd_init(&cond) == thrd_success);
    assert(tss_create(&key, destructor) == thrd_success);
    assert(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
    assert(thrd_create(&a, producer, &argument) == thrd_success);
    assert(thrd_create(&b, consumer, NULL) == thrd_success);
    assert(!thrd_equal(a, b) && !thrd_equal(a, thrd_current()));
    assert(thrd_join(a, &result) == thrd_success && result == -3);
    assert(thrd_join(b, &result) == thrd_success && result == 7);
    assert(calls == 1 && destroyed == 5);
    assert(mtx_trylock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_busy);
    mtx_unlock(&mutex);
    mtx_destroy(&mutex);
    cnd_destroy(&cond);
    tss_delete(key);
    return 0;
}
