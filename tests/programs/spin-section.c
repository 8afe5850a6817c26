// Loops that take a lock to look at something, and give it back: they wait, whatever kind of lock it is. So do loops with a fence, with
// a once that is done, and a reader of a sequence lock.
// EXPECT(all): assertion at=end
// EXPECT(sc -O2): assertion at=end
// EXPECT(sc -DWRITE): assertion at=end
// EXPECT(sc -DSPIN): assertion at=end
// EXPECT(all -DFENCE): safe
// EXPECT(all -DSEQUENCE): safe
// EXPECT(sc -DSEQUENCE -O2): safe
// EXPECT(sc -DONCE): safe
// EXPECT(sc -DNEVER): spin
#include "common.h"

static int value;
static atomic_int flag, sequence, data[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef SPIN
static pthread_spinlock_t lock;
#define READ()  pthread_spin_lock(&lock)
#define WRITE() pthread_spin_lock(&lock)
#define GIVE()  pthread_spin_unlock(&lock)
#elif defined WRITE
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#undef WRITE
#define READ()  pthread_rwlock_wrlock(&lock)
#define WRITE() pthread_rwlock_wrlock(&lock)
#define GIVE()  pthread_rwlock_unlock(&lock)
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define READ()  pthread_rwlock_rdlock(&lock)
#define WRITE() pthread_rwlock_wrlock(&lock)
#define GIVE()  pthread_rwlock_unlock(&lock)
#endif

static void nothing(void)
{
}

static void *writer(void *_)
{
    WRITE();
#ifndef NEVER
    value = 1;
#endif
    GIVE();
    atomic_store(&sequence, 1);
    atomic_thread_fence(memory_order_release);
    atomic_store(&data[0], 1);
    atomic_store(&data[1], 1);
    atomic_store(&sequence, 2);
    atomic_store(&flag, 1);
    return NULL;
}

static void look(void)
{
    int seen = 0, before, a, b;

    do {
        READ();
        seen = value;
        GIVE();
    } while (!seen);
    (void)before, (void)a, (void)b;
    assert(0); /* end */
}

static void reader(void)
{
    int before, a, b;

    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&data[0], memory_order_relaxed);
        b = atomic_load_explicit(&data[1], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while (before % 2 || before != atomic_load_explicit(&sequence, memory_order_relaxed));
    assert(a == b);
}

int main(void)
{
    pthread_t thread;

#ifdef SPIN
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#endif
    pthread_create(&thread, NULL, writer, NULL);
#ifdef FENCE
    while (!atomic_load(&flag))
        atomic_thread_fence(memory_order_seq_cst);
#elif defined SEQUENCE
    reader();
#elif defined ONCE
    while (!atomic_load(&flag))
        pthread_once(&once, nothing);
#else
    look();
#endif
    pthread_join(thread, NULL);
    return 0;
}
