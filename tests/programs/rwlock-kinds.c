// Reader-writer locks that prefer writers: with the kind that is not recursive a reader waits behind a writer that waits, and a second lock of the same
// reader behind it for ever. The other kind that is named after writers lets readers in, as glibc does.
// EXPECT(all -DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP -DTWICE): deadlock
// EXPECT(sc -DSTATIC -DTWICE): deadlock
// EXPECT(sc -DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NP -DTWICE): safe
// EXPECT(sc -DKIND=PTHREAD_RWLOCK_PREFER_READER_NP -DTWICE): safe
// EXPECT(all -DSTATIC): safe
// EXPECT(sc -DSTATIC -DTRIES): assertion at=busy
// EXPECT(tso -DSTATIC -DTRIES): assertion at=busy
// EXPECT(sc -DKIND=PTHREAD_RWLOCK_PREFER_READER_NP -DTRIES): safe
// EXPECT(sc -DSTATIC -DMEET): deadlock
// EXPECT(sc -DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NP -DMEET): safe
// EXPECT(sc -DSTATIC -DTWICE -DTIMED): safe
// EXPECT(sc -DSTATIC -DTRIES -DTIMED): assertion at=busy
// EXPECT(sc -DSTATIC -DPOLLS): safe
// EXPECT(sc -DSTATIC -DWRITERS): safe
#define _GNU_SOURCE
#include "common.h"
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_barrier_t both;
static int written;

static __attribute__((unused)) void *nothing(void *_)
{
    return NULL;
}

static void *writer(void *_)
{
#ifdef TIMED
    struct timespec until = {.tv_sec = time(NULL) + 1};

    if (pthread_rwlock_timedwrlock(&lock, &until))
        return NULL;
#else
    assert(pthread_rwlock_wrlock(&lock) == 0);
#endif
    written++;
    assert(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

static void *reader(void *_)
{
#ifdef POLLS
    while (pthread_rwlock_tryrdlock(&lock))
        ;
#else
    assert(pthread_rwlock_rdlock(&lock) == 0);
#endif
#if defined TWICE
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
#elif defined TRIES
    assert(pthread_rwlock_tryrdlock(&lock) == 0); /* busy */
    assert(pthread_rwlock_unlock(&lock) == 0);
#elif defined MEET
    pthread_barrier_wait(&both);
#endif
    assert(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    pthread_barrier_init(&both, NULL, 2);
#ifndef STATIC
    pthread_rwlockattr_t attributes;

    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, KIND);
    pthread_rwlock_init(&lock, &attributes);
#endif
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
#if defined WRITERS
    pthread_create(&threads[2], NULL, writer, NULL);
#elif defined MEET
    pthread_create(&threads[2], NULL, reader, NULL);
#else
    pthread_create(&threads[2], NULL, nothing, NULL);
#endif
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
