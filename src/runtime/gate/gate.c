#include "runtime/gate/gate.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <ucontext.h>

#include "base/fingerprint.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"
#include "runtime/program/native.h"

/* The filter, the table, and names of files. */

#define HERE         255
#define CALLS        512 /* numbers that may have rows */
#define FILTER_MAX   400 /* instructions */
#define OPEN_CHANGES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

/* What a call changes: an argument with the directory (HERE: that of the process) and one with the path. */
struct gate_name {
    uint8_t at, path;
    uint8_t how; /* enum undo_how */
};

struct gate_row {
    enum {
        GATE_LEAVES, /* also what has no row */
        GATE_NOTHING,
        GATE_PROCESS,
        GATE_NAMES,
        GATE_OPEN,
        GATE_WITH,
        GATE_REFUSE,
    } kind;
    const char *name;
    uint8_t count;
    struct gate_name names[2];
    gate_function *function;
};

static gate_function gate_open_here, gate_open_at, gate_open_how, gate_attributes_3,
    gate_attributes_4, gate_bind, gate_ioctl, gate_written_0, gate_written_2;

#define NOTHING(call)             [SYS_##call] = {.kind = GATE_NOTHING, .name = #call},
#define PROCESS(call)             [SYS_##call] = {.kind = GATE_PROCESS, .name = #call},
#define NAME(call, at, path, how) [SYS_##call] = {GATE_NAMES, #call, 1, {{at, path, how}}, NULL},
#define NAMES(call, at, path, how, at2, path2, how2)                                               \
    [SYS_##call] = {GATE_NAMES, #call, 2, {{at, path, how}, {at2, path2, how2}}, NULL},
#define OPEN(call, fd, how) [SYS_##call] = {GATE_OPEN, #call, 1, {{fd, 0, how}}, NULL},
#define WITH(call, with)    [SYS_##call] = {.kind = GATE_WITH, .name = #call, .function = with},
#define LEAVES(call)        [SYS_##call] = {.kind = GATE_LEAVES, .name = #call},
#define REFUSE(call)        [SYS_##call] = {.kind = GATE_REFUSE, .name = #call},
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
static const struct gate_row rows[CALLS] = {
#include "runtime/gate/gate.def"
};

bool gate_gave_up_rights; /* outlives a run: of the process */

static const struct gate_row *row_of(long number)
{
    static const struct gate_row unknown = {.kind = GATE_LEAVES};

    return number >= 0 && number < CALLS ? &rows[number] : &unknown;
}

bool gate_is_free(long number)
{
    return row_of(number)->kind == GATE_NOTHING;
}

/* ---- what stays */

void gate_stays(const char *text)
{
    static char whole[280]; /* outlives a run: only in its place in memory */
    const struct raddle_site *site = native_site();
    const char *slash = site && site->file ? strrchr(site->file, '/') : NULL;

    if (site && site->file)
        snprintf(whole, sizeof whole, "%.200s (at %.40s:%u)", text, slash ? slash + 1 : site->file,
                 site->line);
    else
        snprintf(whole, sizeof whole, "%.200s", text);
    native_unsupported(whole);
}

static void call_stays(const struct gate_call *call)
{
    char text[100];
    const char *name = row_of(call->number)->name;

    if (name)
        snprintf(text, sizeof text, "what %s leaves behind, which is not put back", name);
    else
        snprintf(text, sizeof text,
                 "what the system call number %ld leaves behind, which is not put back",
                 call->number);
    gate_stays(text);
}

static void result_stays(enum undo_result result, const char *path)
{
    static const char *const why[] = {
        [UNDO_TOO_LARGE] = "which is too large to be put back",
        [UNDO_LINKED] = "which is one of several names of a file and is not put back",
        [UNDO_STRANGE] = "which cannot be put back",
    };
    char text[240];

    snprintf(text, sizeof text, "a change of %.120s, %s", path, why[result]);
    gate_stays(text);
}

/* ---- taking back */

void gate_undo(const struct undo_call *call, int pointer)
{
    undo_call_add(&native.session->undo, &native.session->arena, call, pointer);
}

void gate_keep(int at, const char *path, unsigned how)
{
    enum undo_result result =
        undo_keep(&native.session->undo, &native.session->arena, at, path, how);

    if (result != UNDO_KEPT)
        result_stays(result, path);
}

void gate_keep_open(int fd, unsigned how)
{
    enum undo_result result =
        undo_keep_open(&native.session->undo, &native.session->arena, fd, how);

    if (result != UNDO_KEPT)
        result_stays(result, "an open file");
}

void gate_restart(void)
{
    struct undo *undo = &native.session->undo;

    if (undo->names.count == 0 && undo->calls.count == 0)
        return;
    if (!undo_all(undo, &native.session->arena, false))
        native_unsupported("files or attributes of the process that could not be put back as they "
                           "were before the run");
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return native.session->undo.names.count == 0 && native.session->undo.calls.count == 0;
}

/* What is in the journal may have been written to since, and what it held then is not known. */
static bool forks(const char **why)
{
    *why = "files that the program writes, or other things that it leaves behind";
    return native.session->undo.names.count == 0 && native.session->undo.calls.count == 0;
}

const struct part gate_part = {.name = "what is left behind",
                               .restart = gate_restart,
                               .fingerprint = fingerprint,
                               .forks = forks};

/* ---- doing */

long gate_do(const struct gate_call *call)
{
    const long *a = call->a;
    int error = errno;
    long result = syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);

    if (result == -1)
        result = -errno;
    errno = error;
    return result;
}

/* Does a call that changes these names. What cannot be taken back counts if it has happened. */
static long names_pass(struct gate_call *call, const struct gate_name *names, uint8_t count)
{
    enum undo_result results[2] = {UNDO_KEPT, UNDO_KEPT};
    struct undo *undo = &native.session->undo;
    long done;

    for (uint8_t i = 0; i < count; i++) {
        int at = names[i].at == HERE ? AT_FDCWD : (int)call->a[names[i].at];
        const char *path = (const char *)call->a[names[i].path];

        results[i] = undo_keep(undo, &native.session->arena, at, path, names[i].how);
    }
    if (count == 2)
        undo_move_begins(undo, names[0].at == HERE ? AT_FDCWD : (int)call->a[names[0].at],
                         (const char *)call->a[names[0].path]);
    done = gate_do(call);
    for (uint8_t i = 0; i < count && done >= 0; i++)
        if (results[i] != UNDO_KEPT)
            result_stays(results[i], (const char *)call->a[names[i].path]);
    return done;
}

static long open_pass(struct gate_call *call, int fd, unsigned how)
{
    enum undo_result result =
        undo_keep_open(&native.session->undo, &native.session->arena, fd, how);
    long done = gate_do(call);

    if (done >= 0 && result != UNDO_KEPT)
        result_stays(result, "an open file");
    return done;
}

static long with_pass(struct gate_call *call, gate_function *function)
{
    long result;

    return function(call, &result) ? result : gate_do(call);
}

/* A process or thread of the program's is this one, whatever number the program knows it by. */
static void process_settle(struct gate_call *call)
{
    static const struct {
        long number;
        uint8_t argument;
    } calls[] = {
        {SYS_getpriority, 1},
        {SYS_setpriority, 1},
        {SYS_ioprio_get, 1},
        {SYS_ioprio_set, 1},
        {SYS_getpgid, 0},
        {SYS_setpgid, 0},
        {SYS_getsid, 0},
        {SYS_prlimit64, 0},
        {SYS_sched_getaffinity, 0},
        {SYS_sched_setaffinity, 0},
        {SYS_sched_getparam, 0},
        {SYS_sched_setparam, 0},
        {SYS_sched_getscheduler, 0},
        {SYS_sched_setscheduler, 0},
        {SYS_sched_getattr, 0},
        {SYS_sched_setattr, 0},
        {SYS_sched_rr_get_interval, 0},
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long *process = &call->a[calls[i].argument];

        if (call->number == calls[i].number && *process >= (long)native.session->pid &&
            *process < (long)native.session->pid + (long)native.threads.count)
            *process = 0;
    }
}

long gate_pass(struct gate_call *call)
{
    const struct gate_row *row = row_of(call->number);
    long done;

    process_settle(call);

    switch (row->kind) {
    case GATE_NAMES:
        return names_pass(call, row->names, row->count);
    case GATE_OPEN:
        return open_pass(call, (int)call->a[row->names[0].at], row->names[0].how);
    case GATE_WITH:
        return with_pass(call, row->function);
    case GATE_REFUSE:
        native_refused(row->name);
        return -ENOSYS;
    case GATE_PROCESS:
    case GATE_NOTHING:
        return gate_do(call);
    case GATE_LEAVES:
        break;
    }
    done = gate_do(call);
    if (done >= 0)
        call_stays(call);
    return done;
}

/* ---- functions of the table: files */

static bool open_flags(struct gate_call *call, uint8_t at, uint8_t path, uint64_t flags,
                       long *result)
{
    struct gate_name name = {at, path, 0};

    if (!(flags & OPEN_CHANGES) || (flags & O_TMPFILE) == O_TMPFILE || flags & O_PATH)
        return false;
    if (flags & (O_ACCMODE | O_TRUNC))
        name.how |= UNDO_CONTENT;
    if (!(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL))
        name.how |= UNDO_FOLLOW;
    *result = names_pass(call, &name, 1);
    return true;
}

static bool gate_open_here(struct gate_call *call, long *result)
{
    return open_flags(call, HERE, 0, (uint64_t)call->a[1], result);
}

static bool gate_open_at(struct gate_call *call, long *result)
{
    return open_flags(call, 0, 1, (uint64_t)call->a[2], result);
}

static bool gate_open_how(struct gate_call *call, long *result)
{
    const struct open_how *how = (const struct open_how *)call->a[2];

    return how && open_flags(call, 0, 1, how->flags, result);
}

/* Of a name, or of the descriptor alone if there is no name. */
static bool attributes_pass(struct gate_call *call, long flags, long *result)
{
    const char *path = (const char *)call->a[1];
    struct gate_name name = {0, 1, flags & AT_SYMLINK_NOFOLLOW ? 0 : UNDO_FOLLOW};

    *result = !path || (flags & AT_EMPTY_PATH && !*path) ? open_pass(call, (int)call->a[0], 0)
                                                         : names_pass(call, &name, 1);
    return true;
}

static bool gate_attributes_3(struct gate_call *call, long *result)
{
    return attributes_pass(call, call->a[3], result);
}

static bool gate_attributes_4(struct gate_call *call, long *result)
{
    return attributes_pass(call, call->a[4], result);
}

static bool gate_bind(struct gate_call *call, long *result)
{
    const struct sockaddr_un *to = (const struct sockaddr_un *)call->a[1];
    size_t size = (size_t)call->a[2];
    char path[sizeof to->sun_path + 1] = "";

    (void)result;
    if (!to || size <= sizeof(sa_family_t) || size > sizeof *to || to->sun_family != AF_UNIX)
        return false;
    memcpy(path, to->sun_path, size - offsetof(struct sockaddr_un, sun_path));
    if (path[0])
        gate_keep(AT_FDCWD, path, UNDO_NAME);
    return false;
}

/* Requests that only ask say so in their number, or are old; others count if they are done. */
static bool gate_ioctl(struct gate_call *call, long *result)
{
    static const uint32_t harmless[] = {
        0x5401 /* TCGETS */,     0x5405,
        0x540f /* TIOCGPGRP */,  0x5411 /* TIOCOUTQ */,
        0x5413 /* TIOCGWINSZ */, 0x541b /* FIONREAD */,
        0x5421 /* FIONBIO */,    0x5429 /* TIOCGSID */,
        0x5450 /* FIONCLEX */,   0x5451 /* FIOCLEX */,
        0x5452 /* FIOASYNC */,   0x5460 /* FIOQSIZE */,
        0x8905 /* SIOCATMARK */,
    };
    uint32_t request = (uint32_t)call->a[1];
    char text[64];

    if (request >> 30 == 2 || (request >= 0x8910 && request <= 0x8970 && request % 2 == 1))
        return false;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (request == harmless[i])
            return false;
    *result = gate_do(call);
    snprintf(text, sizeof text, "what ioctl %#x leaves behind, which is not put back", request);
    if (*result >= 0)
        gate_stays(text);
    return true;
}

static bool gate_written_0(struct gate_call *call, long *result)
{
    *result = open_pass(call, (int)call->a[0], UNDO_CONTENT);
    return true;
}

static bool gate_written_2(struct gate_call *call, long *result)
{
    *result = open_pass(call, (int)call->a[2], UNDO_CONTENT);
    return true;
}

/* ---- the filter */

static struct sock_filter filter[FILTER_MAX]; /* outlives a run: made once */
static unsigned short filter_size;            /* outlives a run: the same */

static void filter_add(uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    if (filter_size < FILTER_MAX)
        filter[filter_size++] = (struct sock_filter){code, yes, no, value};
}

static void filter_load(size_t offset)
{
    filter_add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void filter_return(uint32_t what)
{
    filter_add(BPF_RET | BPF_K, what, 0, 0);
}

/* Numbers first: the kernel remembers which of them pass in any case, and does not ask again. */
static void filter_numbers(void)
{
    for (long first = 0; first < CALLS; first++) {
        long end = first;

        while (end < CALLS && gate_is_free(end))
            end++;
        if (end == first)
            continue;
        filter_add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)first, 0, 2);
        filter_add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)end, 1, 0);
        filter_return(SECCOMP_RET_ALLOW);
        first = end;
    }
}

/* To open a file for reading changes nothing. */
static void filter_opening(uint32_t number, int flags)
{
    filter_add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
    filter_load(offsetof(struct seccomp_data, args[flags]));
    filter_add(BPF_JMP | BPF_JSET | BPF_K, OPEN_CHANGES, 1, 0);
    filter_return(SECCOMP_RET_ALLOW);
    filter_load(offsetof(struct seccomp_data, nr));
}

/* Nor does a call with that argument: its low half only, unless that is 0. */
static void filter_asking(uint32_t number, int argument, uint32_t value)
{
    filter_add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, value ? 4 : 6);
    filter_load(offsetof(struct seccomp_data, args[argument]));
    filter_add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, value ? 1 : 3);
    if (!value) {
        filter_load(offsetof(struct seccomp_data, args[argument]) + 4);
        filter_add(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
    }
    filter_return(SECCOMP_RET_ALLOW);
    filter_load(offsetof(struct seccomp_data, nr));
}

/* The runtime's own calls all come from libc's syscall(). */
static void filter_make(uint64_t from, uint64_t size)
{
    filter_load(offsetof(struct seccomp_data, arch));
    filter_add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    filter_return(SECCOMP_RET_TRAP);
    filter_load(offsetof(struct seccomp_data, nr));
    filter_numbers();
    filter_opening(SYS_open, 1);
    filter_opening(SYS_openat, 2);
    filter_asking(SYS_prlimit64, 2, 0);
    filter_asking(SYS_ioctl, 1, FIONREAD);
    filter_asking(SYS_ioctl, 1, FIONBIO);
    filter_asking(SYS_ioctl, 1, TCGETS);
    filter_load(offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter_add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(from >> 32), 0, 4);
    filter_load(offsetof(struct seccomp_data, instruction_pointer));
    filter_add(BPF_ALU | BPF_SUB | BPF_K, (uint32_t)from, 0, 0);
    filter_add(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)size, 1, 0);
    filter_return(SECCOMP_RET_ALLOW);
    filter_return(SECCOMP_RET_TRAP);
}

static void on_call(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct gate_call call = {info->si_syscall,
                             {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                              registers[REG_R10], registers[REG_R8], registers[REG_R9]}};
    int error = errno;

    (void)number;
    if (info->si_arch != AUDIT_ARCH_X86_64)
        registers[REG_RAX] = -ENOSYS;
    else
        registers[REG_RAX] = native.current ? gate_pass(&call) : gate_do(&call);
    errno = error;
}

static bool filter_set(void)
{
    struct sock_fprog program = {.len = filter_size, .filter = filter};

    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}

void gate_open(void)
{
    struct sigaction action = {.sa_sigaction = on_call,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    void *from = dlsym(RTLD_NEXT, "syscall");
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;
    bool done = false;

    if (from && dladdr1(from, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol) {
        filter_make((uint64_t)(uintptr_t)from, symbol->st_size);
        sigaction(SIGSYS, &action, NULL);
        done = filter_set();
        if (!done && syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) {
            gate_gave_up_rights = syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
            done = filter_set();
        }
    }
    if (!done)
        native_unsupported("what the program leaves behind: the system has no filter for system "
                           "calls (seccomp)");
}
