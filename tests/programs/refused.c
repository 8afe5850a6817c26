// What fails only because raddle does not model it: a bug that comes after it may be none, and is a note.
// EXPECT(sc -DFORK): incomplete says=before that, fork failed, which raddle does not model
// EXPECT(sc -DSYSTEM): incomplete says=before that, system failed, which raddle does not model
// EXPECT(sc -DTHREADS): incomplete says=note: assertion
// EXPECT(sc -DSTACK): incomplete says=note: assertion
// EXPECT(sc -DCALL): incomplete says=before that, the system call clone failed
// EXPECT(sc -DFORK -DRACE): data-race
// EXPECT(sc -DHANDLED): incomplete says=not modelled: fork
#define _GNU_SOURCE
#include "common.h"
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

static int raced;

static void *nothing(void *_)
{
    raced = 1;
    return NULL;
}

static void many(void)
{
    for (int i = 0; i < 1600; i++) {
        pthread_t thread;

        assert(pthread_create(&thread, NULL, nothing, NULL) == 0);
        pthread_join(thread, NULL);
    }
}

static void large(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
    assert(pthread_create(&thread, &attributes, nothing, NULL) == 0);
}

int main(void)
{
#ifdef RACE
    run(2, nothing);
#endif
#ifdef THREADS
    many();
#elif defined STACK
    large();
#elif defined CALL
    assert(syscall(SYS_clone, 17, 0, 0, 0, 0) >= 0);
#elif defined SYSTEM
    sem_t done;

    sem_init(&done, 0, 0);
    if (system("true") == 0)
        sem_post(&done);
    sem_wait(&done);
#else
    pid_t child = fork();

#ifdef HANDLED
    if (child < 0)
        return 1;
#endif
    assert(child >= 0);
#endif
    return 0;
}
