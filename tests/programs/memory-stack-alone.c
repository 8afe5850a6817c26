// The stack of a thread that has ended, and its thread-local variables, used by the only thread that is left.
// EXPECT(all): memory at=use says=the stack of T1 \([a-z_0-9]+\), which has ended
// EXPECT(sc -DWRITES): memory at=write
// EXPECT(sc -DVARIABLE): memory at=use
// EXPECT(sc -DCOPIES): memory says=the stack of T1 \([a-z_0-9]+\)
// EXPECT(sc -DATOMIC): memory
// EXPECT(sc -DLOCK): memory
// EXPECT(sc -DBEFORE): safe
// EXPECT(sc -DHEAP): safe
#include "common.h"
#include <semaphore.h>
#include <string.h>

static _Thread_local int variable = 3;
static sem_t there, seen;

static void *address(void *p)
{
    return p;
}

static void *owner(void *_)
{
    int local = 3;
#if defined HEAP
    int *p = malloc(sizeof *p);

    *p = local;
    return p;
#elif defined VARIABLE
    return address(&variable);
#elif defined LOCK
    pthread_mutex_t *m = address(&(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER);

    return m;
#elif defined BEFORE
    int **to = _;

    *to = address(&local);
    sem_post(&there);
    sem_wait(&seen);
    return NULL;
#else
    return address(&local);
#endif
}

int main(void)
{
    pthread_t thread;
    int *p = NULL;
    void *result;

    sem_init(&there, 0, 0);
    sem_init(&seen, 0, 0);
    pthread_create(&thread, NULL, owner, &p);
#ifdef BEFORE
    sem_wait(&there);
    assert(*p == 3);
    sem_post(&seen);
#endif
    pthread_join(thread, &result);
    p = result;
#if defined WRITES
    *p = 4; /* write */
#elif defined COPIES
    int copy;

    memcpy(&copy, p, sizeof copy);
    assert(copy);
#elif defined ATOMIC
    atomic_fetch_add((_Atomic int *)p, 1);
#elif defined LOCK
    pthread_mutex_lock(result);
#elif !defined BEFORE
    assert(*p == 3); /* use */
#endif
    return 0;
}
