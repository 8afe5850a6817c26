// HOOKS: load1=1 load2=1 load4=15 load8=5 store1=1 store2=1 store4=9 store8=1 plain=34 volatile=1
// HOOKS(written): load4=4 store4=4 plain=8 volatile=1
// HOOKS(read): load1=1 load2=1 load4=10 load8=1 store1=1 store2=1 store4=9 store8=1 plain=25 volatile=1
// HOOKS(many): load1=1 load2=1 load4=10 load8=1 store1=1 store2=1 store4=9 store8=1 plain=25 volatile=1
/* Plain accesses that code checks by itself. The first line is for cells that say nothing, the others for cells that say: written, read, and
 * read by several threads. Of accesses to the same bytes one asks for all, until something is called. */
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

static __attribute__((noinline)) void same(int at, int from)
{
    a[at] += 5;                /* load4 store4: one question, and it is for writing */
    a[from] = a[from] + a[at]; /* load4 load4 store4, by two computations of one address */
    c++;                       /* load1 store1 */
    s++;                       /* load2 store2 */
    l++;                       /* load8 store8 */
}

static __attribute__((noinline)) long only_reads(int at)
{
    return l + l + (long)d + (long)d + a[at] + a[at]; /* load8 four times, load4 twice: three questions */
}

static __attribute__((noinline)) int not_aligned(void)
{
    p.odd = p.odd + 1; /* load4 store4: always for the hook */
    return v;          /* load4, volatile: neither */
}

static __attribute__((noinline)) int forgotten(int at)
{
    int first = a[at]; /* load4 */

    a[at] = 7;         /* store4 */
    stub_forget(1);
    a[at] = first + 1; /* store4: asks anew */
    first = a[at];     /* load4 */
    a[at] = first + 1; /* store4 */
    stub_forget(0);
    return a[at];      /* load4 */
}

/* Which way is taken, and what was read, must not matter behind it. */
static __attribute__((noinline)) int both_ways(int n)
{
    int sum = 0;

    for (int k = 0; k < n; k++) {
        stub_forget(k % 2);
        sum += a[k] * 3; /* load4, n times */
        a[k] = sum;      /* store4 */
    }
    stub_forget(0);
    return sum;
}

int main(void)
{
    int local = 3;

    same(1, 2);
    printf("%ld %d %d\n", only_reads(3), not_aligned(), forgotten(4));
    printf("%d\n", both_ways(3));
    local += i - j; /* load4 load4 */
    return local;
}
