// PLAIN: hooks, in the function with atomics of 16 bytes
// HOOKS: load1=2 load2=1 load4=5 load8=1 load16=2 store1=1 store2=1 store4=2 store8=1 store16=1 rmw1=1 rmw2=1 rmw4=9 rmw8=2 rmw16=1 cas1=1 cas2=1 cas4=2 cas8=1 cas16=1 fence=4 volatile=2 plain=4 weak=1 relaxed=1 acquire=2 release=3 acq_rel=2 seq_cst=29
/* All sizes and orders. (The fetch_max of 16 bits and others are spelled by builtins.) */
#include <stdatomic.h>
#include <stdio.h>

_Atomic signed char a1 = 1;
_Atomic short a2 = 2;
_Atomic int a4 = 4;
_Atomic long a8 = 8;
_Atomic __int128 a16 = 16;
_Atomic(int *) pointer;
float real = 1.5f;
volatile int vol = 3;
int target;

static void sizes(void)
{
    atomic_store(&a1, (signed char)(atomic_load(&a1) + 1));
    atomic_store_explicit(&a2, 7, memory_order_release);
    atomic_load_explicit(&a2, memory_order_acquire);
    a4 = 5;
    atomic_load_explicit(&a4, memory_order_relaxed);
    atomic_store(&a8, atomic_load(&a8) + 1);
    atomic_store(&a16, atomic_load(&a16) << 70);
    atomic_exchange(&pointer, &target);
    printf("%d %d %d %ld %d\n", a1 == 2 ? 1 : 0, 0, 0, 0L, 0);
}

static void updates(void)
{
    int old = 0;

    atomic_fetch_add(&a1, 1);
    atomic_fetch_sub(&a2, 1);
    old += atomic_fetch_add_explicit(&a4, 3, memory_order_acq_rel);
    old += atomic_fetch_and(&a4, 0xff);
    old += atomic_fetch_or(&a4, 0x10);
    old += atomic_fetch_xor(&a4, 0x3);
    old += __atomic_fetch_nand(&target, 1, __ATOMIC_SEQ_CST);
    old += __atomic_fetch_max(&target, -5, __ATOMIC_SEQ_CST);
    old += __atomic_fetch_min((unsigned *)&target, 5u, __ATOMIC_SEQ_CST);
    old += atomic_exchange(&a4, 77);
    old += (int)atomic_fetch_add(&a8, 1);
    atomic_fetch_add(&a16, (__int128)1 << 66);
    printf("%d %d\n", old, target); /* plain load4 */
    __atomic_fetch_add(&real, 0.25f, __ATOMIC_SEQ_CST);
}

static void exchanges(void)
{
    signed char e1 = 0;
    short e2 = 6;
    int e4 = 77;
    long e8 = 0;
    __int128 e16 = 0;
    int ok = atomic_compare_exchange_strong(&a1, &e1, 5);

    ok = ok * 2 + atomic_compare_exchange_strong(&a2, &e2, 9);
    ok = ok * 2 + atomic_compare_exchange_weak(&a4, &e4, 78);
    ok = ok * 2 + atomic_compare_exchange_strong_explicit(&a4, &e4, 79, memory_order_release,
                                                          memory_order_relaxed);
    ok = ok * 2 + atomic_compare_exchange_strong(&a8, &e8, 1);
    ok = ok * 2 + atomic_compare_exchange_strong(&a16, &e16, 1);
    printf("%d %d %d %d %ld %d\n", ok, e1, e2, e4, e8, (int)(e16 >> 66));
}

int main(void)
{
    sizes();
    updates();
    exchanges();
    atomic_thread_fence(memory_order_seq_cst);
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_release);
    atomic_thread_fence(memory_order_acq_rel);
    atomic_signal_fence(memory_order_seq_cst);
    vol = vol + 1;
    printf("%d %.2f %d\n", a4, (double)real, (int)((__int128)a16 >> 66));
    return 0;
}
