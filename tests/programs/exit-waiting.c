// main returns, or calls exit, while another thread waits for ever: no deadlock. pthread_exit from main is no end.
// EXPECT: safe
// EXPECT(sc -DEXIT): safe
// EXPECT(sc -DUNDERSCORE): safe
// EXPECT(sc -DTHREAD_ONLY): deadlock
// EXPECT(sc -DJOIN): deadlock
#include "common.h"
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waits(void *_)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, waits, NULL);
#ifdef EXIT
    exit(0);
#elif defined UNDERSCORE
    _exit(0);
#elif defined THREAD_ONLY
    pthread_exit(NULL);
#elif defined JOIN
    pthread_join(thread, NULL);
#endif
    return 0;
}
