// C11 lets who holds a mutex destroy it, if nobody waits for it; POSIX does not.
// EXPECT: safe
// EXPECT(sc -DWAITED_FOR): misuse says=destroyed
// EXPECT(sc -DPOSIX): misuse says=destroyed while a thread holds it
#include "common.h"
#include <threads.h>

static mtx_t mutex;

static int waits(void *argument)
{
    (void)argument;
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t thread;

    assert(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
    assert(mtx_lock(&mutex) == thrd_success && mtx_lock(&mutex) == thrd_success);
#ifdef WAITED_FOR
    thrd_create(&thread, waits, NULL);
#endif
#ifdef POSIX
    pthread_mutex_destroy((pthread_mutex_t *)&mutex);
#else
    mtx_destroy(&mutex);
#endif
#ifdef WAITED_FOR
    thrd_join(thread, NULL);
#endif
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    thrd_create(&thread, waits, NULL);
    thrd_join(thread, NULL);
    mtx_destroy(&mutex);
    return 0;
}
