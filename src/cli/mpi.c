#include "cli/mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/checkpoint_file.h"
#include "cli/driver.h"
#include "cli/interrupt.h"
#include "cli/places.h"

extern char **environ;

static struct {
    struct post post;
    struct arena arena;
    struct remote remote;
    struct bytes subject;
} mpi;

/* ---- becoming a rank */

static int no_mpi(const char *directory)
{
    fprintf(stderr,
            "raddle: --mpi: raddle_relay is not in %s: this raddle was built without MPI (on "
            "Debian it needs libopenmpi-dev, and openmpi-bin for mpirun)\n",
            directory);
    return EXIT_STATUS_ENVIRONMENT;
}

/* In the process that mpirun knows: it will carry messages. */
static _Noreturn void relay_become(const char *path, int fd, pid_t child)
{
    char words[2][16];

    signal(SIGINT, SIG_IGN); /* they are for the child, which gets them, too */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    snprintf(words[0], sizeof words[0], "%d", fd);
    snprintf(words[1], sizeof words[1], "%d", (int)child);
    execl(path, "raddle_relay", words[0], words[1], (char *)NULL);
    fprintf(stderr, "raddle: %s: %s\n", path, strerror(errno));
    kill(child, SIGKILL);
    _exit(EXIT_STATUS_ENVIRONMENT);
}

/* The program is to see what it would see without MPI. */
static void environment_clean(void)
{
    static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "ORTE_", "PRTE_", "HYDRA_"};
    char **at = environ;

    while (*at) {
        size_t i = 0;

        while (i < sizeof prefixes / sizeof *prefixes &&
               strncmp(*at, prefixes[i], strlen(prefixes[i])) != 0)
            i++;
        if (i < sizeof prefixes / sizeof *prefixes) {
            char name[256];

            snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
            unsetenv(name);
            at = environ;
        } else {
            at++;
        }
    }
}

int mpi_enter(struct settings *settings)
{
    char path[PATH_MAX + 32];
    struct places places;
    int ends[2];
    pid_t self = getpid(), child;

    if (!places_find(&places))
        return EXIT_STATUS_ENVIRONMENT;
    snprintf(path, sizeof path, "%s/raddle_relay", places.libraries);
    if (access(path, X_OK) != 0)
        return no_mpi(places.libraries);
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || (child = fork()) < 0 ||
        arena_open(&mpi.arena, (size_t)1 << 36) != 0) {
        fprintf(stderr, "raddle: --mpi: %s\n", strerror(errno));
        return EXIT_STATUS_ENVIRONMENT;
    }
    close(ends[child == 0 ? 0 : 1]);
    if (child > 0)
        relay_become(path, ends[0], child);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != self || !post_open(&mpi.post, ends[1], &mpi.arena)) {
        fprintf(stderr, "raddle: --mpi: MPI could not be started\n");
        return EXIT_STATUS_ENVIRONMENT;
    }
    if (mpi.post.size < 2) {
        fprintf(stderr, "raddle: --mpi takes at least two processes, of which the first one does "
                        "not search: mpirun -n N raddle check --mpi …\n");
        return EXIT_STATUS_USAGE;
    }
    environment_clean();
    settings->jobs = mpi.post.size - 1;
    return 0;
}

uint32_t mpi_rank(void)
{
    return mpi.post.rank;
}

/* ---- what is searched */

static void words_write(char *const *words, struct bytes *out)
{
    uint32_t count = 0;

    while (words && words[count])
        count++;
    bytes_number(out, count);
    for (uint32_t i = 0; i < count; i++)
        bytes_text(out, words[i]);
}

/* Ending with NULL. */
static char **words_read(struct bytes_reader *in, struct arena *arena)
{
    uint32_t count = bytes_read_count(in, 1);
    char **words = arena_alloc(arena, (count + 1) * sizeof *words);

    for (uint32_t i = 0; i < count; i++) {
        words[i] = (char *)bytes_read_text(in, arena);
        in->failed |= !words[i];
    }
    words[count] = NULL;
    return words;
}

struct transport *mpi_transport(const struct settings *settings, const struct subject *subject,
                                const struct bytes *session)
{
    struct bytes *out = &mpi.subject;
    char path[PATH_MAX];

    bytes_open(out, &mpi.arena);
    bytes_word(out, checkpoint_raddle());
    bytes_word(out, checkpoint_options(settings));
    bytes_number(out, subject->kind);
    bytes_word(out, subject->fingerprint);
    bytes_word(out, subject->identity.program);
    bytes_word(out, subject->identity.options);
    bytes_text(out, realpath(subject->file, path) ? path : subject->file);
    bytes_text(out, getcwd(path, sizeof path) ? path : "/");
    words_write(subject->argv, out);
    words_write(environ, out);
    remote_open(&mpi.remote, &mpi.post, out, subject->file, session);
    return &mpi.remote.base;
}

/* ---- the others */

struct helper {
    const struct settings *settings;
    struct subject subject;
    char **environment;
    const char *directory;  /* of the first rank */
    char copy[PATH_MAX];    /* of the file, if it was not here; "" */
    char copy_in[PATH_MAX]; /* the directory that was made for it */
    char why[PATH_MAX + 300];
};

static const char *helper_refuses(struct helper *helper, const char *what)
{
    char host[128] = "";

    gethostname(host, sizeof host - 1);
    snprintf(helper->why, sizeof helper->why, "%s: %s", host, what);
    return helper->why;
}

/* As the first rank has it: the runs of the program must be the same. */
static void surroundings_take(struct helper *helper)
{
    if (chdir(helper->directory) != 0)
        errno = 0; /* then it uses no files from there, or will be seen to do something else */
    environ = helper->environment;
}

static const char *helper_subject(void *context, const uint8_t *at, uint32_t size)
{
    struct helper *helper = context;
    struct subject *subject = &helper->subject;
    struct bytes_reader in = {.at = at, .end = at + size};
    uint64_t raddle = bytes_read_word(&in), options = bytes_read_word(&in), here;
    char what[PATH_MAX + 100];

    subject->kind = (enum subject_kind)bytes_read_below(&in, SUBJECT_KINDS);
    subject->fingerprint = bytes_read_word(&in);
    subject->identity.program = bytes_read_word(&in);
    subject->identity.options = bytes_read_word(&in);
    subject->file = bytes_read_text(&in, &mpi.arena);
    helper->directory = bytes_read_text(&in, &mpi.arena);
    subject->argv = words_read(&in, &mpi.arena);
    helper->environment = words_read(&in, &mpi.arena);
    if (in.failed || raddle != checkpoint_raddle())
        return helper_refuses(helper, "has another build of raddle");
    if (options != checkpoint_options(helper->settings))
        return helper_refuses(helper, "has other options, or another file of suppressions");
    surroundings_take(helper);
    if (helper->copy[0] && driver_fingerprint(helper->copy) == subject->fingerprint) {
        subject->file = helper->copy;
        return "";
    }
    if (access(subject->file, F_OK) != 0)
        return NULL;
    here = driver_fingerprint(subject->file);
    if (here == subject->fingerprint)
        return "";
    snprintf(what, sizeof what, "%s: is another build of the program (hash %016llx, not %016llx)",
             subject->file, (unsigned long long)here, (unsigned long long)subject->fingerprint);
    return helper_refuses(helper, what);
}

static bool file_write(const char *path, const void *at, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    size_t done = 0;
    ssize_t n = 1;

    while (fd >= 0 && done < size && n > 0) {
        n = write(fd, (const char *)at + done, size - done);
        done += n > 0 ? (size_t)n : 0;
    }
    return fd >= 0 && close(fd) == 0 && done == size;
}

/* It was not here: a copy, as long as we are. */
static const char *helper_file(void *context, const uint8_t *at, uint32_t size)
{
    struct helper *helper = context;
    const char *temporary = getenv("TMPDIR"), *base = strrchr(helper->subject.file, '/');

    if (!helper->copy_in[0]) {
        snprintf(helper->copy_in, sizeof helper->copy_in, "%s/raddle-XXXXXX",
                 temporary && temporary[0] == '/' ? temporary : "/tmp");
        if (!mkdtemp(helper->copy_in)) {
            helper->copy_in[0] = '\0';
            return helper_refuses(helper, "there is no place for a copy of the program");
        }
    }
    if (snprintf(helper->copy, sizeof helper->copy, "%s/%s", helper->copy_in,
                 base ? base + 1 : helper->subject.file) >= (int)sizeof helper->copy ||
        !file_write(helper->copy, at, size) ||
        driver_fingerprint(helper->copy) != helper->subject.fingerprint)
        return helper_refuses(helper, "the program cannot be copied");
    helper->subject.file = helper->copy;
    return "";
}

static void helper_work(void *context, const struct bytes *session, struct link *link, int mail_fd)
{
    struct helper *helper = context;

    if (helper->subject.kind == SUBJECT_SCRIPT)
        check_script_work(&helper->subject, helper->settings, link, mail_fd);
    check_program_work(&helper->subject, helper->settings, session, link, mail_fd);
}

int mpi_serve(const struct settings *settings)
{
    static struct helper helper;
    struct remote_service service = {.post = &mpi.post,
                                     .subject = helper_subject,
                                     .file = helper_file,
                                     .work = helper_work,
                                     .context = &helper};

    helper.settings = settings;
    interrupt_leave_to_parent();
    remote_serve(&service);
    if (helper.copy[0])
        unlink(helper.copy);
    if (helper.copy_in[0])
        rmdir(helper.copy_in);
    return 0;
}
