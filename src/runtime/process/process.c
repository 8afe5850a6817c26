#include <aio.h>
#include <errno.h>
#include <execinfo.h>
#include <iconv.h>
#include <mqueue.h>
#include <netdb.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/files/files.h"
#include "runtime/program/spin.h"
#include "runtime/signals/signals.h"
#include "runtime/time/time.h"

/* What the kernel keeps for the process: directory, signals, limits; and calls that would start another process. */

PASS_THROUGH(int, chdir, (const char *path), (path), files_place(true); state_note(STATE_CWD))
PASS_THROUGH(int, fchdir, (int fd), (fd), files_place(true); state_note(STATE_CWD))

REAL_CALL(umask)
INTERPOSE mode_t umask(mode_t mask)
{
    if (native.current)
        state_note(STATE_UMASK);
    if (native.current &&
        !native.alone) /* what others make meanwhile is not tried in both orders */
        native_unsupported("umask while there are other threads");
    return REAL(umask)(mask);
}

/* ---- timers: time is ours, so none ever expires */

REAL_CALL(alarm)
INTERPOSE unsigned alarm(unsigned seconds)
{
    if (!native.current)
        return REAL(alarm)(seconds);
    if (seconds) {
        native_unsupported("alarm");
        signals_timer_started(SIGALRM);
    }
    return 0;
}

REAL_CALL(setitimer)
INTERPOSE int setitimer(__itimer_which_t which, const struct itimerval *restrict timer,
                        struct itimerval *restrict old)
{
    if (!native.current)
        return REAL(setitimer)(which, timer, old);
    if (timer && (timer->it_value.tv_sec || timer->it_value.tv_usec)) {
        native_unsupported("setitimer");
        signals_timer_started(which == ITIMER_REAL      ? SIGALRM
                              : which == ITIMER_VIRTUAL ? SIGVTALRM
                                                        : SIGPROF);
    }
    if (old)
        memset(old, 0, sizeof *old);
    return 0;
}

NOT_MODELLED(int, timer_create,
             (clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer),
             (clock, event, timer), ENOSYS, -1)

/* ---- limits */

/* A hard limit that was lowered could not be raised again: only the soft one changes. One on memory or time would
 * hit the engine. */
static int limit_set(__rlimit_resource_t what, rlim64_t soft, rlim64_t hard)
{
    struct rlimit64 limit;

    if (soft > hard) {
        errno = EINVAL;
        return -1;
    }
    if (what == RLIMIT_AS || what == RLIMIT_DATA || what == RLIMIT_CPU) {
        native_unsupported("a limit on memory or time");
        return 0;
    }
    if (syscall(SYS_prlimit64, 0, what, NULL, &limit) != 0)
        return -1;
    state_note(STATE_LIMITS);
    limit.rlim_cur = soft;
    return (int)syscall(SYS_prlimit64, 0, what, &limit, NULL);
}

REAL_CALL(setrlimit)
INTERPOSE int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
    return native.current ? limit_set(what, limit->rlim_cur, limit->rlim_max)
                          : REAL(setrlimit)(what, limit);
}

REAL_CALL(setrlimit64)
INTERPOSE int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit)
{
    return native.current ? limit_set(what, limit->rlim_cur, limit->rlim_max)
                          : REAL(setrlimit64)(what, limit);
}

/* ---- other processes */

NOT_MODELLED(pid_t, vfork, (void), (), ENOSYS, -1)
NOT_MODELLED(pid_t, _Fork, (void), (), ENOSYS, -1)
NOT_MODELLED(int, forkpty,
             (int *side, char *name, const struct termios *line, const struct winsize *size),
             (side, name, line, size), ENOSYS, -1)
INTERPOSE int clone(int (*start)(void *), void *stack, int flags, void *argument, ...)
{
    (void)start, (void)stack, (void)flags, (void)argument;
    native_refused("clone");
    errno = ENOSYS;
    return -1;
}
NOT_MODELLED(int, daemon, (int keep_directory, int keep_streams), (keep_directory, keep_streams),
             ENOSYS, -1)
NOT_MODELLED(int, system, (const char *command), (command), ENOSYS, -1)
NOT_MODELLED(FILE *, popen, (const char *command, const char *mode), (command, mode), ENOSYS, NULL)
NOT_MODELLED(int, execve, (const char *path, char *const argv[], char *const envp[]),
             (path, argv, envp), ENOSYS, -1)
NOT_MODELLED(int, fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp),
             ENOSYS, -1)
NOT_MODELLED(int, execv, (const char *path, char *const argv[]), (path, argv), ENOSYS, -1)
NOT_MODELLED(int, execvp, (const char *path, char *const argv[]), (path, argv), ENOSYS, -1)
NOT_MODELLED(int, execvpe, (const char *path, char *const argv[], char *const envp[]),
             (path, argv, envp), ENOSYS, -1)
NOT_MODELLED(int, posix_spawn,
             (pid_t *restrict pid, const char *restrict path,
              const posix_spawn_file_actions_t *restrict actions,
              const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
              char *const envp[restrict]),
             (pid, path, actions, attributes, argv, envp), ENOSYS, ENOSYS)
NOT_MODELLED(int, posix_spawnp,
             (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
              const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
             (pid, path, actions, attributes, argv, envp), ENOSYS, ENOSYS)

/* Threads that libc would start for itself. */
NOT_MODELLED(int, aio_read, (struct aiocb * block), (block), ENOSYS, -1)
NOT_MODELLED(int, aio_write, (struct aiocb * block), (block), ENOSYS, -1)
NOT_MODELLED(int, aio_fsync, (int how, struct aiocb *block), (how, block), ENOSYS, -1)
NOT_MODELLED(int, lio_listio,
             (int how, struct aiocb *const blocks[restrict], int count,
              struct sigevent *restrict event),
             (how, blocks, count, event), ENOSYS, -1)
NOT_MODELLED(int, aio_read64, (struct aiocb64 * block), (block), ENOSYS, -1)
NOT_MODELLED(int, aio_write64, (struct aiocb64 * block), (block), ENOSYS, -1)
NOT_MODELLED(int, aio_fsync64, (int how, struct aiocb64 *block), (how, block), ENOSYS, -1)
NOT_MODELLED(int, lio_listio64,
             (int how, struct aiocb64 *const blocks[restrict], int count,
              struct sigevent *restrict event),
             (how, blocks, count, event), ENOSYS, -1)
NOT_MODELLED(int, mq_notify, (mqd_t queue, const struct sigevent *event), (queue, event), ENOSYS,
             -1)
NOT_MODELLED(int, getaddrinfo_a,
             (int how, struct gaicb *requests[restrict], int count,
              struct sigevent *restrict event),
             (how, requests, count, event), ENOSYS, EAI_SYSTEM)

NOT_MODELLED(int, chroot, (const char *path), (path), EPERM, -1)
NOT_MODELLED(pid_t, setsid, (void), (), EPERM, -1)

/* Who the process is cannot change, as it might not be able to become again who it was. To be who it is anyway is fine. */
#define IDENTITY(name, ask)                                                                        \
    REAL_CALL(name)                                                                                \
    INTERPOSE int name(uid_t id)                                                                   \
    {                                                                                              \
        uid_t real, effective, saved;                                                              \
                                                                                                   \
        if (!native.current)                                                                       \
            return REAL(name)(id);                                                                 \
        if (syscall(ask, &real, &effective, &saved) == 0 && real == id && effective == id &&       \
            saved == id)                                                                           \
            return 0;                                                                              \
        native_refused(#name);                                                                     \
        errno = EPERM;                                                                             \
        return -1;                                                                                 \
    }

IDENTITY(setuid, SYS_getresuid)
IDENTITY(setgid, SYS_getresgid)

/* The lists of arguments make them hard to pass on, and nothing of ours calls them. */
#define EXEC_LIST(name)                                                                            \
    INTERPOSE int name(const char *path, const char *argument, ...)                                \
    {                                                                                              \
        (void)path;                                                                                \
        (void)argument;                                                                            \
        native_refused(#name);                                                                     \
        errno = ENOSYS;                                                                            \
        return -1;                                                                                 \
    }

EXEC_LIST(execl)
EXEC_LIST(execlp)
EXEC_LIST(execle)

/* ---- libraries */

/* The dynamic linker keeps its memory over restarts, so it must not come from the heap of the execution. Some functions
 * of libc load libraries on the side, by calls that nobody can interpose. */
#define OUTSIDE(type, name, parameters, arguments)                                                 \
    REAL_CALL(name)                                                                                \
    INTERPOSE type name parameters                                                                 \
    {                                                                                              \
        struct native_thread *thread = native.current;                                             \
        type result;                                                                               \
                                                                                                   \
        native.current = NULL;                                                                     \
        result = REAL(name) arguments;                                                             \
        native.current = thread;                                                                   \
        return result;                                                                             \
    }

OUTSIDE(iconv_t, iconv_open, (const char *to, const char *from), (to, from))
OUTSIDE(int, iconv_close, (iconv_t converter), (converter))
OUTSIDE(int, backtrace, (void **to, int n), (to, n))

REAL_CALL(dlopen)

static void *library_load(const char *path, int flags)
{
    struct native_thread *thread = native.current;
    void *library;

    native.current = NULL;
    library = REAL(dlopen)(path, flags);
    native.current = thread;
    return library;
}

INTERPOSE void *dlopen(const char *path, int flags)
{
    if (native.current && path)
        native_unsupported("dlopen: the library stays as the last execution left it");
    return library_load(path, flags);
}

REAL_CALL(dlclose)
INTERPOSE int dlclose(void *library)
{
    return native.current ? 0 : REAL(dlclose)(library);
}

INTERPOSE pid_t fork(void)
{
    native_refused("fork");
    errno = ENOSYS;
    return -1;
}
