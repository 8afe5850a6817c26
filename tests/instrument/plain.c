// HOOKS: load1=2 load2=1 load4=4 load8=3 load16=2 store1=1 store2=1 store4=2 store8=3 store16=1 memcpy=2 plain=22
/* One access of each size and type; locals and constants must not count. */
#include <stdio.h>

typedef float quad __attribute__((vector_size(16)));
typedef int pair __attribute__((vector_size(8)));

char c = 1;
_Bool b = 1;
short s = 2;
int i = 3;
float f = 4.5f;
long l = 5;
double d = 6.5;
void *p;
quad q = {1, 2, 3, 4};
pair v = {7, 8};
long double x = 9.25L;
static const int table[] = {10, 20, 30};

int main(int argc, char **argv)
{
    int local[4] = {1, 2, 3, 4}, sum = 0;
    (void)argv;

    for (int k = 0; k < 4; k++)
        sum += local[k] * table[k % 3] + local[(argc + k) % 4];
    c = (char)(c + 1);             /* load1 store1 */
    sum += b;                      /* load1 */
    s = (short)(s + 1);            /* load2 store2 */
    i = i + 1;                     /* load4 store4 */
    f = f * 2;                     /* load4 store4 */
    l = l + 1;                     /* load8 store8 */
    d = d * 2;                     /* load8 store8 */
    p = &p;                        /* store8 */
    q = q + q;                     /* load16 twice, store16 */
    sum += v[1];                   /* load8 */
    x = x * 2;                     /* memcpy memcpy */
    printf("%d %d %.2f\n", sum, i, (double)f); /* load4 load4 */
    return 0;
}
