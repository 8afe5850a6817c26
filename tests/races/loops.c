// Loops over arrays, done several times over, so that all but the first round finds its bytes known; and in the last one a single element
// that the other thread uses.
// EXPECT(all -O1 -DLAST=1): data-race at=last says=the write by T1 \([a-z_0-9]+\) in add at
// EXPECT(all -O2 -DLAST=1): data-race at=last says=the write by T1 \([a-z_0-9]+\) in add at
// EXPECT(all -O1 -DFIRST=1): data-race at=zero says=the write by T1 \([a-z_0-9]+\) in add at
// EXPECT(all -O1 -DDOWN=1): data-race at=zero says=the write by T1 \([a-z_0-9]+\) in add_down at
// EXPECT(all -O1 -DSTRIDE=1): data-race at=pair says=the write by T1 \([a-z_0-9]+\) in add_pairs at
// EXPECT(all -O1 -DSTRIDE=1 -DGAP=1): safe
// EXPECT(all -O2 -DSTOPS=1): safe
// EXPECT(all -O2 -DNEVER=1): safe
// EXPECT(all -O2 -DALIAS=1): data-race
// EXPECT(all -O2 -DREADS=1): safe
// EXPECT(all -O2 -DREADS=1 -DWRITES=1): data-race at=other
// EXPECT(all -O2): safe
#include "races.h"

#define N 100

static struct pair {
    int one, two;
} pairs[N];
static int numbers[2 * N], result;
static volatile int length = N;

static __attribute__((noinline)) void add(int *a, int from, int to)
{
    for (int i = from; i < to; i++)
        a[i] += i;
}

static __attribute__((noinline)) void add_down(int *a, int from, int to)
{
    for (int i = to - 1; i >= from; i--)
        a[i] += i;
}

static __attribute__((noinline)) void add_pairs(struct pair *a, int from, int to)
{
    for (int i = from; i < to; i++)
        a[i].one += i;
}

/* Stops before the element that is not its own. */
static __attribute__((noinline)) void add_until(int *a, int n, int stop)
{
    for (int i = 0; i < n; i++) {
        if (i == stop)
            break;
        a[i] += i;
    }
}

static __attribute__((noinline)) void add_some(int *a, int n, int not)
{
    for (int i = 0; i < n; i++)
        if (i != not)
            a[i] += i;
}

static __attribute__((noinline)) void copy(int *to, const int *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

static __attribute__((noinline)) int sum(const int *a, int n)
{
    int s = 0;

    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static void *first(void *_)
{
    for (int round = 0; round < 3; round++) {
        add(numbers, 1, N - 1);
        add_down(numbers, 1, N - 1);
        add_pairs(pairs, 1, N - 1);
        copy(numbers + 1, numbers + 2, N - 3); /* overlaps itself */
    }
#ifdef LAST
    add(numbers, 1, N);
#elif defined FIRST
    add(numbers, 0, N - 1);
#elif defined DOWN
    add_down(numbers, 0, N - 1);
#elif defined STRIDE
    add_pairs(pairs, 0, N);
#elif defined STOPS
    add_until(numbers + 1, length, N - 2);
#elif defined NEVER
    add_some(numbers + 1, length - 1, N - 2);
    add(numbers, N - 1, N - 1);
    add(numbers, N, 0);
#elif defined ALIAS
    copy(numbers + 2, numbers + 1, N - 2);
#elif defined READS
    for (int round = 0; round < 3; round++)
        result = sum(numbers + N, N);
#endif
    return _;
}

static void *second(void *_)
{
#ifdef GAP
    pairs[N - 1].two = 1;
#else
    numbers[0]++;         /* zero */
    numbers[N - 1]++;     /* last */
    pairs[N - 1].one = 1; /* pair */
#endif
#ifdef READS
    int s = 0;

    for (int round = 0; round < 3; round++)
        s += sum(numbers + N, N);
    (void)s;
#endif
#ifdef WRITES
    numbers[2 * N - 1] = 0; /* other */
#endif
    return _;
}

int main(void)
{
    run2(first, second);
    return 0;
}
