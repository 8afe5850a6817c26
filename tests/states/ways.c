/* Two ways to a state: the thread chooses one, and then comes to the same operation. SAME: what it does from there on cannot depend on the way, so
 * the second run must stop there. OTHER: it can, and the run must go on. The argument is the name of the case; tests/tool/states.sh
 * runs them all. */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <raddle.h>

static atomic_int seen;
static long result; /* what was different shows here to the end */

static long one, two;
static char text[64], large[1 << 16];
static struct pair {
    char a;
    long b;
} pair;
static _Thread_local int own;
static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive;
static atomic_long cell;

/* Where both ways meet. */
#define MEET atomic_store(&seen, 1)

/* `before`, one of the two ways, and behind the meeting `after`. */
#define CASE(name, before, way1, way2, after)                                                      \
    static void name(void)                                                                         \
    {                                                                                              \
        before;                                                                                    \
        if (raddle_choose(2)) {                                                                    \
            way1;                                                                                  \
        } else {                                                                                   \
            way2;                                                                                  \
        }                                                                                          \
        MEET;                                                                                      \
        after;                                                                                     \
    }

#define NOTHING (void)0

/* ---- memory */

CASE(memory_same, NOTHING, one = 1, (one = 2, one = 1), NOTHING)
CASE(memory_back, NOTHING, (one = 7, one = 0), NOTHING, NOTHING)
CASE(memory_other, NOTHING, one = 1, one = 2, NOTHING)
CASE(memory_elsewhere, NOTHING, one = 1, two = 1, NOTHING)
CASE(memory_byte, NOTHING, text[3] = 1, text[4] = 1, NOTHING)
CASE(memory_bytes_same, NOTHING, (text[3] = 1, text[4] = 2), (text[4] = 2, text[3] = 1), NOTHING)
CASE(memory_atomic, NOTHING, (one = 1, atomic_store(&cell, 1)), (one = 1, atomic_store(&cell, 2)),
     NOTHING)
CASE(memory_copy_same, NOTHING, memset(large, 5, sizeof large),
     (memset(large, 4, sizeof large), memset(large, 5, sizeof large)), NOTHING)
CASE(memory_copy_other, NOTHING, memset(large, 5, sizeof large), memset(large, 5, sizeof large - 1),
     NOTHING)
CASE(memory_struct, NOTHING, pair = ((struct pair){1, 2}), pair = ((struct pair){1, 3}), NOTHING)
CASE(memory_printed_same, NOTHING, sprintf(text, "%d", 12), sprintf(text, "1%c", '2'), NOTHING)
CASE(memory_printed_other, NOTHING, sprintf(text, "%d", 12), sprintf(text, "%d", 13), NOTHING)
CASE(memory_text, NOTHING, strcpy(text, "one"), strcpy(text, "two"), NOTHING)

/* ---- the heap */

static char *block;

CASE(heap_same, block = malloc(9), (block[8] = 3, block[0] = 1), (block[0] = 1, block[8] = 3),
     free(block))
CASE(heap_other, block = malloc(9), block[8] = 3, block[8] = 4, result = block[8])
CASE(heap_freed_same, NOTHING, (block = malloc(9), block[0] = 1, free(block)),
     (block = malloc(9), block[0] = 2, free(block)), NOTHING)
CASE(heap_freed_or_not, block = malloc(9), free(block), NOTHING, NOTHING)
CASE(heap_next, NOTHING, (free(malloc(16)), one = 1), (free(malloc(64)), one = 1),
     result = (long)malloc(1))
CASE(heap_rank, NOTHING, (free(malloc(16)), free(malloc(16))), free(malloc(16)),
     result = (long)malloc(1))
CASE(heap_moved, block = calloc(1, 8), block[1] = 1, block[1] = 2, block = realloc(block, 100))
CASE(heap_moved_same, block = calloc(1, 8),
     (block[1] = 1, block = realloc(block, 100), block[2] = 2),
     (block[1] = 1, block[2] = 2, block = realloc(block, 100)), NOTHING)

/* ---- what is live */

static int twice(int n)
{
    atomic_store(&seen, 2);
    return 2 * n;
}

CASE(live_value, int value = 0, value = 1, value = 2, result = value)
CASE(live_dead, volatile int value = 0; (void)value, NOTHING, NOTHING, NOTHING)
CASE(live_read, long value = 0, (value = atomic_load(&cell), one = value),
     (value = atomic_load(&cell) + 1, one = value - 1), NOTHING)
CASE(live_array, int values[4] = {0}, values[3] = 1, values[3] = 2, result = values[one + 3])
CASE(live_pointed, int value = 0;
     int *at = &value, *at = 1, *at = 2, __asm__ volatile("" : : "r"(at) : "memory");
     result = value)
CASE(live_double, double value = 1, value = 2, value = 3, result = (long)value)
CASE(live_across_call, int value = 0, value = 1, value = 2, result = twice(3) + value)
CASE(live_argument, int value = 0, value = 1, value = 2, result = twice(value))
CASE(live_wide, unsigned __int128 value = 0, value = (unsigned __int128)1 << 100,
     value = (unsigned __int128)1 << 101, result = (long)(value >> 100))
CASE(live_sized, long n = one + 4; int values[n];
     memset(values, 0, sizeof values), values[3] = 1, values[3] = 2, result = values[3])

static __attribute__((noinline)) void inner(int n)
{
    if (raddle_choose(2))
        one = 1;
    else
        one = 1;
    atomic_store(&seen, n);
}

static void live_outer_same(void)
{
    int kept = (int)one + 5;

    inner(3);
    result = kept;
}

static __attribute__((noinline)) void inner_writes(int *n)
{
    *n = raddle_choose(2) ? 1 : 2;
    MEET;
}

static void live_outer_written(void)
{
    int kept = 0;

    inner_writes(&kept);
    result = kept;
}

static jmp_buf jump;

static void live_jump(void)
{
    volatile int value = 0;

    if (setjmp(jump)) {
        result = value;
        return;
    }
    value = raddle_choose(2) ? 1 : 2;
    MEET;
    longjmp(jump, 1);
}

static int compared;

static int compare(const void *a, const void *b)
{
    if (compared++ == 0)
        MEET;
    return *(const int *)a - *(const int *)b;
}

static void live_callback(void)
{
    int values[3] = {3, 2, 1};

    values[0] = raddle_choose(2) ? 3 : 4;
    qsort(values, 3, sizeof *values, compare);
    result = values[2];
}

/* Code that raddle does not see asks for the operation, and keeps something meanwhile. */
static __attribute__((disable_sanitizer_instrumentation, noinline)) long unseen(long n)
{
    pthread_mutex_lock(&mutex);
    return n;
}

static void live_unseen(void)
{
    result = unseen(raddle_choose(2));
}

static __attribute__((noinline)) long sum(int count, ...)
{
    va_list list;
    long all = 0;

    va_start(list, count);
    MEET;
    while (count-- > 0)
        all += va_arg(list, long);
    va_end(list);
    return all;
}

static void live_variable_arguments(void)
{
    result = sum(2, 1L, raddle_choose(2) ? 1L : 2L);
}

typedef long function(long);

static __attribute__((noinline)) long plus_one(long n)
{
    MEET;
    return n + 1;
}

static __attribute__((noinline)) long plus_two(long n)
{
    MEET;
    return n + 2;
}

static void live_function(void)
{
    function *volatile which = raddle_choose(2) ? plus_one : plus_two;

    result = which(1);
}

CASE(live_duplicate, char *copy = NULL, copy = strdup("one"), copy = strdup("two"),
     result = copy[0])
CASE(live_duplicate_same, char *copy = NULL, copy = strdup("one"),
     (copy = strdup("two"), strcpy(copy, "one")), result = copy[0])

/* ---- what else belongs to a thread */

CASE(own_variable, NOTHING, own = 1, own = 2, result = own)
CASE(own_variable_same, NOTHING, own = 1, (own = 2, own = 1), result = own)
CASE(own_errno, NOTHING, errno = 1, errno = 2, result = errno)
CASE(own_errno_same, NOTHING, errno = 1, (errno = 2, errno = 1), result = errno)
CASE(own_key, pthread_key_create(&key, NULL), pthread_setspecific(key, &one),
     pthread_setspecific(key, &two), result = (long)pthread_getspecific(key))
CASE(own_key_same, pthread_key_create(&key, NULL), pthread_setspecific(key, &one),
     (pthread_setspecific(key, &two), pthread_setspecific(key, &one)), NOTHING)
CASE(own_name, NOTHING, pthread_setname_np(pthread_self(), "a"),
     pthread_setname_np(pthread_self(), "b"), pthread_getname_np(pthread_self(), text, sizeof text))
CASE(own_cancel_state, int old, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), NOTHING,
     pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
     result = old)

static void block_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static long is_pending(void)
{
    sigset_t set;

    sigpending(&set);
    return sigismember(&set, SIGUSR1);
}

CASE(own_mask, NOTHING, block_signals(), NOTHING, sigset_t set;
     pthread_sigmask(SIG_BLOCK, NULL, &set); result = sigismember(&set, SIGUSR1))
CASE(own_pending, block_signals(), raise(SIGUSR1), NOTHING, result = is_pending())

/* ---- locks, files, libraries */

static void make_recursive(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
}

CASE(lock_held, NOTHING, pthread_mutex_lock(&mutex), NOTHING, NOTHING)
CASE(lock_same, NOTHING, (pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)), NOTHING,
     NOTHING)
CASE(lock_depth, make_recursive(), pthread_mutex_lock(&recursive),
     (pthread_mutex_lock(&recursive), pthread_mutex_lock(&recursive)), NOTHING)
CASE(lock_kind, NOTHING, make_recursive(), pthread_mutex_init(&recursive, NULL), NOTHING)
CASE(file_offset, int file = open("/dev/zero", O_RDONLY), NOTHING, lseek(file, 1, SEEK_CUR),
     result = lseek(file, 0, SEEK_CUR))
CASE(library_token, NOTHING, strtok(strcpy(text, "a b"), " "), strtok(strcpy(text, "a b"), "b"),
     result = (long)strtok(NULL, " "))
CASE(library_random, NOTHING, rand(), NOTHING, result = rand())
CASE(library_environment, NOTHING, setenv("RADDLE_WAY", "1", 1), setenv("RADDLE_WAY", "2", 1),
     result = atoi(getenv("RADDLE_WAY")))
CASE(library_time, NOTHING, usleep(1000), usleep(2000), struct timespec now;
     clock_gettime(CLOCK_MONOTONIC, &now); result = now.tv_nsec)
CASE(library_output_same, NOTHING, printf("a"), printf("b"), NOTHING)

#define CASES                                                                                      \
    SAME(memory_same)                                                                              \
    SAME(memory_back)                                                                              \
    OTHER(memory_other)                                                                            \
    OTHER(memory_elsewhere)                                                                        \
    OTHER(memory_byte)                                                                             \
    SAME(memory_bytes_same)                                                                        \
    OTHER(memory_atomic)                                                                           \
    SAME(memory_copy_same)                                                                         \
    OTHER(memory_copy_other)                                                                       \
    OTHER(memory_struct)                                                                           \
    SAME(memory_printed_same)                                                                      \
    OTHER(memory_printed_other)                                                                    \
    OTHER(memory_text)                                                                             \
    SAME(heap_same)                                                                                \
    OTHER(heap_other)                                                                              \
    SAME(heap_freed_same)                                                                          \
    OTHER(heap_freed_or_not)                                                                       \
    OTHER(heap_next)                                                                               \
    OTHER(heap_rank)                                                                               \
    OTHER(heap_moved)                                                                              \
    SAME(heap_moved_same)                                                                          \
    OTHER(live_value)                                                                              \
    SAME(live_dead)                                                                                \
    SAME(live_read)                                                                                \
    OTHER(live_array)                                                                              \
    OTHER(live_pointed)                                                                            \
    OTHER(live_double)                                                                             \
    OTHER(live_across_call)                                                                        \
    OTHER(live_argument)                                                                           \
    OTHER(live_wide)                                                                               \
    OTHER(live_sized)                                                                              \
    SAME(live_outer_same)                                                                          \
    OTHER(live_outer_written)                                                                      \
    OTHER(live_jump)                                                                               \
    OTHER(live_callback)                                                                           \
    OTHER(live_unseen)                                                                             \
    OTHER(live_variable_arguments)                                                                 \
    OTHER(live_function)                                                                           \
    OTHER(live_duplicate)                                                                          \
    SAME(live_duplicate_same)                                                                      \
    OTHER(own_variable)                                                                            \
    SAME(own_variable_same)                                                                        \
    OTHER(own_errno)                                                                               \
    SAME(own_errno_same)                                                                           \
    OTHER(own_key)                                                                                 \
    SAME(own_key_same)                                                                             \
    OTHER(own_name)                                                                                \
    OTHER(own_cancel_state)                                                                        \
    OTHER(own_mask)                                                                                \
    OTHER(own_pending)                                                                             \
    OTHER(lock_held)                                                                               \
    SAME(lock_same)                                                                                \
    OTHER(lock_depth)                                                                              \
    OTHER(lock_kind)                                                                               \
    OTHER(file_offset)                                                                             \
    OTHER(library_token)                                                                           \
    OTHER(library_random)                                                                          \
    OTHER(library_environment)                                                                     \
    OTHER(library_time)                                                                            \
    SAME(library_output_same)

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define SAME(name)  {#name, name},
#define OTHER(name) {#name, name},
    CASES
#undef SAME
#undef OTHER
};

static void *thread(void *argument)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argument) == 0)
            cases[i].run();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t handle;

    if (argc < 2)
        return 1;
    pthread_create(&handle, NULL, thread, argv[1]);
    pthread_join(handle, NULL);
    return 0;
}
