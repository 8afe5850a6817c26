// A lock of three states on futex: free, taken, taken while somebody may sleep; who leaves the last one wakes one.
// EXPECT(all): safe
// EXPECT(all -DFORGETS): deadlock says=futex wait word, but nobody wakes it
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int counter;

static void take(void)
{
    int seen = 0;

    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
    if (seen != 2)
        seen = atomic_exchange(&word, 2);
    while (seen != 0) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = atomic_exchange(&word, 2);
    }
}

static void release(void)
{
    if (atomic_fetch_sub(&word, 1) != 1) {
        atomic_store(&word, 0);
#ifndef FORGETS
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
    }
}

static void *work(void *arg)
{
    take();
    counter++;
    release();
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
