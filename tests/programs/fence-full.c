// The other way round: a locked instruction between the store and the load is a full fence, whatever it works on.
// EXPECT(all -DMUTEX): safe
// EXPECT(tso -DTRYLOCK): safe
// EXPECT(tso -DSEM_POST): safe
// EXPECT(pso -DSEM_TRYWAIT): safe
// EXPECT(tso -DSPIN_LOCK): safe
// EXPECT(tso -DRDLOCK): safe
// EXPECT(pso -DTRYRDLOCK): safe
// EXPECT(tso -DSEM_TIMEDWAIT): safe
// EXPECT(tso -DTIMEDRDLOCK): safe
// EXPECT(tso -DBARRIER): safe
// EXPECT(tso -DCOND_DESTROY): safe
// EXPECT(tso -DRECURSIVE): safe
// EXPECT(tso -DLOCAL): safe
// EXPECT(tso -DLOCAL -O2): safe
// EXPECT(pso -DLOCAL): safe
// EXPECT(tso -DLOCAL_CAS): safe
// EXPECT(tso -DLOCAL_CAS -O1): safe
// EXPECT(tso -DLOCAL_STORE): safe
// EXPECT(tso -DESCAPED): safe
// EXPECT(tso -DESCAPED -O2): safe
// EXPECT(pso -DVARIABLE): safe
// EXPECT(tso -DVARIABLE -O1): safe
// EXPECT(tso -DASSEMBLY): safe
#include "common.h"
#include <semaphore.h>
#include <time.h>

static atomic_int x, y;
static int seen[2];
static sem_t s[2];
static pthread_spinlock_t spin[2];
static pthread_mutex_t m[2], recursive[2];
static pthread_rwlock_t rw[2];
static pthread_barrier_t b[2];
static pthread_rwlock_t locked = PTHREAD_RWLOCK_INITIALIZER; /* by the main thread, to write */
static _Thread_local atomic_int variable;

static __attribute__((noinline)) void bump(atomic_int *number)
{
    atomic_fetch_add_explicit(number, 1, memory_order_relaxed);
}

static void between(int i)
{
    atomic_int local = 0;

    (void)local;
#if defined MUTEX
    pthread_mutex_lock(&m[i]);
    pthread_mutex_unlock(&m[i]);
#elif defined TRYLOCK
    pthread_mutex_trylock(&m[i]);
    pthread_mutex_trylock(&m[i]);
#elif defined SEM_POST
    sem_post(&s[i]);
#elif defined SEM_TRYWAIT
    assert(sem_trywait(&s[i]) == 0);
#elif defined SPIN_LOCK
    pthread_spin_lock(&spin[i]);
#elif defined RDLOCK
    pthread_rwlock_rdlock(&rw[i]);
#elif defined TRYRDLOCK
    assert(pthread_rwlock_tryrdlock(&rw[i]) == 0);
#elif defined SEM_TIMEDWAIT
    sem_t none;

    sem_init(&none, 0, 0);
    assert(sem_timedwait(&none, &(struct timespec){.tv_sec = 1}) == -1);
#elif defined TIMEDRDLOCK
    assert(pthread_rwlock_timedrdlock(&locked, &(struct timespec){.tv_sec = 1}));
#elif defined BARRIER
    pthread_barrier_wait(&b[i]);
#elif defined COND_DESTROY
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;

    pthread_cond_destroy(&c);
#elif defined RECURSIVE
    pthread_mutex_lock(&recursive[i]);
#elif defined LOCAL
    atomic_fetch_add_explicit(&local, 1, memory_order_relaxed);
#elif defined LOCAL_CAS
    int expected = 5;

    atomic_compare_exchange_strong_explicit(&local, &expected, 1, memory_order_relaxed,
                                            memory_order_relaxed);
#elif defined LOCAL_STORE
    atomic_store(&local, 1);
#elif defined ESCAPED
    bump(&local);
#elif defined VARIABLE
    atomic_exchange_explicit(&variable, 1, memory_order_relaxed);
#elif defined ASSEMBLY
    int number = 1, old = 1;

    __asm__ volatile("lock; xaddl %0, %1" : "+r"(old), "+m"(number) : : "memory");
#endif
    (void)i;
}

static void *first(void *_)
{
    store(x, 1);
    between(0);
    seen[0] = load(y);
    return NULL;
}

static void *second(void *_)
{
    store(y, 1);
    between(1);
    seen[1] = load(x);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    for (int i = 0; i < 2; i++) {
        sem_init(&s[i], 0, 1);
        pthread_spin_init(&spin[i], 0);
        pthread_rwlock_init(&rw[i], NULL);
        pthread_barrier_init(&b[i], NULL, 1);
        pthread_mutex_init(&m[i], NULL);
        pthread_mutex_init(&recursive[i], &kind);
    }
    pthread_rwlock_wrlock(&locked);
    run2(first, second);
    assert(seen[0] || seen[1]);
    return 0;
}
