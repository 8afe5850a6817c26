// What the calls of futex return: how many were woken, that the word has changed, that the time is over.
// EXPECT(all): safe
// EXPECT(all -DONCE): deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, woken;

static long futex(int what, int value, const struct timespec *time, unsigned mask)
{
    return syscall(SYS_futex, &word, what, value, time, NULL, mask);
}

static void *sleeper(void *arg)
{
    long result = futex(FUTEX_WAIT, 0, NULL, 0);

    if (result == 0)
        atomic_fetch_add(&woken, 1);
    else
        assert(result == -1 && errno == EAGAIN && atomic_load(&word) == 1);
    return arg;
}

static void times(void)
{
    struct timespec short_time = {0, 1000000}, bad = {0, -1}, before, after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(futex(FUTEX_WAIT, 7, NULL, 0) == -1 && errno == EAGAIN);
    assert(futex(FUTEX_WAIT, 0, &bad, 0) == -1 && errno == EINVAL);
    assert(futex(FUTEX_WAIT_PRIVATE, 0, &short_time, 0) == -1 && errno == ETIMEDOUT);
    assert(futex(FUTEX_WAIT_BITSET, 0, &before, FUTEX_BITSET_MATCH_ANY) == -1 && errno == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 1000000);
    assert(futex(FUTEX_WAKE, 1, NULL, 0) == 0);
    assert(syscall(SYS_futex, (char *)&word + 1, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
}

int main(void)
{
    pthread_t threads[2];
    long count;

    times();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sleeper, NULL);
    atomic_store(&word, 1);
#ifdef ONCE
    count = futex(FUTEX_WAKE, 1, NULL, 0);
#else
    count = futex(FUTEX_WAKE, INT_MAX, NULL, 0);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == atomic_load(&woken));
    return 0;
}
