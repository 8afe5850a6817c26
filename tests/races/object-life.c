// To make or destroy a lock and its like is a write to it, to use it is a read: they must be ordered, even if the other order cannot come.
// EXPECT(all): data-race at=use says=use of mutex by T[01] \([a-z]+\) races with the initialisation
// EXPECT(all -DORDERED): safe
// EXPECT(all -DDESTROYED): data-race at=end says=destruction of mutex by T0 \(main\) races with the use
// EXPECT(all -DDESTROYED -DORDERED): safe
// EXPECT(all -DOBJECT=2): data-race
// EXPECT(sc -DOBJECT=2 -DORDERED): safe
// EXPECT(all -DOBJECT=2 -DDESTROYED): data-race
// EXPECT(sc -DOBJECT=2 -DDESTROYED -DORDERED): safe
// EXPECT(sc -DOBJECT=3): data-race
// EXPECT(sc -DOBJECT=3 -DDESTROYED): data-race
// EXPECT(sc -DOBJECT=4): data-race
// EXPECT(sc -DOBJECT=4 -DDESTROYED -DORDERED): safe
// EXPECT(sc -DOBJECT=5): data-race
// EXPECT(sc -DOBJECT=5 -DDESTROYED): data-race
// EXPECT(sc -DOBJECT=5 -DORDERED): safe
// EXPECT(sc -DSTATIC): data-race
// EXPECT(sc -DSTATIC -DORDERED): safe
#include "races.h"
#include <semaphore.h>

#ifndef OBJECT
#define OBJECT 1
#endif

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_cond_t cond;
static sem_t sem;
static pthread_spinlock_t spin;
static _Atomic int said; /* without order, unless ORDERED */

#ifdef ORDERED
#define SAY memory_order_release
#define HEAR memory_order_acquire
#else
#define SAY memory_order_relaxed
#define HEAR memory_order_relaxed
#endif

static void make(void)
{
#ifdef STATIC
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
#elif OBJECT == 1
    pthread_mutex_init(&mutex, NULL);
#elif OBJECT == 2
    pthread_rwlock_init(&rwlock, NULL);
#elif OBJECT == 3
    pthread_cond_init(&cond, NULL);
#elif OBJECT == 4
    sem_init(&sem, 0, 1);
#else
    pthread_spin_init(&spin, 0);
#endif
}

static void use(void)
{
#if OBJECT == 1
    pthread_mutex_lock(&mutex); /* use */
    pthread_mutex_unlock(&mutex);
#elif OBJECT == 2
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
#elif OBJECT == 3
    pthread_cond_signal(&cond);
#elif OBJECT == 4
    sem_wait(&sem);
    sem_post(&sem);
#else
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
#endif
}

static void end(void)
{
#if OBJECT == 1
    pthread_mutex_destroy(&mutex); /* end */
#elif OBJECT == 2
    pthread_rwlock_destroy(&rwlock);
#elif OBJECT == 3
    pthread_cond_destroy(&cond);
#elif OBJECT == 4
    sem_destroy(&sem);
#else
    pthread_spin_destroy(&spin);
#endif
}

static void say(void)
{
    atomic_store_explicit(&said, 1, SAY);
}

static void hear(void)
{
    while (!atomic_load_explicit(&said, HEAR))
        ;
}

#ifdef DESTROYED
static void *first(void *_)
{
    use();
    say();
    return _;
}

static void second(void)
{
    hear();
    end();
}
#else
static void *first(void *_)
{
    make();
    say();
    return _;
}

static void second(void)
{
    hear();
    use();
}
#endif

int main(void)
{
    pthread_t t;

#ifdef DESTROYED
    make();
#endif
    pthread_create(&t, NULL, first, NULL);
    second();
    pthread_join(t, NULL);
    return 0;
}
