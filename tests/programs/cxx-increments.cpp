// Increments of std::atomic, by functions of a header that hand on what was there before: one order if nobody uses that, whatever the memory order; else N!.
// EXPECT(all): safe executions=1
// EXPECT(sc -O2): safe executions=1
// EXPECT(sc -DUSED=x++): safe executions=6
// EXPECT(sc -DUSED=++x -O1): safe executions=6
// EXPECT(sc -DUSED=(x+=1)): safe executions=6
// EXPECT(sc -DUSED=x.fetch_add(1,memory_order_relaxed)): safe executions=6
// EXPECT(sc -DUSED=(x&=~1)): safe executions=6
// EXPECT(sc -DUSED=atomic_fetch_sub(&x,1) -O1): safe executions=6
#include <assert.h>
#include <atomic>
#include <pthread.h>

using namespace std;

static atomic<int> x, y, z;
static atomic<unsigned long> large;
static atomic<unsigned char> bits{0xff};
static atomic<int *> pointer;
static atomic<int> seen;
static volatile atomic<short> often;

static void *counts(void *order)
{
#ifdef USED
    if ((USED) == 1000)
        seen = 1;
#else
    x++;
    ++x;
    x += 3;
    x.fetch_add(1);
    y--;
    y -= 2;
    --y;
    large.fetch_add(1, memory_order_relaxed);
    large.fetch_sub(4, memory_order_acquire);
    large.fetch_add(7, memory_order_release);
    bits &= 0x3f;
    bits.fetch_and(0xfe, memory_order_acq_rel);
    z |= 4;
    z.fetch_or(1, memory_order_release);
    pointer++;
    pointer += 3;
    pointer.fetch_sub(1);
    often++;
    atomic_fetch_add(&often, 1);
    atomic_fetch_add_explicit(&often, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&often, 1, order ? memory_order_release : memory_order_relaxed);
#endif
    return nullptr;
}

int main()
{
    pthread_t threads[3];

    for (auto &thread : threads)
        pthread_create(&thread, nullptr, counts, &thread == threads ? &threads : nullptr);
    for (auto &thread : threads)
        pthread_join(thread, nullptr);
#ifndef USED
    assert(x == 18 && y == -12 && large == 12 && bits == 0x3e && z == 5);
    assert(pointer.load() == (int *)nullptr + 9 && often == 12);
#endif
    return 0;
}
