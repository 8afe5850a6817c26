// What a thread is told about itself: its stack, whether it is detached, its processor time.
#include "conform.h"

static void *looks(void *argument)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    int state = -1;
    clockid_t clock;
    struct timespec time;

    CODE(pthread_getattr_np(pthread_self(), &attributes));
    CODE(pthread_attr_getstack(&attributes, &low, &size));
    NUM((char *)&attributes > (char *)low && (char *)&attributes < (char *)low + size);
    NUM(size >= (size_t)argument);
    CODE(pthread_attr_getdetachstate(&attributes, &state));
    NUM(state == PTHREAD_CREATE_JOINABLE);
    CODE(pthread_attr_destroy(&attributes));
    CODE(pthread_getcpuclockid(pthread_self(), &clock));
    SYS(clock_gettime(clock, &time));
    NUM(time.tv_sec < 1000);
    return NULL;
}

static void program(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    in_thread(looks, (void *)4096);
    pthread_attr_init(&attributes);
    CODE(pthread_attr_setstacksize(&attributes, 16 << 20));
    assert(pthread_create(&thread, &attributes, looks, (void *)(16 << 20)) == 0);
    CODE(pthread_join(thread, NULL));
}
