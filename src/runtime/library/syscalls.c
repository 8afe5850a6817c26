#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include "runtime/core/kernel.h"
#include "runtime/files/files.h"
#include "runtime/gate/chance.h"
#include "runtime/gate/gate.h"
#include "runtime/hooks/plain.h"
#include "runtime/library/external.h"
#include "runtime/sync/calls.h"
#include "runtime/sync/futex.h"

/* syscall(): the way around libc. What libc's functions do is done the same way here. The runtime's own calls do not come here:
 * libraddle.so is linked with --wrap=syscall. */

#define CALL_ARGUMENTS 6

REAL_CALL(syscall)

long __wrap_syscall(long number, ...);

/* Reads as many arguments as there may be, like libc's. */
#define ARGUMENTS_READ(arguments, last)                                                            \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        for (int i = 0; i < CALL_ARGUMENTS; i++)                                                   \
            (arguments)[i] = va_arg(list, long);                                                   \
        va_end(list);                                                                              \
    } while (0)

static long raw_call(long number, const long *a)
{
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* For the program: what it leaves behind is noted. */
static long ask_kernel(long number, const long *a)
{
    struct gate_call call = {.number = number};
    long result;

    memcpy(call.a, a, sizeof call.a);
    result = gate_pass(&call);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

long __wrap_syscall(long number, ...)
{
    long a[CALL_ARGUMENTS];

    ARGUMENTS_READ(a, number);
    return raw_call(number, a);
}

/* Each thread has a number of its own, and that of the first is the process's, as on the bare system. */
INTERPOSE pid_t gettid(void)
{
    if (!native.current)
        return (pid_t)syscall(SYS_gettid);
    native_single_out(native.current->number);
    return getpid() + (pid_t)native.current->number;
}

/* ---- calls that libc has in another form */

static long by_error(int error)
{
    errno = error;
    return error ? -1 : 0;
}

static long thread_kill(pid_t process, pid_t thread, int number)
{
    if (process == getpid() && thread == gettid())
        return raise(number);
    native_refused("tgkill to another thread");
    errno = ENOSYS;
    return -1;
}

/* Without store buffers there is nothing to do. */
static long memory_barrier(const long *a)
{
    if (a[0] != MEMBARRIER_CMD_QUERY && world_is_buffered(native.world))
        native_unsupported("membarrier under a model with store buffers");
    return ask_kernel(SYS_membarrier, a);
}

/* Threads of the program are all on one. */
static long first_processor(const long *a)
{
    for (int i = 0; i < 2; i++)
        if (a[i])
            *(unsigned *)a[i] = 0;
    return 0;
}

/* ---- memory that the kernel reads or writes; NULL is none */

static void reads(const void *at, size_t size)
{
    if (at)
        native_reads(at, size);
}

static void writes(void *at, size_t size)
{
    if (!at)
        return;
    native_writes(at, size);
    image_touch(at, size);
}

/* ---- the table */

#define N(i)       ((int)a[i])
#define P(i)       ((void *)a[i])
#define R(i, size) reads(P(i), (size_t)(size))
#define W(i, size) writes(P(i), (size_t)(size))
#define S(i)       reads(P(i), a[i] ? strlen(P(i)) + 1 : 0)
#define CALL(name, ...)                                                                            \
    static long call_of_##name(const long *a)                                                      \
    {                                                                                              \
        (void)a;                                                                                   \
        return (long)(__VA_ARGS__);                                                                \
    }
#define ASK(name)                                                                                  \
    static long call_of_##name(const long *a)                                                      \
    {                                                                                              \
        return ask_kernel(SYS_##name, a);                                                          \
    }
#define REFUSE(name)                                                                               \
    static long call_of_##name(const long *a)                                                      \
    {                                                                                              \
        (void)a;                                                                                   \
        native_refused("the system call " #name);                                                  \
        errno = ENOSYS;                                                                            \
        return -1;                                                                                 \
    }
#include "runtime/library/syscalls.def"
#undef CALL
#undef ASK
#undef REFUSE
#undef N
#undef P
#undef R
#undef W
#undef S

#define CALL(name, ...) [SYS_##name] = call_of_##name,
#define ASK(name)       [SYS_##name] = call_of_##name,
#define REFUSE(name)    [SYS_##name] = call_of_##name,
static long (*const calls[])(const long *a) = {
#include "runtime/library/syscalls.def"
};

INTERPOSE long syscall(long number, ...)
{
    long a[CALL_ARGUMENTS];

    ARGUMENTS_READ(a, number);
    if (!native.current)
        return raw_call(number, a);
    if (number >= 0 && number < (long)(sizeof calls / sizeof *calls) && calls[number])
        return calls[number](a);
    external_unseen("syscall", (const void *)REAL(syscall));
    return ask_kernel(number, a);
}
