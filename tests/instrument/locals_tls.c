/* Thread-local variables: here, static, in a function, and of another file. */
#include <pthread.h>
#include <stdio.h>

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

static void *other(void *theirs)
{
    printf("%d\n", (void *)print() == theirs);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *mine;

    with_value++;
    zero += 5;
    *address() += 4;
    elsewhere += next() + next();
    mine = print();
    pthread_create(&thread, NULL, other, mine);
    pthread_join(thread, NULL);
    return 0;
}
