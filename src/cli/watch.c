#include "cli/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/native.h"

/* ---- noticing */

/* State and processor time, of /proc/PID/stat. False if it cannot be read. */
static bool process_look(pid_t pid, char *state, double *busy)
{
    char path[64], line[1024];
    unsigned long user, system;
    const char *after;
    size_t got;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[got] = 0;
    after = strrchr(line, ')'); /* the name of the program may hold anything */
    if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", state,
                         &user, &system) != 3)
        return false;
    *busy = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

void watch_open(struct watch *watch, pid_t pid, const struct session *session, double limit,
                double all)
{
    double busy = all > 0 && all / 2 < WATCH_BUSY_SECONDS ? all / 2 : WATCH_BUSY_SECONDS;

    *watch = (struct watch){.pid = pid,
                            .session = session,
                            .asleep_limit = limit > 0 ? limit : WATCH_ASLEEP_SECONDS,
                            .busy_limit = limit > 0 ? limit : busy,
                            .progress = session->progress};
}

void watch_process(struct watch *watch, pid_t pid)
{
    if (pid == watch->pid)
        return;
    watch->pid = pid;
    watch->busy = watch->busy_before = watch->asleep_since = 0;
}

enum watch_verdict watch_look(struct watch *watch)
{
    uint64_t progress = __atomic_load_n(&watch->session->progress, __ATOMIC_RELAXED);
    double busy;
    char state;

    if (!process_look(watch->pid, &state, &busy))
        return WATCH_FINE;
    if (progress != watch->progress || (state != 'S' && state != 'D') || busy != watch->busy)
        watch->asleep_since = 0;
    else if (watch->asleep_since == 0)
        watch->asleep_since = seconds_now();
    if (progress != watch->progress)
        watch->busy_before = busy;
    watch->progress = progress;
    watch->busy = busy;
    if (watch->session->work_waits)
        watch->asleep_since = 0;
    if (watch->asleep_since > 0 && seconds_now() > watch->asleep_since + watch->asleep_limit)
        return WATCH_ASLEEP;
    /* the engine may take its time; it knows its own limits */
    return watch->session->in_program && busy > watch->busy_before + watch->busy_limit ? WATCH_BUSY
                                                                                       : WATCH_FINE;
}

/* ---- telling */

/* System calls that can wait, by what their first argument is. */
static const struct call_row {
    long number;
    const char *name;
    bool takes_fd;
} calls[] = {
    {SYS_read, "read", true},
    {SYS_write, "write", true},
    {SYS_readv, "readv", true},
    {SYS_writev, "writev", true},
    {SYS_pread64, "pread", true},
    {SYS_pwrite64, "pwrite", true},
    {SYS_preadv2, "preadv2", true},
    {SYS_pwritev2, "pwritev2", true},
    {SYS_open, "open", false},
    {SYS_openat, "openat", false},
    {SYS_close, "close", true},
    {SYS_poll, "poll", false},
    {SYS_ppoll, "ppoll", false},
    {SYS_select, "select", false},
    {SYS_pselect6, "pselect", false},
    {SYS_epoll_wait, "epoll_wait", true},
    {SYS_epoll_pwait, "epoll_pwait", true},
    {SYS_accept, "accept", true},
    {SYS_accept4, "accept4", true},
    {SYS_connect, "connect", true},
    {SYS_recvfrom, "recvfrom", true},
    {SYS_recvmsg, "recvmsg", true},
    {SYS_recvmmsg, "recvmmsg", true},
    {SYS_sendto, "sendto", true},
    {SYS_sendmsg, "sendmsg", true},
    {SYS_sendmmsg, "sendmmsg", true},
    {SYS_sendfile, "sendfile", true},
    {SYS_splice, "splice", true},
    {SYS_tee, "tee", true},
    {SYS_flock, "flock", true},
    {SYS_fcntl, "fcntl", true},
    {SYS_ioctl, "ioctl", true},
    {SYS_fsync, "fsync", true},
    {SYS_fdatasync, "fdatasync", true},
    {SYS_futex, "futex", false},
    {SYS_nanosleep, "nanosleep", false},
    {SYS_clock_nanosleep, "clock_nanosleep", false},
    {SYS_pause, "pause", false},
    {SYS_rt_sigsuspend, "sigsuspend", false},
    {SYS_rt_sigtimedwait, "sigtimedwait", false},
    {SYS_wait4, "wait4", false},
    {SYS_waitid, "waitid", false},
    {SYS_msgrcv, "msgrcv", false},
    {SYS_msgsnd, "msgsnd", false},
    {SYS_semop, "semop", false},
    {SYS_semtimedop, "semtimedop", false},
    {SYS_mq_timedreceive, "mq_receive", true},
    {SYS_mq_timedsend, "mq_send", true},
    {SYS_io_getevents, "io_getevents", false},
    {SYS_io_uring_enter, "io_uring_enter", true},
};

/* "read (descriptor 3)", "number 318", or "" if the kernel does not tell. */
static void call_tell(pid_t pid, char *text, size_t size)
{
    char path[64];
    unsigned long long argument = 0;
    long number = -1;
    FILE *file;

    *text = 0;
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return;
    if (fscanf(file, "%ld %llx", &number, &argument) == 2 && number >= 0)
        snprintf(text, size, "number %ld", number);
    fclose(file);
    for (size_t i = 0; *text && i < sizeof calls / sizeof *calls; i++) {
        if (calls[i].number != number)
            continue;
        if (calls[i].takes_fd)
            snprintf(text, size, "%s (descriptor %d)", calls[i].name, (int)argument);
        else
            snprintf(text, size, "%s", calls[i].name);
    }
}

/* Bytes of the other process; false if it does not have them all. */
static bool memory_read(pid_t pid, uint64_t addr, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)addr, size};

    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* A text of the other process, which may be near the end of what it has mapped. */
static void text_read(pid_t pid, uint64_t addr, char *text, size_t size)
{
    size_t i = 0;

    while (i + 1 < size && memory_read(pid, addr + i, &text[i], 1) && text[i])
        i++;
    text[i] = 0;
}

/* "a.c:12", or nothing: where the innermost instrumented function is. */
static void place_tell(const struct watch *watch, char *text, size_t size)
{
    const struct session_probe *probe = &watch->session->probe;
    uint64_t frame = 0, site = 0, file = 0;
    uint32_t line = 0;
    char name[512];

    *text = 0;
    if (!probe->frames || !memory_read(watch->pid, probe->frames, &frame, sizeof frame) || !frame ||
        !memory_read(watch->pid, frame + probe->site_in_frame, &site, sizeof site) || !site ||
        !memory_read(watch->pid, site + probe->file_in_site, &file, sizeof file) || !file ||
        !memory_read(watch->pid, site + probe->line_in_site, &line, sizeof line))
        return;
    text_read(watch->pid, file, name, sizeof name);
    snprintf(text, size, "%s:%" PRIu32, name, line);
}

void watch_tell(const struct watch *watch, enum watch_verdict verdict, char *text, size_t size)
{
    const struct session *session = watch->session;
    char call[64], place[600], who[200] = "the process";

    call_tell(watch->pid, call, sizeof call);
    place_tell(watch, place, sizeof place);
    if (session->in_program)
        thread_words(session->threads.at, session->threads.count, session->running, who,
                     sizeof who);
    if (verdict == WATCH_ASLEEP)
        snprintf(text, size,
                 "%s is stuck in %s%s%s%s, which raddle does not model (no step for %g seconds; "
                 "--step-timeout changes that)",
                 who, *call ? "the system call " : "a system call", call, *place ? " at " : "",
                 place, watch->asleep_limit);
    else
        snprintf(text, size,
                 "%s computed for %g seconds without a step%s%s (--step-timeout changes that)", who,
                 watch->busy_limit, *place ? ", last seen at " : "", place);
}
