// What futex gives back: EAGAIN for another value, the number of woken ones, ETIMEDOUT, bits that do not match. Anyone of those who
// wait may be woken, and one that is woken stays so if another one comes.
// EXPECT: safe
// EXPECT(sc -DWHO=1): assertion
// EXPECT(sc -DWHO=2): assertion
// EXPECT(sc -DBITS): safe
// EXPECT(sc -DTIMED): assertion says=timed out
// EXPECT(sc -DOTHER): incomplete says=futex other than to wait and to wake
#include "common.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, turns, first;

static long futex(int operation, int value, const struct timespec *timeout, unsigned bits)
{
    return syscall(SYS_futex, &word, operation, value, timeout, NULL, bits);
}

static void *sleeper(void *number)
{
    const struct timespec second = {1, 0};
    long result;

#ifdef TIMED
    result = futex(FUTEX_WAIT, 0, &second, 0);
    assert(!(result == -1 && errno == ETIMEDOUT) || !"timed out");
#elif defined BITS
    (void)second;
    result = futex(FUTEX_WAIT_BITSET, 0, NULL, 2);
#else
    (void)second;
    result = futex(FUTEX_WAIT, 0, NULL, 0);
#endif
    assert(result == 0 || errno == EAGAIN || errno == ETIMEDOUT);
    if (result == 0) {
        int none = 0;

        atomic_compare_exchange_strong(&first, &none, (int)(intptr_t)number);
        atomic_fetch_add(&turns, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int woken;

    assert(futex(FUTEX_WAIT, 1, NULL, 0) == -1 && errno == EAGAIN);
    assert(futex(FUTEX_WAKE, 1, NULL, 0) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sleeper, (void *)(intptr_t)(i + 1));
#ifdef OTHER
    assert(syscall(SYS_futex, &word, FUTEX_REQUEUE, 1, 1, &word, 0) == -1);
#endif
#ifdef BITS
    assert(futex(FUTEX_WAKE_BITSET, INT_MAX, NULL, 4) == 0);
#endif
    woken = (int)futex(FUTEX_WAKE, 1, NULL, 0);
    assert(woken == 0 || woken == 1);
#ifdef WHO
    if (woken == 1) {
        while (load(turns) == 0)
            ;
        assert(load(first) != WHO);
    }
#endif
    store(word, 1);
    woken += (int)futex(FUTEX_WAKE, INT_MAX, NULL, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(load(turns) == woken);
    return 0;
}
