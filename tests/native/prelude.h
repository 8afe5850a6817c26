/* What every file of generated programs includes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <raddle.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "state_hash.h"

/* Files are not undone by a restart: so every execution that comes to the end of main leaves eight bytes. */
static void state_write(const char *path, uint64_t hash)
{
    int file = open(path, O_WRONLY | O_APPEND);

    __atomic_thread_fence(
        __ATOMIC_SEQ_CST); /* the kernel does not look into store buffers for `hash` */
    if (file < 0 || write(file, &hash, sizeof hash) != sizeof hash)
        abort();
    close(file);
}

static int64_t divided(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remains(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

static int64_t extended(int64_t value, int64_t bytes, int sign)
{
    unsigned unused = bytes == 1 || bytes == 2 || bytes == 4 ? 64 - 8 * (unsigned)bytes : 0;

    return sign ? (int64_t)((uint64_t)value << unused) >> unused
                : (int64_t)((uint64_t)value << unused >> unused);
}

static __attribute__((unused)) void wait_for_ever(void)
{
    sem_t never;

    sem_init(&never, 0, 0);
    sem_wait(&never);
}
