// Loops of C++ that try again with what they have just found: as many executions as orders in which they succeed, as in C (rounds-retry.c).
// EXPECT: safe executions=6 blocked=15
// EXPECT(sc -O1): safe executions=6 blocked=15
// EXPECT(sc -O2): safe executions=6 blocked=15
// EXPECT(sc -DHOW=x.compare_exchange_strong(old,old+1)): safe executions=6 blocked=15
// EXPECT(sc -DHOW=x.compare_exchange_weak(old,old+1,memory_order_release) -O1): safe executions=6 blocked=15
// EXPECT(sc -DHOW=atomic_compare_exchange_weak(&x,&old,old+1)): safe executions=6 blocked=15
// EXPECT(sc -DTYPE=long -O3): safe executions=6 blocked=15
// EXPECT(sc -DCOUNTS): safe executions=48 blocked=0
// EXPECT(sc -DKEEPS -O1): safe executions=48 blocked=0
// EXPECT(sc -DTYPE=node*): safe executions=6 blocked=15
// EXPECT(sc -DLOCK): safe executions=6 blocked=0
// EXPECT(tso): safe executions=6 blocked=15
#include <assert.h>
#include <atomic>
#include <pthread.h>

using namespace std;

struct node {
    int value;
};

#ifndef TYPE
#define TYPE int
#endif
#ifndef HOW
#define HOW x.compare_exchange_weak(old, old + 1, memory_order_acq_rel, memory_order_relaxed)
#endif

static atomic<TYPE> x;
static atomic<int> tries;
static atomic<bool> locked;
static int guarded;

static void *adds(void *)
{
#ifdef LOCK
    bool free = false;

    while (!locked.compare_exchange_strong(free, true, memory_order_acquire))
        free = false;
    guarded++;
    locked.store(false, memory_order_release);
#else
    TYPE old = x.load(memory_order_relaxed);
#if defined COUNTS
    int count = 0;

    while (!HOW)
        count++;
    if (count > 7)
        tries = count;
#elif defined KEEPS
    TYPE first = old;

    while (!HOW)
        ;
    if (first > 7)
        tries = 1;
#else
    while (!HOW)
        ;
#endif
#endif
    return nullptr;
}

int main()
{
    pthread_t threads[3];

    for (auto &thread : threads)
        pthread_create(&thread, nullptr, adds, nullptr);
    for (auto &thread : threads)
        pthread_join(thread, nullptr);
#ifdef LOCK
    assert(guarded == 3);
#else
    assert(x.load() == (TYPE)0 + 3);
#endif
    return 0;
}
