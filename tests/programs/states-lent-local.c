// EXPECT(all -DNEVER=0): assertion at=here
// EXPECT(all -DNEVER=1): assertion at=here
// EXPECT(all -DNEVER=2): safe
// OPTIONS: --stateful=delta
// What others write to a local of main's is part of its local state, although main does not move.
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *lent;

static void *sets(void *arg)
{
    pthread_mutex_lock(&lock);
    lent[0] = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *copies(void *arg)
{
    pthread_mutex_lock(&lock);
    lent[1] = lent[0];
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int locals[2] = {0, 0};

    lent = locals;
    pthread_create(&a, NULL, sets, NULL);
    pthread_create(&b, NULL, copies, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(lent[1] != NEVER); /* here */
    return 0;
}
