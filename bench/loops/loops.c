/* Loops of plain accesses, one of them WHICH times SCALE: see bench/loops.sh. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 4096
#define R 400
float fa[N], fb[N];
int ia[N], ib[N];
unsigned char bytes[N], other[N];
static unsigned hist[256];
float A[64][64], B[64][64], C[64][64];
uint32_t table[256];
long result;
__attribute__((noinline)) long sum(const int *a, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
__attribute__((noinline)) long copy(int *d, const int *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        d[i] = s[i];
    return d[0];
}
__attribute__((noinline)) long ptrcopy(char *d, const char *s, size_t n)
{
    while (n--)
        *d++ = *s++;
    return 0;
}
__attribute__((noinline)) long saxpy(float *y, const float *x, float a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
    return (long)y[0];
}
__attribute__((noinline)) long histo(const unsigned char *b, int n)
{
    for (int i = 0; i < n; i++)
        hist[b[i]]++;
    return hist[0];
}
__attribute__((noinline)) long scan(const char *s)
{
    long n = 0;
    while (s[n])
        n++;
    return n;
}
__attribute__((noinline)) long matmul(void)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            float s = 0;
            for (int k = 0; k < 64; k++)
                s += A[i][k] * B[k][j];
            C[i][j] = s;
        }
    return 0;
}
__attribute__((noinline)) long crc(const unsigned char *b, int n)
{
    uint32_t c = ~0u;
    for (int i = 0; i < n; i++)
        c = table[(c ^ b[i]) & 255] ^ (c >> 8);
    return c;
}
__attribute__((noinline)) long maxi(const int *a, int n)
{
    int m = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > m)
            m = a[i];
    return m;
}
struct v {
    int n;
    int *data;
};
__attribute__((noinline)) long viafields(struct v *v)
{
    long s = 0;
    for (int i = 0; i < v->n; i++)
        s += v->data[i];
    return s;
}
static struct v V = {N, ia};
static int on;
long (*f_viafields)(struct v *) = viafields;
long (*f_maxi)(const int *, int) = maxi;
long (*f_crc)(const unsigned char *, int) = crc;
long (*f_matmul)(void) = matmul;
long (*f_scan)(const char *) = scan;
long (*f_histo)(const unsigned char *, int) = histo;
long (*f_saxpy)(float *, const float *, float, int) = saxpy;
long (*f_ptrcopy)(char *, const char *, size_t) = ptrcopy;
long (*f_copy)(int *, const int *, size_t) = copy;
long (*f_sum)(const int *, int) = sum;
static void *work(void *x)
{
    long sink = 0;
    for (int r = 0; r < R * SCALE; r++) {
        switch (WHICH) {
        case 0:
            sink += f_sum(ia, N);
            break;
        case 1:
            sink += f_copy(ib, ia, N);
            break;
        case 2:
            sink += f_ptrcopy((char *)other, (char *)bytes, N);
            break;
        case 3:
            sink += f_saxpy(fb, fa, 2, N);
            break;
        case 4:
            sink += f_histo(bytes, N);
            break;
        case 5:
            sink += f_scan((char *)bytes);
            break;
        case 6:
            if (r % 64 == 0)
                sink += f_matmul();
            break;
        case 7:
            sink += f_crc(bytes, N);
            break;
        case 8:
            sink += f_maxi(ia, N);
            break;
        case 9:
            sink += f_viafields(&V);
            break;
        }
    }
    result = sink;
    return 0;
}
static void *idle(void *x)
{
    pthread_mutex_t *m = x;
    pthread_mutex_lock(m);
    on++;
    pthread_mutex_unlock(m);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    memset(bytes, 'a', N - 1);
    for (int i = 0; i < N; i++)
        ia[i] = i * 7919 % 1001;
    pthread_create(&u, 0, idle, &m);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
