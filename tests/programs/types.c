// Atomic objects of all sizes and kinds: floats, doubles, long doubles, structs, pointers, 16 bytes, _Bool.
// EXPECT: safe executions=2
// EXPECT(sc -O1): safe executions=2
// EXPECT(sc -O2): safe executions=2
// EXPECT(sc -O2 -mcx16): safe executions=2
#include "common.h"

struct pair {
    int a, b;
};

struct wide {
    uint64_t a, b;
};

static _Atomic float f;
static _Atomic double d;
static _Atomic struct pair pair;
static _Atomic struct wide wide;
static _Atomic __int128 big;
static _Atomic _Bool flag;
static _Atomic unsigned char byte;
static _Atomic short word;
static _Atomic(int *) pointer;
static int array[4];
static atomic_int order;

static void *thread(void *_)
{
    if (atomic_fetch_add(&order, 1) == 0) {
        f = 1.5f;
        f += 1;
        d = f * 2;
        pair = (struct pair){1, 2};
        wide = (struct wide){3, ~0ull};
        big = ((__int128)1 << 100) + 1;
        big++;
        flag = 5;
        byte = 255;
        byte++;
        word = -2;
        word--;
        pointer = &array[1];
        pointer++;
        assert(f == 2.5f && d == 5.0);
        assert(((struct pair)pair).b == 2 && ((struct wide)wide).b == ~0ull);
        assert(big == ((__int128)1 << 100) + 2);
        assert(flag == 1 && byte == 0 && word == -3 && pointer == &array[2]);
    }
    return NULL;
}

int main(void)
{
    struct pair old = {1, 2};

    run(2, thread);
    assert(atomic_compare_exchange_strong(&pair, &old, ((struct pair){7, 8})));
    assert(((struct pair)pair).a == 7);
    return 0;
}
