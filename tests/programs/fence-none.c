// Store buffering with a call between the store and the load. What glibc does by plain loads and stores on x86 leaves the store where it is.
// EXPECT(sc -DSEM_VALUE): safe
// EXPECT(tso -DSEM_VALUE): assertion
// EXPECT(pso -DSEM_VALUE): assertion
// EXPECT(tso -DSEM_TRYWAIT): assertion
// EXPECT(tso -DSPIN_UNLOCK): assertion
// EXPECT(pso -DSPIN_UNLOCK): assertion
// EXPECT(tso -DSIGNAL): assertion
// EXPECT(pso -DBROADCAST): assertion
// EXPECT(tso -DONCE): assertion
// EXPECT(tso -DC11_ONCE): assertion
// EXPECT(tso -DTRYJOIN): assertion
// EXPECT(tso -DTRYRDLOCK): assertion
// EXPECT(tso -DTRYWRLOCK): assertion
// EXPECT(tso -DRELOCK): assertion
// EXPECT(tso -DERRORCHECK): assertion
// EXPECT(tso -DDEADLK): assertion
// EXPECT(tso -DMUTEX_INIT): assertion
// EXPECT(tso -DMUTEX_DESTROY): assertion
// EXPECT(tso -DSEM_INIT): assertion
// EXPECT(tso -DSELF): assertion
// EXPECT(tso -DRELAXED_STORE): assertion
#define _GNU_SOURCE
#include "common.h"
#include <semaphore.h>
#include <threads.h>

static atomic_int x, y;
static int seen[2];
static sem_t s[2];
static pthread_spinlock_t spin[2];
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static pthread_t other[2];
static pthread_rwlock_t read_locked = PTHREAD_RWLOCK_INITIALIZER, write_locked[2];
static pthread_mutex_t recursive[2], errorcheck[2], fresh[2];

static void nothing(void)
{
}

/* What thread i does first: it has to have it to do the rest. */
static void before(int i)
{
#if defined SPIN_UNLOCK
    pthread_spin_lock(&spin[i]);
#elif defined RELOCK
    pthread_mutex_lock(&recursive[i]);
#elif defined ERRORCHECK
    pthread_mutex_lock(&errorcheck[i]);
#elif defined DEADLK
    pthread_rwlock_wrlock(&write_locked[i]);
#elif defined MUTEX_DESTROY
    pthread_mutex_init(&fresh[i], NULL);
#endif
    (void)i;
}

static void between(int i)
{
    int value;

    (void)value;
#if defined SEM_VALUE
    sem_getvalue(&s[i], &value);
#elif defined SEM_TRYWAIT
    sem_trywait(&s[i]);
#elif defined SPIN_UNLOCK
    pthread_spin_unlock(&spin[i]);
#elif defined SIGNAL
    pthread_cond_signal(&c);
#elif defined BROADCAST
    pthread_cond_broadcast(&c);
#elif defined ONCE
    pthread_once(&once, nothing);
#elif defined C11_ONCE
    call_once(&flag, nothing);
#elif defined TRYJOIN
    pthread_tryjoin_np(other[0], NULL);
#elif defined TRYRDLOCK
    pthread_rwlock_tryrdlock(&write_locked[i]);
#elif defined TRYWRLOCK
    pthread_rwlock_trywrlock(&read_locked);
#elif defined RELOCK
    pthread_mutex_lock(&recursive[i]);
    pthread_mutex_unlock(&recursive[i]);
#elif defined ERRORCHECK
    pthread_mutex_lock(&errorcheck[i]);
#elif defined DEADLK
    pthread_rwlock_rdlock(&write_locked[i]);
#elif defined MUTEX_INIT
    pthread_mutex_init(&fresh[i], NULL);
#elif defined MUTEX_DESTROY
    pthread_mutex_destroy(&fresh[i]);
#elif defined SEM_INIT
    sem_t mine;

    sem_init(&mine, 0, i);
#elif defined SELF
    assert(pthread_equal(pthread_self(), pthread_self()));
#elif defined RELAXED_STORE
    atomic_int mine;

    atomic_store_explicit(&mine, i, memory_order_release);
#endif
    (void)i;
}

static void *first(void *_)
{
    before(0);
    store(x, 1);
    between(0);
    seen[0] = load(y);
    return NULL;
}

static void *second(void *_)
{
    before(1);
    store(y, 1);
    between(1);
    seen[1] = load(x);
    return NULL;
}

#ifdef TRYJOIN
static pthread_barrier_t end;

static void *waits(void *_)
{
    pthread_barrier_wait(&end);
    return NULL;
}
#endif

int main(void)
{
    pthread_mutexattr_t kind;

    for (int i = 0; i < 2; i++) {
        sem_init(&s[i], 0, 0);
        pthread_spin_init(&spin[i], 0);
        pthread_rwlock_init(&write_locked[i], NULL);
        pthread_mutexattr_init(&kind);
        pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&recursive[i], &kind);
        pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
        pthread_mutex_init(&errorcheck[i], &kind);
    }
    pthread_once(&once, nothing);
    call_once(&flag, nothing);
    pthread_rwlock_rdlock(&read_locked);
#ifdef TRYRDLOCK
    for (int i = 0; i < 2; i++)
        pthread_rwlock_wrlock(&write_locked[i]);
#endif
#ifdef TRYJOIN
    pthread_barrier_init(&end, NULL, 2);
    pthread_create(&other[0], NULL, waits, NULL);
    run2(first, second);
    pthread_barrier_wait(&end);
    pthread_join(other[0], NULL);
#else
    run2(first, second);
#endif
    assert(seen[0] || seen[1]);
    return 0;
}
