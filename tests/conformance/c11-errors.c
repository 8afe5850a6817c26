// What C11 functions say when they are called wrongly.
#include "conform.h"
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static tss_t key;

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
    struct timespec wrong = {.tv_nsec = 1000000000}, soon = from_now(CLOCK_REALTIME, 20), after;

    THRD(mtx_timedlock(&mutex, &wrong));
    THRD(mtx_timedlock(&mutex, &soon));
    timespec_get(&after, TIME_UTC);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    return 0;
}

static void program(void)
{
    struct timespec wrong = {.tv_nsec = 1000000000}, soon, after;
    thrd_t thread;

    THRD(mtx_init(&mutex, mtx_timed));
    THRD(mtx_lock(&mutex));
    thrd_create(&thread, tries, NULL);
    thrd_join(thread, NULL);
    THRD(cnd_init(&cond));
    THRD(cnd_timedwait(&cond, &mutex, &wrong));
    soon = from_now(CLOCK_REALTIME, 20);
    THRD(cnd_timedwait(&cond, &mutex, &soon));
    timespec_get(&after, TIME_UTC);
    NUM(nanoseconds(&after) >= nanoseconds(&soon));
    THRD(mtx_unlock(&mutex));
    THRD(tss_create(&key, NULL));
    tss_delete(key);
    THRD(tss_set(key, NULL));
    NUM(tss_get(key) == NULL);
}
