// HOOKS: load4=2 store4=1 plain=4 unseen=1
/* What must be left alone, and what only must not break the compiler. */
#include <stdio.h>

static int word = 1;
extern const int fixed;
static const int numbers[] = {1, 2, 3};

__attribute__((naked, noinline)) static int bare(void)
{
    __asm__("movl $7, %eax\n\tret");
}

__attribute__((disable_sanitizer_instrumentation, noinline)) static int quiet(void)
{
    return ++word;
}

int raddle_own(void);
int raddle_own(void)
{
    return ++word;
}

static int plus(int a)
{
    return a + 1;
}

static int (*resolve(void))(int)
{
    word++;
    return plus;
}

int chosen(int a) __attribute__((ifunc("resolve")));

__attribute__((noinline)) static int jump(void)
{
    __asm__ goto("jmp %l0" ::: "memory" : away); /* unseen */
    return 1;
away:
    return 2;
}

static int sum(int n)
{
    int local[8], total = 0;

    for (int i = 0; i < 8; i++)
        local[i] = i * n;
    for (int i = 0; i < 8; i++)
        total += local[(i * n) & 7] + numbers[i % 3];
    return total;
}

const int fixed = 5;

int main(int argc, char **argv)
{
    int here = argc, *pointer = argc > 1 ? &here : NULL;
    (void)argv;

    if (pointer)
        *pointer = 3;
    word += bare();                           /* load4 store4 */
    printf("%d %d", quiet(), raddle_own());   /* none */
    printf("%d %d", chosen(1), jump());       /* none */
    printf("%d %d\n", sum(3) + fixed, here);  /* none */
    return word == 11 ? 0 : word;             /* load4 */
}
