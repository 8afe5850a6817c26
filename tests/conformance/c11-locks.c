// C11 mutexes, conditions and values of threads.
#include "conform.h"
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static tss_t key;
static int turn;

static const char *thrd_name(int code)
{
    return code == thrd_success    ? "thrd_success"
           : code == thrd_busy     ? "thrd_busy"
           : code == thrd_error    ? "thrd_error"
           : code == thrd_nomem    ? "thrd_nomem"
           : code == thrd_timedout ? "thrd_timedout"
                                   : "?";
}

#define THRD(call) conform_thrd(#call, call)

static int conform_thrd(const char *call, int code)
{
    say("%s: %s", call, thrd_name(code));
    return code;
}

static int tries(void *argument)
{
    struct timespec past = {.tv_sec = 1};

    if (THRD(mtx_trylock(&mutex)) == thrd_success)
        THRD(mtx_unlock(&mutex));
    if (THRD(mtx_timedlock(&mutex, &past)) == thrd_success)
        THRD(mtx_unlock(&mutex));
    return 0;
}

static int signals(void *argument)
{
    mtx_lock(&mutex);
    turn = 1;
    THRD(cnd_signal(&cond));
    THRD(cnd_broadcast(&cond));
    mtx_unlock(&mutex);
    return 0;
}

static void destroy(void *value)
{
    say("destructor of %ld", (long)value);
}

static int sets(void *argument)
{
    THRD(tss_set(key, argument));
    NUM((long)tss_get(key));
    return 0;
}

static void in_c11_thread(thrd_start_t routine, void *argument)
{
    thrd_t thread;

    thrd_create(&thread, routine, argument);
    thrd_join(thread, NULL);
}

static void program(void)
{
    struct timespec past = {.tv_sec = 1};
    thrd_t thread;

    THRD(mtx_init(&mutex, mtx_timed));
    in_c11_thread(tries, NULL);
    THRD(mtx_lock(&mutex));
    in_c11_thread(tries, NULL);
    THRD(mtx_trylock(&mutex));
    THRD(cnd_init(&cond));
    THRD(cnd_timedwait(&cond, &mutex, &past));
    thrd_create(&thread, signals, NULL);
    while (!turn)
        THRD(cnd_wait(&cond, &mutex));
    THRD(mtx_unlock(&mutex));
    thrd_join(thread, NULL);
    cnd_destroy(&cond);
    mtx_destroy(&mutex);
    THRD(mtx_init(&mutex, mtx_plain | mtx_recursive));
    THRD(mtx_lock(&mutex));
    THRD(mtx_trylock(&mutex));
    in_c11_thread(tries, NULL);
    THRD(mtx_unlock(&mutex));
    THRD(mtx_unlock(&mutex));
    in_c11_thread(tries, NULL);
    mtx_destroy(&mutex);
    THRD(tss_create(&key, destroy));
    in_c11_thread(sets, (void *)3);
    NUM((long)tss_get(key));
    tss_delete(key);
}
