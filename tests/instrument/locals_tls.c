/* Thread-local variables: here, static, in a function, and of another file. */
#include <stdio.h>

#ifdef INSTRUMENTED
void stub_thread(int number);
#else
#define stub_thread(n) ((void)0)
#endif

_Thread_local int with_value = 7;
static _Thread_local long zero;
static __thread struct {
    int a, b[5];
} record = {1, {2, 3}};
extern _Thread_local int elsewhere;

static int next(void)
{
    static _Thread_local int count = 100;

    return ++count;
}

static int *address(void)
{
    return &record.b[1];
}

__attribute__((noinline)) static int *print(void)
{
    printf("%d %ld %d %d", with_value, zero, record.b[1], elsewhere);
    printf(" %d\n", next());
    return &with_value;
}

int main(void)
{
    int *mine;

    with_value++;
    zero += 5;
    *address() += 4;
    elsewhere += next() + next();
    mine = print();
    stub_thread(1); /* a function of the program never changes its thread; so main asks another one */
#ifdef INSTRUMENTED
    printf("%d\n", print() == mine);
#else
    printf("7 0 3 55 101\n%d\n", mine == NULL);
#endif
    return 0;
}
