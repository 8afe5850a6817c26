// Creating, joining, detaching, ending threads; what joining says about wrong handles.
#include "conform.h"
#include <semaphore.h>

static sem_t said;

static void *returns(void *argument)
{
    return (char *)argument + 1;
}

static void *exits(void *argument)
{
    pthread_exit((char *)argument + 2);
}

static void *tells_self(void *where)
{
    *(pthread_t *)where = pthread_self();
    return NULL;
}

static void *joins_main(void *argument)
{
    CODE(pthread_join(pthread_self(), NULL));
    return argument;
}

static void *detaches_itself(void *argument)
{
    CODE(pthread_detach(pthread_self()));
    sem_post(&said);
    return argument;
}

static void *creates(void *argument)
{
    return in_thread(returns, argument);
}

static void program(void)
{
    pthread_t a, b, self;
    void *result = NULL;

    CODE(pthread_create(&a, NULL, returns, (void *)10));
    CODE(pthread_create(&b, NULL, exits, (void *)20));
    NUM(pthread_equal(a, b) != 0);
    CODE(pthread_join(a, &result));
    NUM((long)result);
    CODE(pthread_join(b, &result));
    NUM((long)result);
    CODE(pthread_create(&a, NULL, tells_self, &self));
    CODE(pthread_join(a, NULL));
    NUM(pthread_equal(a, self) != 0);
    NUM(pthread_equal(pthread_self(), self) != 0);
    CODE(pthread_join(pthread_self(), NULL));
    in_thread(joins_main, NULL);
    NUM((long)in_thread(creates, (void *)30));
    CODE(pthread_create(&a, NULL, returns, NULL));
    CODE(pthread_detach(a));
    sem_init(&said, 0, 0);
    pthread_create(&a, NULL, detaches_itself, NULL);
    sem_wait(&said);
    CODE(pthread_create(&b, NULL, returns, NULL));
    CODE(pthread_join(b, NULL));
}
