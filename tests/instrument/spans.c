// HOOKS: load1=64 load4=8679 load8=32 store1=47 store4=571 plain=9393
// HOOKS(bare): load1=17 load4=325 load8=16 store4=299 plain=657
/* Loops of plain accesses that are told as a whole: the second line is for the copies without hooks. What is left there is of the loops that have
 * none, and of accesses beside loops. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define N 16

int a[N], b[N], square[N][N], counts[N], picked[N];
unsigned char bytes[2 * N];
struct vector {
    int count;
    int *at;
} vector = {N, a};

__attribute__((noinline)) long sum(const int *from, int n)
{
    long s = 0;

    for (int i = 0; i < n; i++)
        s += from[i];
    return s;
}

__attribute__((noinline)) void copy(char *to, const char *from, size_t n)
{
    while (n--)
        *to++ = *from++;
}

__attribute__((noinline)) long down(const int *from, int n)
{
    long s = 0;

    for (int i = n - 1; i >= 0; i -= 3)
        s = 3 * s + from[i];
    return s;
}

__attribute__((noinline)) long to_the_end(const int *p, const int *end)
{
    long s = 0;

    do
        s = 5 * s + *p;
    while (++p != end);
    return s;
}

__attribute__((noinline)) long through(struct vector *v)
{
    long s = 0;

    for (int i = 0; i < v->count; i++)
        s = 7 * s + v->at[i];
    return s;
}

/* What is known behind the loop comes from both. */
__attribute__((noinline)) int largest(const int *from, unsigned n, unsigned *where)
{
    int most = -1;
    unsigned at = 0, i;

    for (i = 0; i < n; i++)
        if (from[i] > most) {
            most = from[i];
            at = i;
        }
    *where = at + 100 * i; /* store4 */
    return most;
}

__attribute__((noinline)) void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;

            for (int k = 0; k < N; k++)
                s += square[i][k] * square[k][j];
            b[(i + j) % N] += s; /* load4 store4, N * N times */
        }
}

/* Some of their accesses are told, and others, which lead anywhere or are not made in every round, have their hooks. */
__attribute__((noinline)) long chosen(const int *from, const unsigned char *which, int n)
{
    long s = 0;

    for (int i = 0; i < n; i++)
        s += from[which[i]]; /* load4 */
    return s;
}

__attribute__((noinline)) void tally(int *counts, const unsigned char *which, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        counts[which[i]]++; /* load4 store4 */
}

__attribute__((noinline)) void pick(int *to, const int *from, int n)
{
    for (int i = 0; i < n; i++)
        if (from[i] > 3)
            to[i] = from[i]; /* store4, 10 times */
}

/* Where the next one is may be written by the one before: how often it goes round is not known. */
__attribute__((noinline)) void spread(struct vector *v, const unsigned char *which)
{
    for (int i = 0; i < v->count; i++)
        v->at[which[i]] = i;
}

/* These are left as they are: it may stop before, and nothing is done in every round. */
__attribute__((noinline)) int find(const int *from, int n, int what)
{
    for (int i = 0; i < n; i++)
        if (from[i] == what)
            return i;
    return -1;
}

__attribute__((noinline)) long some(const int *from, int n)
{
    long s = 0;

    for (int i = 0; i < n; i++)
        if (i % 3)
            s += from[i];
    return s;
}

int main(void)
{
    unsigned where;
    long results[10];

    for (int i = 0; i < N; i++)
        a[i] = 37 * i % 11;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            square[i][j] = i - j;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * i % N);
    copy((char *)bytes + N, (const char *)bytes, N - 1);
    results[0] = sum(a, N);
    results[1] = down(a, N);
    results[2] = to_the_end(a, a + N);
    results[3] = through(&vector);
    results[4] = largest(a, N, &where);
    multiply();
    results[5] = find(a, N, 10);
    results[6] = chosen(a, bytes, N);
    results[7] = some(a, N);
    results[8] = where;
    tally(counts, bytes, N);
    pick(picked, a, N);
    results[9] = sum(b, N) + sum(a, 0) + down(counts, N) + 3 * to_the_end(picked, picked + N);
    spread(&vector, bytes);
    results[9] += down(a, N);
    for (int i = 0; i < 10; i++)
        printf("%ld\n", results[i]);
    return bytes[N + 3];
}
