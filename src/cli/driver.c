#include "cli/driver.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/family.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/tree_file.h"

#define TICK_SECONDS 0.2

/* For a process that was asked to stop, to make its present step. In seconds. */
#define STOP_SECONDS 0.5

extern char **environ;

static bool complain(const char *what)
{
    fprintf(stderr, "raddle: %s: %s\n", what, strerror(errno));
    return false;
}

bool driver_open(struct driver *driver, const struct settings *settings)
{
    struct session *session;
    size_t header = (sizeof *session + 4095) & ~(size_t)4095;

    driver->fd = memfd_create("raddle session", MFD_CLOEXEC);
    if (driver->fd < 0 || ftruncate(driver->fd, (off_t)SESSION_RESERVE) != 0)
        return complain("shared memory");
    session = mmap(SESSION_ADDRESS, SESSION_RESERVE, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, driver->fd, 0);
    if (session != SESSION_ADDRESS)
        return complain("shared memory");
    driver->session = session;
    session->magic = SESSION_MAGIC;
    session->version = SESSION_VERSION;
    session->phase = SESSION_STARTING;
    arena_place(&session->arena, (char *)session + header,
                SESSION_RESERVE - header - SESSION_SCRATCH);
    arena_place(&session->checkpoint.scratch, (char *)session + SESSION_RESERVE - SESSION_SCRATCH,
                SESSION_SCRATCH);
    for (int i = 0; i < 2; i++)
        bytes_open(&session->checkpoint.at[i], &session->arena);
    bytes_open(&session->checkpoint.from, &session->arena);
    session->options = settings->search;
    snprintf(session->model, sizeof session->model, "%s", settings->search.memory->name);
    snprintf(session->reduction, sizeof session->reduction, "%s", settings->search.reduction->name);
    snprintf(session->search, sizeof session->search, "%s", settings->search.search->name);
    session->keep_going = settings->keep_going;
    session->tree.max = settings->tree ? TREE_STATES_MAX : 0;
    /* samples should not be given up, and a round that a preemption bound allows may be what makes others free */
    session->rounds.on = settings->rounds && !search_samples(settings->search.search) &&
                         settings->search.preemption_bound == NO_BOUND;
    session->snapshots.kind = settings->snapshots;
    session->snapshots.forks = settings->snapshots_fork;
    session->snapshots.max = settings->snapshots_max;
    session->races = settings->races;
    session->races_warn = settings->races_warn;
    session->lock_order = settings->lock_order;
    session->exit_is_bug = settings->exit_is_bug;
    session->leaks = settings->leaks;
    session->compares = settings->compares;
    memcpy(session->compared, settings->compared, sizeof session->compared);
    session->nondet_max = settings->nondet_max;
    session->pid = (uint32_t)getpid();
    driver->step_timeout = settings->step_timeout;
    driver->timeout = settings->search.timeout;
    driver->deadline = settings->search.timeout > 0 ? seconds_now() + settings->search.timeout : 0;
    for (size_t i = 0; i < settings->trust_count; i++) {
        size_t size = strlen(settings->trust[i]) + 1;
        char *copy = memcpy(arena_alloc(&session->arena, size), settings->trust[i], size);

        vec_push(&session->arena, &session->trust, copy);
    }
    return !settings->suppressions || suppressions_read(settings->suppressions, session);
}

void driver_close(struct driver *driver)
{
    if (driver->session)
        munmap(driver->session, SESSION_RESERVE);
    if (driver->fd >= 0)
        close(driver->fd);
    driver->session = NULL;
    driver->fd = -1;
}

/* So that the program finds the libraddle.so for checking. It takes that away again. */
static void library_path_set(struct session *session)
{
    const char *old = getenv(SESSION_LIBRARY_VARIABLE);
    struct places places;
    char *path;

    if (!places_find(&places) || asprintf(&path, "%s/" PLACES_CHECKING "%s%s", places.libraries,
                                          old ? ":" : "", old ? old : "") < 0)
        _exit(EXIT_STATUS_ENVIRONMENT);
    session->library_path = (uint32_t)(strlen(path) - (old ? strlen(old) : 0));
    if (!old)
        session->library_path++; /* all of it, and there is no colon */
    setenv(SESSION_LIBRARY_VARIABLE, path, 1);
    free(path);
}

/* Addresses that never change, and our memory. */
void driver_pass_on(const struct driver *driver)
{
    char number[16];
    int session = fcntl(driver->fd, F_DUPFD, 901);

    personality(ADDR_NO_RANDOMIZE);
    driver->session->log_fd = fcntl(STDERR_FILENO, F_DUPFD, 900);
    snprintf(number, sizeof number, "%d", session);
    setenv(SESSION_FD_VARIABLE, number, 1);
    library_path_set(driver->session);
    setenv("LD_BIND_NOW", "1", 1);
    if (driver->constructors_run)
        setenv(SESSION_CONSTRUCTORS_VARIABLE, "1", 1);
}

/* Kills a child that makes no step any more, after a look at what it does. */
static void child_watch(struct watch *watch, struct driver_end *end)
{
    bool ends = end->stopped || end->stuck || watch->session->brake; /* child_brake sees to that */
    enum watch_verdict verdict = ends ? WATCH_FINE : watch_look(watch);

    if (verdict == WATCH_FINE)
        return;
    end->stuck = true;
    watch_tell(watch, verdict, end->why, sizeof end->why);
    kill(watch->pid, SIGKILL);
}

/* In the child, before exec: what it needs, and its output out of the way. */
static void child_prepare(const struct driver *driver, int output, pid_t parent)
{
    int out = output >= 0 ? output : open("/dev/null", O_WRONLY | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would be left to look at it */
    if (getppid() != parent)
        _exit(EXIT_STATUS_ENVIRONMENT); /* nobody is */
    interrupt_leave();
    driver->session->shielded = interrupt_shield();
    driver_pass_on(driver);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
}

/* The search looks at the brake before each step; a step that takes too long is ended from here. */
static void child_brake(struct driver *driver, pid_t pid, struct driver_end *end)
{
    struct session *session = driver->session;
    double now = seconds_now();

    if (!session->brake) {
        uint32_t reason = driver->deadline > 0 && now >= driver->deadline       ? CUT_TIMEOUT
                          : interrupt_asked() && session->job != SESSION_REPLAY ? CUT_INTERRUPTED
                                                                                : 0;

        driver->braked = now;
        __atomic_store_n(&session->brake, reason, __ATOMIC_RELAXED);
    } else if (!end->stopped && now >= driver->braked + STOP_SECONDS) {
        end->stopped = session->brake;
        kill(pid, SIGKILL);
    }
}

/* Until the next tick, or the moment at which something is to be done about the process. */
static struct timespec child_pause(const struct driver *driver)
{
    double until = driver->session->brake ? driver->braked + STOP_SECONDS : driver->deadline;
    double left = until > 0 ? until - seconds_now() : TICK_SECONDS;

    left = left < 0.001 ? 0.001 : left > TICK_SECONDS ? TICK_SECONDS : left;
    return (struct timespec){.tv_nsec = (long)(left * 1e9)};
}

/* Waits for the child, with a tick now and then. `set` is blocked. */
static void child_wait(struct driver *driver, struct family *family, const sigset_t *set,
                       void (*tick)(struct driver *), struct driver_end *end)
{
    struct watch watch;
    double ticked = seconds_now();

    end->stuck = false;
    end->stopped = 0;
    end->signal = 0;
    watch_open(&watch, family->first, driver->session, driver->step_timeout, driver->timeout);
    child_brake(driver, family->first, end);
    while (!family_reap(family)) {
        struct timespec pause = child_pause(driver);
        int number = sigtimedwait(set, NULL, &pause);

        if (number > 0 && number != SIGCHLD && !interrupt_take(number))
            end->signal = number;
        child_brake(driver, family_runner(family), end);
        if (end->signal || end->stopped || end->stuck)
            kill(family_runner(family), SIGKILL); /* another one may run since the last time */
        if (number == SIGCHLD && seconds_now() < ticked + TICK_SECONDS)
            continue; /* with snapshots, processes end all the time */
        ticked = seconds_now();
        if (tick && (number < 0 || number == SIGCHLD))
            tick(driver);
        interrupt_child(family_runner(family), false);
        watch_process(&watch, family_runner(family));
        child_watch(&watch, end);
    }
    family_end(family);
    end->exited = WIFEXITED(family->status);
    end->status = end->exited ? WEXITSTATUS(family->status) : WTERMSIG(family->status);
}

static bool run_once(struct driver *driver, const char *program, char *const *argv, int output,
                     void (*tick)(struct driver *driver), struct driver_end *end)
{
    sigset_t set, before;
    pid_t self = getpid(), pid;
    struct family family;

    /* blocked, so that sigtimedwait sees it even if the child ends at once */
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    interrupt_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    fflush(NULL);
    family_prepare(driver->session);
    pid = fork();
    if (pid < 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return complain("fork");
    }
    if (pid == 0) {
        child_prepare(driver, output, self);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execv(program, argv);
        driver->session->phase = SESSION_NO_PROGRAM;
        _exit(errno);
    }
    interrupt_child(pid, false);
    family_begin(&family, driver->session, pid);
    child_wait(driver, &family, &set, tick, end);
    interrupt_child(0, false);
    /* a process that came to its end has taken it back itself */
    undo_all(&driver->session->undo, &driver->session->arena, true);
    if (end->signal)
        interrupt_die(end->signal);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (driver->session->phase == SESSION_NO_PROGRAM) {
        errno = end->status;
        return complain(program);
    }
    return true;
}

/* A process that ends before the search has begun may have died in a constructor: then those are run where that can be told. */
bool driver_run(struct driver *driver, const char *program, char *const *argv, int output,
                void (*tick)(struct driver *driver), struct driver_end *end)
{
    if (!run_once(driver, program, argv, output, tick, end))
        return false;
    if (driver->session->phase != SESSION_STARTING || driver->constructors_run || end->stopped ||
        end->stuck)
        return true;
    driver->constructors_run = true;
    return run_once(driver, program, argv, output, tick, end);
}

/* Maps the file; NULL, with errno set, if it cannot be read. */
static const char *file_map(const char *file, size_t *length)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *at = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        *length = (size_t)status.st_size;
        at = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, fd, 0);
    } else {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ENOEXEC;
    }
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* ---- what the file is */

struct elf {
    const char *file;
    size_t length;
};

/* `size` bytes at `offset` of the file, or NULL if it does not have them. */
static const void *elf_at(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->length && size <= elf->length - offset ? elf->file + offset : NULL;
}

static const Elf64_Phdr *elf_segment(const struct elf *elf, unsigned i)
{
    const Elf64_Ehdr *header = elf_at(elf, 0, sizeof *header);

    if (!header || i >= header->e_phnum)
        return NULL;
    return elf_at(elf, header->e_phoff + (uint64_t)i * header->e_phentsize, sizeof(Elf64_Phdr));
}

/* Where the file holds what will be at `address`; UINT64_MAX if it does not. */
static uint64_t elf_offset(const struct elf *elf, uint64_t address)
{
    const Elf64_Phdr *segment;

    for (unsigned i = 0; (segment = elf_segment(elf, i)); i++)
        if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz)
            return segment->p_offset + (address - segment->p_vaddr);
    return UINT64_MAX;
}

/* The entry of the dynamic section with that tag, from number *i on; NULL if there is none. */
static const Elf64_Dyn *elf_dynamic(const struct elf *elf, const Elf64_Phdr *dynamic,
                                    Elf64_Sxword tag, uint64_t *i)
{
    for (; *i < dynamic->p_filesz / sizeof(Elf64_Dyn); ++*i) {
        const Elf64_Dyn *entry =
            elf_at(elf, dynamic->p_offset + *i * sizeof(Elf64_Dyn), sizeof *entry);

        if (!entry || entry->d_tag == tag)
            return entry;
    }
    return NULL;
}

static bool elf_needs(const struct elf *elf, const char *library)
{
    const Elf64_Phdr *dynamic = NULL, *segment;
    const Elf64_Dyn *strings, *needed;
    uint64_t i = 0, base;

    for (unsigned n = 0; (segment = elf_segment(elf, n)); n++)
        if (segment->p_type == PT_DYNAMIC)
            dynamic = segment;
    if (!dynamic || !(strings = elf_dynamic(elf, dynamic, DT_STRTAB, &i)))
        return false;
    base = elf_offset(elf, strings->d_un.d_ptr);
    for (i = 0; base != UINT64_MAX && (needed = elf_dynamic(elf, dynamic, DT_NEEDED, &i)); i++) {
        const char *name = elf_at(elf, base + needed->d_un.d_val, strlen(library) + 1);

        if (name && memcmp(name, library, strlen(library) + 1) == 0)
            return true;
    }
    return false;
}

bool driver_accepts(const char *program)
{
    struct elf elf;
    bool is_elf, linked;

    elf.file = file_map(program, &elf.length);
    if (!elf.file)
        return complain(program);
    is_elf = elf.length > sizeof(Elf64_Ehdr) && memcmp(elf.file, ELFMAG, SELFMAG) == 0 &&
             elf.file[EI_CLASS] == ELFCLASS64;
    linked = is_elf && elf_needs(&elf, "libraddle.so");
    munmap((void *)elf.file, elf.length);
    if (linked)
        return true;
    if (is_elf)
        fprintf(
            stderr,
            "raddle: %s: was not built by raddle cc; build it with `raddle cc -o %s FILE.c…` or "
            "`make CC=\"raddle cc\"`\n",
            program, program);
    else
        fprintf(stderr, "raddle: %s: is neither a program nor a source (*.c, *.script)\n", program);
    return false;
}

uint64_t driver_fingerprint(const char *program)
{
    size_t length;
    const char *file = file_map(program, &length);
    uint64_t hash;

    if (!file)
        return 0;
    hash = XXH3_64bits(file, length);
    munmap((void *)file, length);
    return hash;
}
