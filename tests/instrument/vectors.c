/* Vectors of many sizes, wide floats, masked intrinsics are not here: plain ones only. */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

typedef int four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
typedef int three __attribute__((ext_vector_type(3)));
typedef _Bool mask __attribute__((ext_vector_type(8)));
typedef char tiny __attribute__((vector_size(2)));

static four a = {1, 2, 3, 4}, *heap = &a;
static eight e = {1, 2, 3, 4, 5, 6, 7, 8};
static three t = {7, 8, 9};
static mask m = {1, 0, 1};
static tiny y = {3, 4};
static __m128d d;
static __float128 f128 = 3;

int main(void)
{
    four local = a + *heap;
    double out[2];

    a = local << 1;
    e = e * e + 1.0f;
    t = t.zyx + 1;
    m[1] = m[0];
    y = y * y;
    d = _mm_add_pd(_mm_set1_pd(1.5), d);
    _mm_storeu_pd(out, d);
    _mm_mfence();
    f128 = f128 * 2;
    printf("%d %d %.1f %d %d %d %d %d %.2f %d\n", a[0], a[3], (double)e[7], t.x, t.z, m[1], y[0], y[1],
           out[1], (int)f128);
    return 0;
}
