// HOOKS: load1=1 load2=1 load4=16 load8=5 store1=1 store2=1 store4=10 store8=1 plain=36 volatile=1
// HOOKS(written): load4=9 store4=6 plain=15 volatile=1
// HOOKS(read): load1=1 load2=1 load4=14 load8=1 store1=1 store2=1 store4=10 store8=1 plain=30 volatile=1
// HOOKS(many): load1=1 load2=1 load4=14 load8=1 store1=1 store2=1 store4=10 store8=1 plain=30 volatile=1
/* Plain accesses that code checks by itself: those in loops that call nothing. The first line is for cells that say nothing, the others for cells that say:
 * written, read, and read by several threads. Of accesses to the same bytes one asks for all. */
#include <stdio.h>
#include <string.h>

#ifdef INSTRUMENTED
void stub_forget(int); /* cells say nothing from now on, or again what they did */
#else
static void stub_forget(int forgets) { (void)forgets; }
#endif

static int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static short s = 1;
static char c = 1;
static long l = 1;
static double d = 2.5;
static volatile int v = 1;
static _Alignas(8) struct __attribute__((packed)) {
    char first;
    int odd;
} p = {1, 2};
int i = 1, j = 2;

/* Rounds that nobody can count: as many as `n` has bits. */
#define ROUNDS(n) for (unsigned rest = (n); rest; rest &= rest - 1)

static __attribute__((noinline)) void same(int at, int from, unsigned n)
{
    ROUNDS (n) {
        a[at] += 5;                /* load4 store4: one question, and it is for writing */
        a[from] = a[from] + a[at]; /* load4 load4 store4, by two computations of one address */
        c++;                       /* load1 store1 */
        s++;                       /* load2 store2 */
        l++;                       /* load8 store8 */
    }
}

static __attribute__((noinline)) long only_reads(int at, unsigned n)
{
    long sum = 0;

    ROUNDS (n)
        sum += l + l + (long)d + (long)d + a[at] + a[at]; /* load8 four times, load4 twice: three questions */
    return sum;
}

static __attribute__((noinline)) int not_aligned(unsigned n)
{
    ROUNDS (n)
        p.odd = p.odd + 1; /* load4 store4: always for the hook */
    return v;              /* load4, volatile: neither */
}

/* Outside of such loops all are for the hooks, whatever the cells say. */
static __attribute__((noinline)) int forgotten(int at)
{
    int first = a[at]; /* load4 */

    a[at] = 7;         /* store4 */
    stub_forget(1);
    a[at] = first + 1; /* store4 */
    first = a[at];     /* load4 */
    a[at] = first + 1; /* store4 */
    stub_forget(0);
    return a[at];      /* load4 */
}

/* Which way is taken, and what was read, must not matter behind it: every other one is not aligned, and for the hook. */
static __attribute__((noinline)) int both_ways(unsigned n)
{
    struct __attribute__((packed)) { int number; } *at = (void *)a;
    int sum = 0;

    ROUNDS (n) {
        sum += at->number * 3; /* load4 */
        at->number = sum;      /* store4 */
        at = (void *)((char *)at + 6);
    }
    return sum;
}

int main(void)
{
    int local = 3;

    same(1, 2, 1);
    printf("%ld %d %d\n", only_reads(3, 1), not_aligned(1), forgotten(4));
    printf("%d\n", both_ways(15));
    local += i - j; /* load4 load4 */
    return local;
}
