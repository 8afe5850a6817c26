#include "runtime/core/state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/fingerprint.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"
#include "runtime/core/state_fd.h"
#include "runtime/core/state_fork.h"

extern char **environ;

#define SIGNALS          STATE_SIGNALS_MAX
#define SIGNAL_SET_BYTES 8 /* of the kernel */

static struct {
    bool saved;
    unsigned noted;         /* in this execution */
    uint64_t noted_signals; /* a bit for each, SIGNALS is bit 0 */
    char **environ_start;
    int cwd;
    mode_t umask;
    uint64_t mask;
    struct kernel_sigaction actions[SIGNALS + 1];
    struct rlimit limits[RLIM_NLIMITS];
    bool lost; /* something was not undone */
} state;

/* ---- environment: an array, and strings that mostly lie one after the other. Writable by the
 * program without any call, so they are part of the image, which notices. */

static int environment_save(void)
{
    char *low = NULL, *high = NULL;
    size_t count = 0;

    state.environ_start = environ;
    if (!environ)
        return 0;
    for (; environ[count]; count++) {
        char *string = environ[count];

        if (string != high) {
            if (image_add_range(low, (size_t)(high - low)))
                return -1;
            low = string;
        }
        high = string + strlen(string) + 1;
    }
    if (image_add_range(low, (size_t)(high - low)))
        return -1;
    return image_add_range(environ, (count + 1) * sizeof *environ);
}

/* ---- the rest */

static int signals_save(void)
{
    for (int i = 1; i <= SIGNALS; i++) {
        if (syscall(SYS_rt_sigaction, i, NULL, &state.actions[i], SIGNAL_SET_BYTES))
            return -1;
    }
    return (int)syscall(SYS_rt_sigprocmask, 0, NULL, &state.mask, SIGNAL_SET_BYTES);
}

static uint64_t signal_bit(int number)
{
    return (uint64_t)1 << (number % SIGNALS);
}

static bool signals_restore(uint64_t which)
{
    bool ok = true;

    for (int i = 1; i <= SIGNALS; i++) {
        struct kernel_sigaction now;

        if (!(which & signal_bit(i)) || i == SIGKILL || i == SIGSTOP) /* those cannot be set */
            continue;
        ok &= !syscall(SYS_rt_sigaction, i, NULL, &now, SIGNAL_SET_BYTES);
        if (memcmp(&now, &state.actions[i], sizeof now))
            ok &= !syscall(SYS_rt_sigaction, i, &state.actions[i], NULL, SIGNAL_SET_BYTES);
    }
    return ok;
}

static bool mask_restore(void)
{
    return !syscall(SYS_rt_sigprocmask, SIG_SETMASK, &state.mask, NULL, SIGNAL_SET_BYTES);
}

static bool limits_restore(void)
{
    bool ok = true;

    for (int i = 0; i < RLIM_NLIMITS; i++)
        ok &= !syscall(SYS_prlimit64, 0, i, &state.limits[i], NULL);
    return ok;
}

static bool timers_restore(void)
{
    static const struct itimerval none;
    bool ok = true;

    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++)
        ok &= !syscall(SYS_setitimer, which, &none, NULL);
    return ok;
}

int state_save(void)
{
    if (state.saved) {
        errno = EBUSY;
        return -1;
    }
    if (environment_save() || signals_save() || state_fd_save())
        return -1;
    state.cwd = (int)syscall(SYS_openat, AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (state.cwd >= 0)
        state.cwd = state_fd_take(state.cwd); /* none is possible: the directory may be gone */
    state.umask = (mode_t)syscall(SYS_umask, 0);
    syscall(SYS_umask, state.umask);
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        if (syscall(SYS_prlimit64, 0, i, NULL, &state.limits[i]))
            return -1;
    }
    state.saved = true;
    return 0;
}

void state_note(unsigned changed)
{
    state.noted |= changed;
}

void state_signal_changing(int number)
{
    if (number >= 1 && number <= SIGNALS)
        state.noted_signals |= signal_bit(number);
}

static bool noted_restore(void)
{
    unsigned noted = state.noted;
    bool ok = true;

    state.noted = 0;
    if (noted & STATE_CWD)
        ok &= state.cwd >= 0 && !syscall(SYS_fchdir, state.cwd);
    if (noted & STATE_UMASK)
        syscall(SYS_umask, state.umask);
    if (noted & STATE_TIMERS)
        ok &= timers_restore(); /* before the handlers go */
    if (noted & STATE_SIGNALS || state.noted_signals)
        ok &= signals_restore(noted & STATE_SIGNALS ? ~(uint64_t)0 : state.noted_signals);
    if (noted & (STATE_SIGNALS | STATE_MASK))
        ok &= mask_restore();
    state.noted_signals = 0;
    if (noted & STATE_LIMITS)
        ok &= limits_restore();
    return ok;
}

bool state_restart(void)
{
    bool ok = true;

    if (!state.saved)
        return true;
    if (environ !=
        state.environ_start) /* else no write: the page may be one that nobody has dirtied */
        environ = state.environ_start;
    if (state.noted || state.noted_signals)
        ok = noted_restore();
    return state_fd_restart() && ok;
}

/* ---- within a run */

static uint64_t signals_noted(unsigned noted, uint64_t signals)
{
    return noted & STATE_SIGNALS ? ~(uint64_t)0 : signals;
}

bool state_signals_keep(struct state_signals *into)
{
    uint64_t which = signals_noted(state.noted, state.noted_signals);
    bool ok = true;

    into->noted = state.noted;
    into->noted_signals = state.noted_signals;
    for (int i = 1; i <= SIGNALS; i++)
        if (which & signal_bit(i))
            ok &= !syscall(SYS_rt_sigaction, i, NULL, &into->actions[i], SIGNAL_SET_BYTES);
    into->mask = state.mask;
    if (state.noted & (STATE_SIGNALS | STATE_MASK))
        ok &= !syscall(SYS_rt_sigprocmask, 0, NULL, &into->mask, SIGNAL_SET_BYTES);
    return ok && !(state.noted & ~(unsigned)(STATE_SIGNALS | STATE_MASK));
}

bool state_signals_can_go_back(void)
{
    return !(state.noted & (STATE_TIMERS | STATE_LIMITS));
}

bool state_signals_back(const struct state_signals *then)
{
    uint64_t were = signals_noted(then->noted, then->noted_signals);
    uint64_t are = signals_noted(state.noted, state.noted_signals);
    bool ok = true;

    if (state.noted & STATE_CWD)
        ok &= state.cwd >= 0 && !syscall(SYS_fchdir, state.cwd);
    if (state.noted & STATE_UMASK)
        syscall(SYS_umask, state.umask);
    for (int i = 1; i <= SIGNALS; i++)
        if ((were | are) & signal_bit(i) && i != SIGKILL && i != SIGSTOP)
            ok &= !syscall(SYS_rt_sigaction, i,
                           were & signal_bit(i) ? &then->actions[i] : &state.actions[i], NULL,
                           SIGNAL_SET_BYTES);
    if ((state.noted | then->noted) & (STATE_SIGNALS | STATE_MASK))
        ok &= !syscall(SYS_rt_sigprocmask, SIG_SETMASK, &then->mask, NULL, SIGNAL_SET_BYTES);
    return ok;
}

static void restart(void)
{
    state.lost |= !state_restart();
}

bool state_is_lost(void)
{
    return state.lost;
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return state.noted == 0 && state.noted_signals == 0 && environ == state.environ_start &&
           !state_fd_is_changed();
}

static bool forks(const char **why)
{
    if (state.noted & STATE_TIMERS) {
        *why = "timers of the system";
        return false;
    }
    return state_fork_looks(why);
}

const struct part state_part = {.name = "state",
                                .state = &state,
                                .size = sizeof state,
                                .restart = restart,
                                .fingerprint = fingerprint,
                                .forks = forks};
