// What constructors set for the main thread is set when main begins, in every run.
// EXPECT(all): safe
// EXPECT(sc -DNAMED): safe executions=2
// EXPECT(sc -DHANDLED): safe executions=2
// EXPECT(sc -DTIMED): safe executions=2
// EXPECT(sc -DUNCANCELLABLE): safe executions=2
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "common.h"

static pthread_key_t key, other_key;
static tss_t third_key;
static pthread_t self;
static atomic_int x, destroyed;
static int value;
static char *text;

static void destroy(void *_)
{
    assert(_ == &value);
    destroyed++;
}

static void handler(int number)
{
    value = number;
}

static __attribute__((constructor)) void set_up(void)
{
    assert(pthread_key_create(&key, destroy) == 0 && pthread_key_create(&other_key, NULL) == 0);
    assert(pthread_setspecific(key, &value) == 0 && pthread_getspecific(key) == &value);
    assert(tss_create(&third_key, NULL) == thrd_success);
    assert(tss_set(third_key, &key) == thrd_success);
    self = pthread_self();
    text = strdup("text");
#ifdef NAMED
    assert(pthread_setname_np(pthread_self(), "early") == 0);
#elif defined HANDLED
    signal(SIGUSR1, handler);
#elif defined TIMED
    value = (int)(time(NULL) != 0);
#elif defined UNCANCELLABLE
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
#endif
}

static void *other(void *_)
{
    assert(!pthread_getspecific(key) && !pthread_getspecific(other_key) && !tss_get(third_key));
    assert(!pthread_equal(pthread_self(), self));
    assert(text[0] == 't');
    pthread_setspecific(key, &value);
    store(x, 1);
    return _;
}

static void check_rest(void)
{
    char name[16];
    int state;

#ifdef NAMED
    pthread_getname_np(pthread_self(), name, sizeof name);
    assert(strcmp(name, "early") == 0);
#elif defined HANDLED
    raise(SIGUSR1);
    assert(value == SIGUSR1);
#elif defined TIMED
    assert(value == 1);
#elif defined UNCANCELLABLE
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    assert(state == PTHREAD_CANCEL_DISABLE);
#endif
    (void)name;
    (void)state;
    (void)handler;
}

int main(void)
{
    pthread_t thread;

    assert(pthread_getspecific(key) == &value && !pthread_getspecific(other_key));
    assert(tss_get(third_key) == &key && pthread_equal(pthread_self(), self));
    check_rest();
    pthread_setspecific(other_key, &self);
    pthread_setspecific(key, NULL);
    pthread_create(&thread, NULL, other, NULL);
    if (load(x))
        assert(text[1] == 'e');
    pthread_join(thread, NULL);
    text[0] = 'n';
    assert(destroyed == 1);
    return 0;
}
