/* What every file of generated programs includes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <raddle.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state_hash.h"

/* What a run does to files is undone. So the file is mapped before raddle looks: it begins with how many executions have come to the end of
 * main, and has eight bytes for each. */
#define STATES_MAX ((uint64_t)1 << 21)

static uint64_t *states;

static void states_open(int argc, char **argv)
{
    int file = argc > 2 ? open(argv[2], O_RDWR) : -1;

    if (file < 0 || ftruncate(file, (off_t)(STATES_MAX * sizeof *states)) != 0)
        abort();
    states = (uint64_t *)mmap(NULL, STATES_MAX * sizeof *states, PROT_READ | PROT_WRITE, MAP_SHARED,
                              file, 0);
    if (states == MAP_FAILED)
        abort();
    close(file);
}

__attribute__((section(".preinit_array"), used)) static void (*const opens)(int,
                                                                            char **) = states_open;

static void state_write(uint64_t hash)
{
    states[++states[0]] = hash;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* not to be left in a store buffer */
}

/* A result that the script keeps is used, whatever the compiler thinks of it. */
static __attribute__((noinline, unused)) void use(int64_t value)
{
    __asm__ volatile("" : : "r"(value));
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
