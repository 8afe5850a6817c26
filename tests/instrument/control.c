/* setjmp and longjmp over frames, computed goto, switch, VLAs, alloca in a loop, recursion,
 * varargs, callbacks. */
// PLAIN: hooks, in the function that jumps to labels
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static int shared, order[8] = {5, 3, 7, 1, 8, 2, 6, 4};
static int *escape;

static void dive(int depth)
{
    int here = depth;

    escape = &here;
    if (depth == 0)
        longjmp(back, ++shared);
    dive(depth - 1);
    shared += here;
}

static int jump(void)
{
    volatile int rounds = 0;
    int code = setjmp(back);

    rounds++;
    if (code < 3)
        dive(5);
    return rounds * 100 + code;
}

static int interpret(const unsigned char *code)
{
    static void *const labels[] = {&&stop, &&add, &&twice, &&store};
    int value = 0;

    goto *labels[*code];
add:
    value += 3;
    goto *labels[*++code];
twice:
    value *= 2;
    goto *labels[*++code];
store:
    shared = value;
    goto *labels[*++code];
stop:
    return value + shared;
}

static int vla(int n)
{
    int array[n], sum = 0;
    char *last = NULL;

    for (int i = 0; i < n; i++) {
        char *more = alloca((size_t)i + 8);

        memset(more, i, (size_t)i + 8);
        array[i] = more[i] + (last ? last[0] : 0);
        last = more;
        shared++;
    }
    escape = array;
    for (int i = 0; i < n; i++)
        sum += escape[i];
    return sum;
}

static double total(int count, ...)
{
    va_list list, again;
    double sum = 0;

    va_start(list, count);
    va_copy(again, list);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    sum += va_arg(again, int);
    va_end(again);
    va_end(list);
    return sum;
}

static int compare(const void *a, const void *b)
{
    shared++;
    return *(const int *)a - *(const int *)b;
}

static int choose(int n)
{
    switch (n) {
    case 0:
        return shared;
    case 1:
        shared = 5; /* fall through */
    case 2:
        return shared + 1;
    case 1000:
        return order[0];
    default:
        return n;
    }
}

__attribute__((noinline)) static int even(int n);

__attribute__((noinline)) static int odd(int n)
{
    shared ^= n;
    if (n == 0)
        return 0;
    __attribute__((musttail)) return even(n - 1);
}

__attribute__((noinline)) static int even(int n)
{
    shared ^= n;
    if (n == 0)
        return 1;
    __attribute__((musttail)) return odd(n - 1);
}

__attribute__((pure, noinline)) static int peek(void)
{
    return shared;
}

int main(void)
{
    const unsigned char code[] = {1, 2, 1, 3, 2, 0};
    int calls;

    printf("%d\n", jump());
    printf("%d\n", interpret(code));
    printf("%d\n", vla(6));
    printf("%.2f\n", total(4, 1, 2.5, 3, 4.25));
    shared = 0;
    qsort(order, 8, sizeof *order, compare);
    calls = peek();
    printf("%d %d %d\n", order[0], order[7], calls > 0 ? peek() - calls : -1);
    printf("%d %d %d %d\n", choose(2), choose(1), choose(1000), choose(9));
    printf("%d %d\n", even(100001), shared);
    return 3;
}
