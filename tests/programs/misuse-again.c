// An object that lives is initialised again. Memory that has become something else meanwhile, and a local variable of another call, are
// other objects; so is what was destroyed.
// EXPECT(all -DMUTEX): misuse says=mutex is initialised again
// EXPECT(sc -DMUTEX_HELD): misuse says=mutex is initialised again
// EXPECT(sc -DSTATIC_HELD): misuse says=mutex is initialised again
// EXPECT(sc -DCOND): misuse says=condition is initialised again
// EXPECT(sc -DBARRIER): misuse says=barrier is initialised again
// EXPECT(sc -DRWLOCK): misuse says=reader-writer lock is initialised again
// EXPECT(sc -DRWLOCK_READ): misuse says=reader-writer lock is initialised again
// EXPECT(tso -DSEM): misuse says=semaphore is initialised again
// EXPECT(sc -DSPIN): misuse says=spinlock is initialised again
// EXPECT(sc -DHEAP): misuse says=semaphore is initialised again
// EXPECT(sc -DC11): misuse says=mutex is initialised again
// EXPECT(sc -DTHREAD_LOCAL): misuse says=condition is initialised again
// EXPECT(sc -DTHREADS): bug
// EXPECT(all -DDESTROYED): safe
// EXPECT(sc -DPOOL): safe
// EXPECT(sc -DLOCAL): safe
// EXPECT(sc -DSTATIC): safe
// EXPECT(sc -DCOPIED): safe
#include "common.h"
#include <semaphore.h>
#include <string.h>
#include <threads.h>

static pthread_mutex_t m, still = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static pthread_barrier_t b;
static pthread_rwlock_t rw, still_rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t s;
static mtx_t c11;
static _Thread_local pthread_cond_t local;

struct node {
    struct node *next;
    sem_t done;
};

static void *init(void *_)
{
    pthread_barrier_init(&b, NULL, 1);
    return NULL;
}

static void locals(void)
{
    pthread_mutex_t mine;
    sem_t count;

    pthread_mutex_init(&mine, NULL);
    pthread_mutex_lock(&mine);
    sem_init(&count, 0, 1);
}

int main(void)
{
#if defined MUTEX
    pthread_mutex_init(&m, NULL);
    pthread_mutex_init(&m, NULL);
#elif defined MUTEX_HELD
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_init(&m, NULL);
#elif defined STATIC_HELD
    pthread_mutex_lock(&still);
    pthread_mutex_init(&still, NULL);
#elif defined COND
    pthread_cond_init(&c, NULL);
    pthread_cond_init(&c, NULL);
#elif defined BARRIER
    pthread_barrier_init(&b, NULL, 2);
    pthread_barrier_init(&b, NULL, 3);
#elif defined RWLOCK
    pthread_rwlock_init(&rw, NULL);
    pthread_rwlock_init(&rw, NULL);
#elif defined RWLOCK_READ
    pthread_rwlock_rdlock(&still_rw);
    pthread_rwlock_init(&still_rw, NULL);
#elif defined SEM
    sem_init(&s, 0, 0);
    sem_post(&s);
    sem_init(&s, 0, 0);
#elif defined SPIN
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_spin_init(&spin, 0);
#elif defined HEAP
    struct node *node = calloc(2, sizeof *node);

    sem_init(&node[1].done, 0, 1);
    node[1].next = node;
    sem_init(&node[1].done, 0, 1);
#elif defined C11
    mtx_init(&c11, mtx_plain);
    mtx_init(&c11, mtx_recursive);
#elif defined THREAD_LOCAL
    pthread_cond_init(&local, NULL);
    pthread_cond_init(&local, NULL);
#elif defined THREADS
    run2(init, init);
#elif defined DESTROYED
    pthread_mutex_init(&m, NULL);
    pthread_mutex_destroy(&m);
    pthread_mutex_init(&m, NULL);
    mtx_init(&c11, mtx_plain);
    mtx_destroy(&c11);
    mtx_init(&c11, mtx_plain);
    sem_init(&s, 0, 0);
    sem_destroy(&s);
    sem_init(&s, 0, 0);
    pthread_spin_init(&spin, 0);
    pthread_spin_destroy(&spin);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&b, NULL, 1);
    pthread_barrier_destroy(&b);
    pthread_barrier_init(&b, NULL, 1);
#elif defined POOL
    struct node *node = malloc(sizeof *node);

    for (int i = 0; i < 2; i++) {
        memset(node, i, sizeof *node);
        sem_init(&node->done, 0, 1);
    }
    pthread_mutex_init(&m, NULL);
    memset(&m, 0, sizeof m);
    pthread_mutex_init(&m, NULL);
#elif defined LOCAL
    for (int i = 0; i < 3; i++)
        locals();
#elif defined STATIC
    pthread_mutex_init(&still, NULL);
    pthread_rwlock_init(&still_rw, NULL);
#elif defined COPIED
    pthread_cond_t copy;

    pthread_cond_init(&c, NULL);
    copy = c; /* not portable, but nothing that was told of before */
    pthread_cond_signal(&copy);
#endif
    return 0;
}
