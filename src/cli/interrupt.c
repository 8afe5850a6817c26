#include "cli/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "explore/explorer.h"

/* A signal that comes again so soon is the same: timeout(1) sends it to the process and then to its group. In seconds. */
#define TWICE_SECONDS 0.1

static const int enders[] = {SIGINT, SIGTERM, SIGHUP};

#define ENDERS (sizeof enders / sizeof *enders)

static struct {
    bool open;
    bool deaf; /* another process is meant */
    uint32_t brake;
    volatile sig_atomic_t asked; /* the first signal, or 0 */
    double asked_at;
    double ends_at; /* interrupt_after, on the clock of working_seconds; 0: never */
    volatile double stopped;
    volatile pid_t child;
    volatile bool child_ends;
    struct sigaction pipe_before;
} interrupt;

static double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- ending */

static void brake_put_on(uint32_t reason)
{
    if (!interrupt.brake)
        __atomic_store_n(&interrupt.brake, reason, __ATOMIC_RELAXED);
}

const uint32_t *interrupt_brake(void)
{
    return &interrupt.brake;
}

bool interrupt_asked(void)
{
    return interrupt.asked != 0;
}

void interrupt_signals(sigset_t *set)
{
    struct sigaction action;

    for (size_t i = 0; i < ENDERS; i++)
        if (sigaction(enders[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(set, enders[i]);
}

bool interrupt_take(int number)
{
    double now = clock_seconds();

    if (interrupt.deaf)
        return true;
    if (!interrupt.open || (interrupt.asked && now > interrupt.asked_at + TWICE_SECONDS))
        return false;
    if (interrupt.asked)
        return true;
    interrupt.asked = number;
    interrupt.asked_at = now;
    brake_put_on(CUT_INTERRUPTED);
    if (interrupt.child && interrupt.child_ends)
        kill(interrupt.child, SIGTERM);
    return true;
}

void interrupt_leave_to_parent(void)
{
    interrupt.deaf = true;
    interrupt.asked = 0;
}

/* The status line, if there is one, goes away. */
_Noreturn void interrupt_die(int number)
{
    static const char clear[] = "\r\033[K";
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t set;

    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, clear, sizeof clear - 1) < 0)
        errno = 0; /* then there is nobody to see it */
    sigaction(number, &standard, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

static void on_ender(int number)
{
    int error = errno;

    if (!interrupt_take(number))
        interrupt_die(number);
    errno = error;
}

/* ---- the time */

double interrupt_stopped(void)
{
    return interrupt.stopped;
}

static void alarm_set(double seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* The timer has gone on while we were stopped. */
static void on_alarm(int number)
{
    double left = interrupt.ends_at - (clock_seconds() - interrupt.stopped);

    (void)number;
    if (interrupt.ends_at <= 0)
        return;
    if (left > 0)
        alarm_set(left);
    else
        brake_put_on(CUT_TIMEOUT);
}

void interrupt_after(double seconds)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

    interrupt.ends_at = seconds > 0 ? clock_seconds() - interrupt.stopped + seconds : 0;
    if (interrupt.brake == CUT_TIMEOUT)
        interrupt.brake = 0; /* of another search */
    sigaction(SIGALRM, &action, NULL);
    alarm_set(seconds);
}

/* Stops, with the child, and when it goes on knows for how long. */
static void on_stop(int number)
{
    struct sigaction standard = {.sa_handler = SIG_DFL}, own;
    double since = clock_seconds();
    int error = errno;
    sigset_t set;

    if (interrupt.child)
        kill(interrupt.child, SIGSTOP);
    sigaction(number, &standard, &own);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* here we stop */
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(number, &own, NULL);
    interrupt.stopped += clock_seconds() - since;
    if (interrupt.child)
        kill(interrupt.child, SIGCONT);
    errno = error;
}

/* ---- setting up */

static void handler_set(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDERS; i++)
        sigaddset(&action.sa_mask, enders[i]);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void interrupt_open(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    interrupt.open = true;
    for (size_t i = 0; i < ENDERS; i++)
        handler_set(enders[i], on_ender);
    handler_set(SIGTSTP, on_stop);
    sigaction(SIGPIPE, &ignore, &interrupt.pipe_before);
}

/* ---- children */

void interrupt_child(pid_t pid, bool ends)
{
    interrupt.child_ends = ends;
    interrupt.child = pid;
}

void interrupt_leave(void)
{
    if (interrupt.open)
        sigaction(SIGPIPE, &interrupt.pipe_before, NULL); /* handlers do not outlive exec */
}

uint64_t interrupt_shield(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    uint64_t shielded = 0;

    for (size_t i = 0; i < ENDERS; i++)
        if (sigaction(enders[i], &ignore, &before) == 0 && before.sa_handler != SIG_IGN)
            shielded |= (uint64_t)1 << (enders[i] - 1);
    return shielded;
}

void interrupt_broken_pipe(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    if (interrupt.open && interrupt.pipe_before.sa_handler == SIG_DFL && poll(&out, 1, 0) > 0 &&
        out.revents & POLLERR)
        interrupt_die(SIGPIPE);
}
