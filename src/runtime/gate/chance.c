#include "runtime/gate/chance.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/interpose.h"
#include "runtime/program/native.h"
#include "runtime/program/spin.h"
#include "runtime/time/time.h"

#define DEVICE_BYTES ((size_t)64 << 10) /* that a device of random numbers has to give */
#define TRIES        1000
#define CYCLES       2 /* of the processor in a nanosecond */

void chance_named(const char *what)
{
    char text[160];

    snprintf(text, sizeof text, "%.80s: it is another one each time, and one is tried", what);
    native_unsupported(text);
}

/* ---- the state: none of it depends on the interleaving */

static struct {
    uint32_t numbers[RUNTIME_THREADS]; /* how often each thread has asked */
    uint32_t names[RUNTIME_THREADS];   /* that each thread has made */
    uint32_t threads;                  /* those below it may have done so */
} chance;

static void restart(void)
{
    memset(chance.numbers, 0, chance.threads * sizeof *chance.numbers);
    memset(chance.names, 0, chance.threads * sizeof *chance.names);
    chance.threads = 0;
}

/* The running thread, which asks now. */
static uint32_t asker(void)
{
    uint32_t thread = native.current->number;

    if (chance.threads <= thread)
        chance.threads = thread + 1;
    return thread;
}

/* ---- numbers */

/* The same in each execution, and others each time that the thread asks. */
static void numbers_fill(void *buffer, size_t size)
{
    unsigned char *to = buffer;
    uint32_t thread = asker();
    uint64_t state = ++chance.numbers[thread] + thread * 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        to[i] = (unsigned char)(state >> 32);
    }
}

static void random_fill(void *buffer, size_t size)
{
    native_unsupported("random numbers of the system: one sequence is tried");
    spin_forget();
    numbers_fill(buffer, size);
}

/* libc keeps the state of these where nobody sees it: each call is another one. */
#define RANDOM_CALL(type, name)                                                                    \
    REAL_CALL(name)                                                                                \
    INTERPOSE type name(void)                                                                      \
    {                                                                                              \
        spin_forget();                                                                             \
        return REAL(name)();                                                                       \
    }

RANDOM_CALL(int, rand)
RANDOM_CALL(long, random)
RANDOM_CALL(long, lrand48)
RANDOM_CALL(long, mrand48)
RANDOM_CALL(double, drand48)

REAL_CALL(getrandom)
INTERPOSE ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    if (!native.current)
        return REAL(getrandom)(buffer, size, flags);
    if (size > SSIZE_MAX) {
        errno = EFAULT;
        return -1;
    }
    random_fill(buffer, size);
    return (ssize_t)size;
}

REAL_CALL(getentropy)
INTERPOSE int getentropy(void *buffer, size_t size)
{
    if (!native.current)
        return REAL(getentropy)(buffer, size);
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    random_fill(buffer, size);
    return 0;
}

REAL_CALL(arc4random)
INTERPOSE uint32_t arc4random(void)
{
    uint32_t number;

    if (!native.current)
        return REAL(arc4random)();
    random_fill(&number, sizeof number);
    return number;
}

REAL_CALL(arc4random_buf)
INTERPOSE void arc4random_buf(void *buffer, size_t size)
{
    if (!native.current) {
        REAL(arc4random_buf)(buffer, size);
        return;
    }
    random_fill(buffer, size);
}

REAL_CALL(arc4random_uniform)
INTERPOSE uint32_t arc4random_uniform(uint32_t bound)
{
    if (!native.current)
        return REAL(arc4random_uniform)(bound);
    return bound ? arc4random() % bound : 0;
}

/* std::random_device. */
unsigned _ZNSt13random_device9_M_getvalEv(void *device);
INTERPOSE unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
    (void)device;
    if (native.current)
        return arc4random();
    return (unsigned)_rdtsc();
}

/* Instructions. */
INTERPOSE uint64_t __raddle_chance(uint32_t what, const struct raddle_site *site)
{
    uint64_t number = 0;

    if (!native.current) {
        syscall(SYS_getrandom, &number, sizeof number, 0);
        return what == HOOK_CHANCE_CYCLES ? _rdtsc() : what == HOOK_CHANCE_NUMBER ? number : 0;
    }
    if (__raddle_frames)
        __raddle_frames->site = site;
    if (what == HOOK_CHANCE_CYCLES) {
        chance_named("a counter of the processor");
        return time_look() * CYCLES;
    }
    if (what == HOOK_CHANCE_PROCESSOR)
        chance_named("the number of the processor");
    else
        random_fill(&number, sizeof number);
    return number;
}

/* ---- the process. Its number is that of the driver, so that no other process has it, and the search is in one all the time. When a bug is
 * confirmed it is another one: if the bug depends on it, that shows. */

INTERPOSE pid_t getpid(void)
{
    return native.current ? (pid_t)native.session->pid : (pid_t)syscall(SYS_getpid);
}

INTERPOSE pid_t getppid(void)
{
    return native.current ? (pid_t)(native.session->pid - 2) : (pid_t)syscall(SYS_getppid);
}

REAL_CALL(sched_getcpu)
INTERPOSE int sched_getcpu(void)
{
    return native.current ? 0 : REAL(sched_getcpu)();
}

/* ---- devices: /dev/random and /dev/urandom */

void chance_device(int fd, struct stat *status)
{
    char bytes[4096];
    int flags = (int)syscall(SYS_fcntl, fd, F_GETFD);
    long file;

    if (!S_ISCHR(status->st_mode) || major(status->st_rdev) != 1 ||
        (minor(status->st_rdev) != 8 && minor(status->st_rdev) != 9))
        return;
    native_unsupported("random numbers of the system: one sequence is tried");
    file = syscall(SYS_memfd_create, "random", 0);
    if (file < 0)
        return;
    for (size_t done = 0; done < DEVICE_BYTES; done += sizeof bytes) {
        numbers_fill(bytes, sizeof bytes);
        syscall(SYS_pwrite64, file, bytes, sizeof bytes, done);
    }
    syscall(SYS_dup3, file, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    syscall(SYS_close, file);
    syscall(SYS_fstat, fd, status);
}

/* What the kernel has given to each process. */
static void given_settle(void)
{
    static const unsigned char bytes[16] = {1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47};
    void *given = (void *)getauxval(AT_RANDOM);

    if (given)
        memcpy(given, bytes, sizeof bytes);
}

REAL_CALL(getauxval)
INTERPOSE unsigned long getauxval(unsigned long type)
{
    if (native.current && type == AT_RANDOM)
        chance_named("getauxval(AT_RANDOM)");
    return REAL(getauxval)(type);
}

/* ---- names of temporary files. What an execution makes is gone in the next one, so the same names are free again. */

enum temporary { TEMPORARY_FILE, TEMPORARY_DIRECTORY, TEMPORARY_NAME };

#define LETTERS "0123456789abcdefghijklmnopqrstuvwxyz"

static void digits_put(char *to, size_t size, uint32_t number)
{
    for (; size-- > 0; number /= sizeof LETTERS - 1)
        to[size] = LETTERS[number % (sizeof LETTERS - 1)];
}

/* The thread and how many it has made: the names do not depend on the interleaving. */
static void letters_fill(char *six)
{
    uint32_t thread = asker();

    digits_put(six, 3, thread);
    digits_put(six + 3, 3, chance.names[thread]++);
}

static int temporary_try(const char *path, int flags, enum temporary what)
{
    switch (what) {
    case TEMPORARY_FILE:
        return open(path, O_RDWR | O_CREAT | O_EXCL | (flags & ~O_ACCMODE), 0600);
    case TEMPORARY_DIRECTORY:
        return mkdir(path, 0700);
    case TEMPORARY_NAME:
        break;
    }
    errno = EEXIST;
    return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0 ? -1 : 0;
}

/* The last six letters, before a suffix, become others until the name is free. */
static int temporary_make(char *path, int suffix, int flags, enum temporary what)
{
    size_t length = strlen(path);
    char *six = path + length - (size_t)suffix - 6;
    int got = -1;

    if (suffix < 0 || length < (size_t)suffix + 6 || memcmp(six, "XXXXXX", 6) != 0) {
        errno = EINVAL;
        return -1;
    }
    chance_named("the name of a temporary file");
    spin_forget();
    for (int i = 0; i < TRIES; i++) {
        letters_fill(six);
        got = temporary_try(path, flags, what);
        if (got >= 0 || errno != EEXIST)
            break;
    }
    return got;
}

#define TEMPORARY(name, parameters, arguments, suffix, flags)                                      \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name parameters                                                                  \
    {                                                                                              \
        return native.current ? temporary_make(path, suffix, flags, TEMPORARY_FILE)                \
                              : REAL(name) arguments;                                              \
    }

TEMPORARY(mkstemp, (char *path), (path), 0, 0)
TEMPORARY(mkstemp64, (char *path), (path), 0, 0)
TEMPORARY(mkostemp, (char *path, int flags), (path, flags), 0, flags)
TEMPORARY(mkostemp64, (char *path, int flags), (path, flags), 0, flags)
TEMPORARY(mkstemps, (char *path, int suffix), (path, suffix), suffix, 0)
TEMPORARY(mkstemps64, (char *path, int suffix), (path, suffix), suffix, 0)
TEMPORARY(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags), suffix, flags)
TEMPORARY(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags), suffix, flags)

REAL_CALL(mkdtemp)
INTERPOSE char *mkdtemp(char *path)
{
    if (!native.current)
        return REAL(mkdtemp)(path);
    return temporary_make(path, 0, 0, TEMPORARY_DIRECTORY) == 0 ? path : NULL;
}

INTERPOSE char *mktemp(char *path)
{
    if (temporary_make(path, 0, 0, TEMPORARY_NAME) != 0)
        *path = '\0';
    return path;
}

static char *name_make(char *to, size_t size, const char *directory, const char *prefix)
{
    snprintf(to, size, "%.3900s/%.5sXXXXXX", directory, prefix);
    return temporary_make(to, 0, 0, TEMPORARY_NAME) == 0 ? to : NULL;
}

INTERPOSE char *tmpnam(char *to)
{
    static char own[L_tmpnam]; /* outlives a run: as libc's own does not show what it held */

    return name_make(to ? to : own, L_tmpnam, P_tmpdir, "file");
}

INTERPOSE char *tmpnam_r(char *to)
{
    return to ? tmpnam(to) : NULL;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return path && syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 &&
           S_ISDIR(status.st_mode);
}

INTERPOSE char *tempnam(const char *directory, const char *prefix)
{
    char *wanted = getenv("TMPDIR"), *to = malloc(4096);

    if (!is_directory(wanted))
        wanted = NULL;
    if (to && !name_make(to, 4096,
                         wanted                    ? wanted
                         : is_directory(directory) ? directory
                                                   : P_tmpdir,
                         prefix ? prefix : "file")) {
        free(to);
        return NULL;
    }
    return to;
}

/* The next number, and the next name, of each thread follow from how many it has had. */
static bool fingerprint(struct fingerprint *into)
{
    struct fingerprint sum = {0};

    for (uint32_t i = 0; i < chance.threads; i++)
        if (chance.numbers[i] || chance.names[i])
            fingerprint_plus(
                &sum, fingerprint_at(i, (uint64_t)chance.numbers[i] << 32 | chance.names[i]));
    if (chance.threads)
        fingerprint_bytes(into, &sum, sizeof sum);
    return true;
}

const struct part chance_part = {.name = "chance",
                                 .state = &chance,
                                 .size = sizeof chance,
                                 .open = given_settle,
                                 .restart = restart,
                                 .fingerprint = fingerprint};
