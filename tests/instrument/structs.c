/* Bit-fields, unions, floats, complex numbers, packed and nested structs, small structs by
 * value. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bits {
    unsigned a : 3, b : 7, c : 22;
    signed d : 5;
    long e : 40;
};

union number {
    int i;
    float f;
    unsigned char bytes[8];
    double d;
};

struct __attribute__((packed)) tight {
    char c;
    int i;
    double d;
    short s;
};

struct small {
    int x, y, z;
};

struct node {
    struct node *next;
    struct bits bits;
    union number number;
    struct small small;
};

static struct bits bits = {1, 2, 3, -4, 5};
static struct tight tight[3];
static double complex z = 1.0 + 2.0 * I;
static _Float16 half = 1.5;
static __int128 wide = 1;
static _BitInt(24) odd_int = 77;
static _BitInt(200) huge_int = 5;

static struct small turn(struct small s)
{
    return (struct small){s.z, s.x, s.y};
}

static struct node *build(int n)
{
    struct node *node;

    if (n == 0)
        return NULL;
    node = calloc(1, sizeof *node);
    node->bits.a = (unsigned)n;
    node->bits.d = -n;
    node->bits.e = -(long)n * 1000000;
    node->number.d = n * 1.25;
    node->small = turn((struct small){n, n + 1, n + 2});
    node->next = build(n - 1);
    return node;
}

int main(void)
{
    union number u;
    long total = 0;

    bits.b += 9;
    bits.d++;
    bits.e <<= 20;
    for (int i = 0; i < 3; i++)
        tight[i] = (struct tight){(char)i, i * 2, i / 3.0, (short)-i};
    for (struct node *node = build(12), *next; node; node = next) {
        next = node->next;
        total += node->bits.a + node->bits.d + node->bits.e + node->small.x * node->small.z;
        u = node->number;
        total += u.bytes[6];
        free(node);
    }
    z *= z;
    half *= half;
    wide <<= 100;
    odd_int = odd_int * 1000;
    huge_int = huge_int << 150;
    printf("%ld %u %d %ld %d %.3f %.1f %.1f %.2f %d %d %d\n", total, bits.b, bits.d, (long)bits.e,
           tight[2].i, tight[2].d, creal(z), cimag(z), (double)half, (int)(wide >> 98), (int)odd_int,
           (int)(huge_int >> 149));
    return 0;
}
