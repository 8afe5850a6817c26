// Values of each thread, and their destructors.
#include "conform.h"
#include <limits.h>

static pthread_key_t key, again, unset;

static void destroy(void *value)
{
    say("destructor of %ld, now %ld", (long)value, (long)pthread_getspecific(key));
}

static void set_again(void *value)
{
    say("again %ld", (long)value);
    if ((long)value > 1)
        pthread_setspecific(again, (char *)value - 1);
}

static void *thread(void *argument)
{
    NUM((long)pthread_getspecific(key));
    CODE(pthread_setspecific(key, (void *)7));
    NUM((long)pthread_getspecific(key));
    return argument;
}

static void *sets_again(void *argument)
{
    CODE(pthread_setspecific(again, (void *)9)); /* PTHREAD_DESTRUCTOR_ITERATIONS end it */
    CODE(pthread_setspecific(unset, NULL));
    pthread_exit(argument);
}

static void *deleted(void *argument)
{
    CODE(pthread_setspecific(key, (void *)8));
    CODE(pthread_key_delete(key));
    return argument; /* no destructor */
}

static void program(void)
{
    pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
    int made = 0, code;

    CODE(pthread_key_create(&key, destroy));
    CODE(pthread_key_create(&again, set_again));
    CODE(pthread_key_create(&unset, destroy));
    NUM((long)pthread_getspecific(key));
    CODE(pthread_setspecific(key, (void *)5));
    in_thread(thread, NULL);
    NUM((long)pthread_getspecific(key));
    in_thread(sets_again, NULL);
    in_thread(deleted, NULL);
    CODE(pthread_key_delete(key));
    CODE(pthread_setspecific(key, NULL));
    CODE(pthread_key_delete(5000));
    CODE(pthread_setspecific(5000, NULL));
    NUM((long)pthread_getspecific(5000));
    while ((code = pthread_key_create(&keys[made], NULL)) == 0 && made < PTHREAD_KEYS_MAX)
        made++;
    NUM(made);
    NUM(code == EAGAIN);
    while (made > 0)
        pthread_key_delete(keys[--made]);
    CODE(pthread_key_create(&key, NULL));
    NUM((long)pthread_getspecific(key)); /* nothing of an earlier key */
}
