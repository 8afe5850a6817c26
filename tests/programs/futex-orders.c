// A wake-up that wakes nobody and a wait that finds another value order nothing between their threads; and the word may be gone when
// somebody wakes those who wait for it.
// EXPECT(all): data-race
// EXPECT(sc -DGONE): safe
#include "common.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int data;

static void *wake(void *_)
{
    data = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

static void *look(void *_)
{
    syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
    return (void *)(intptr_t)data;
}

/* As a lock that is freed by whoever finds it free: the address is all that is left of it. */
static void *wake_gone(void *heap)
{
    syscall(SYS_futex, heap, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

int main(void)
{
#ifdef GONE
    void *heap = malloc(sizeof(int));
    pthread_t other;

    pthread_create(&other, NULL, wake_gone, heap);
    free(heap);
    pthread_join(other, NULL);
#else
    (void)wake_gone;
    run2(wake, look);
#endif
    return 0;
}
