// An assumption that fails inside an atomic section: the section has not begun, so what it took and wrote holds nobody up. Nor is
// waiting for what a stopped thread holds a mistake of the program.
// EXPECT(all): safe
// EXPECT(all -DMUTEX): safe
// EXPECT(sc -DSPIN): safe
// EXPECT(sc -DREAD): safe
// EXPECT(sc -DWRITES): safe
// EXPECT(sc -DOUTSIDE): safe
// EXPECT(sc -DWAITS): misuse
#include "common.h"

void __VERIFIER_assume(int);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int taken, count, trail;
static atomic_int ready;

static void take(void)
{
#if defined MUTEX || defined OUTSIDE || defined WAITS
    pthread_mutex_lock(&mutex);
#elif defined SPIN
    pthread_spin_lock(&spin);
#elif defined READ
    pthread_rwlock_wrlock(&rwlock);
#elif defined WRITES
    trail++;
#endif
}

static void give(void)
{
#if defined MUTEX || defined OUTSIDE || defined WAITS
    pthread_mutex_unlock(&mutex);
#elif defined SPIN
    pthread_spin_unlock(&spin);
#elif defined READ
    pthread_rwlock_unlock(&rwlock);
#elif defined WRITES
    trail--;
#endif
}

void __VERIFIER_atomic_take(void)
{
    take();
    __VERIFIER_assume(taken == 0);
    taken = 1;
    give();
}

void __VERIFIER_atomic_release(void)
{
    take();
    assert(trail <= 1);
    taken = 0;
    give();
}

static void *thread(void *number)
{
#ifdef OUTSIDE
    if (number) {
        pthread_mutex_lock(&mutex);
        raddle_assume(atomic_load(&ready) == 1);
        pthread_mutex_unlock(&mutex);
    }
#elif defined WAITS
    if (number) {
        pthread_mutex_lock(&mutex);
        atomic_thread_fence(memory_order_seq_cst);
        pthread_mutex_unlock(&mutex);
        return NULL;
    }
#endif
    __VERIFIER_atomic_take();
    count++;
    __VERIFIER_atomic_release();
    atomic_store(&ready, 1);
    return NULL;
}

int main(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
#ifdef WAITS
    run(2, thread);
#else
    run(2, thread);
    assert(count == 2 && trail == 0);
#endif
    return 0;
}
