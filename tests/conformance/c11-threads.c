// C11 threads and once.
#include "conform.h"
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static mtx_t mutex;
static thrd_t told;

static const char *thrd_name(int code)
{
    return code == thrd_success    ? "thrd_success"
           : code == thrd_busy     ? "thrd_busy"
           : code == thrd_error    ? "thrd_error"
           : code == thrd_nomem    ? "thrd_nomem"
           : code == thrd_timedout ? "thrd_timedout"
                                   : "?";
}

#define THRD(call) say("%s: %s", #call, thrd_name(call))

static int returns(void *argument)
{
    told = thrd_current();
    return (int)(long)argument;
}

static int exits(void *argument)
{
    thrd_exit((int)(long)argument);
}

static int yields(void *argument)
{
    thrd_yield();
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    return 0;
}

static void routine(void)
{
    say("once");
}

static void program(void)
{
    thrd_t a;
    int result = 0;

    THRD(thrd_create(&a, returns, (void *)-5L));
    THRD(thrd_join(a, &result));
    NUM(result);
    NUM(thrd_equal(a, told) != 0);
    NUM(thrd_equal(thrd_current(), told) != 0);
    THRD(thrd_create(&a, exits, (void *)77));
    THRD(thrd_join(a, &result));
    NUM(result);
    THRD(thrd_join(thrd_current(), NULL));
    THRD(mtx_init(&mutex, mtx_plain));
    THRD(mtx_lock(&mutex));
    THRD(thrd_create(&a, yields, NULL));
    THRD(thrd_detach(a));
    THRD(mtx_unlock(&mutex));
    thrd_yield();
    call_once(&flag, routine);
    call_once(&flag, routine);
}
