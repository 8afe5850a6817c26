#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/core/heap.h"
#include "runtime/core/image.h"
#include "runtime/core/state.h"
#include "runtime/descriptors/descriptors.h"
#include "runtime/job/job.h"
#include "runtime/program/interpose.h"
#include "runtime/program/streams.h"
#include "runtime/signals/signals.h"

/* What is done once, before the program runs: what a restart brings back is saved here. */

#define OUTPUT_BUFFER ((size_t)1 << 20)

/* Of standard output. Outlives a run: the driver shows what the run that counts has written. */
static char output_buffer[OUTPUT_BUFFER];

/* A description of its own for standard input: the offset of the one we were given stays where it is, for the
 * processes that the driver starts after this one. */
static void input_take(void)
{
    struct stat status;
    off_t offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    int fd;

    if (offset < 0 || flags < 0 || fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    fd = open("/proc/self/fd/0", (flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) | O_CLOEXEC);
    if (fd < 0)
        return; /* of another user: then only this process can read it from its start */
    if (lseek(fd, offset, SEEK_SET) == offset)
        dup2(fd, STDIN_FILENO);
    close(fd);
}

/* The first use of a locale maps files, and forgetting that would map them again in each execution. Most programs use none, and a library that
 * is opened later may. */
static void locale_load(void)
{
    static const char *const users[] = {"setlocale", "newlocale", "__newlocale", "dlopen",
                                        "dlmopen"};

    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        if (image_refers(users[i])) {
            setlocale(LC_ALL, "");
            setlocale(LC_ALL, "C");
            return;
        }
}

static void prepare(void)
{
    interpose_open();
    input_take();
    locale_load();
}

static int arguments_add(int argc, char **argv)
{
    char *low = NULL, *high = NULL;

    for (int i = 0; i < argc; i++) {
        if (argv[i] != high) {
            if (image_add_copied(low, (size_t)(high - low)))
                return -1;
            low = argv[i];
        }
        high = argv[i] + strlen(argv[i]) + 1;
    }
    if (image_add_copied(low, (size_t)(high - low)))
        return -1;
    return image_add_copied(argv, ((size_t)argc + 1) * sizeof *argv);
}

/* Libraries that are not seen, too: what they keep points into a heap that starts afresh. */
static bool belongs_to_image(void *context, const char *name, const struct dl_phdr_info *info)
{
    (void)context;
    (void)info;
    return !image_is_sanitizer(name);
}

/* libc loads the unwinder when it first needs it, which may be on a program thread that is cancelled in one of libc's functions: what that
 * allocates must outlive the execution. */
static void unwinder_load(void)
{
    void *frame;

    backtrace(&frame, 1);
}

bool start_save(struct session *session, int error)
{
    /* who steps through a program wants to see each line that it writes */
    int buffering = session->for_debugger ? _IOLBF : _IOFBF;

    if (session->for_debugger)
        image_untracked();
    /* What libraries leave out while there is but one thread of the system, such as atomic counts of references, threads of
     * ours need. Set for good: at the first thread it would be a page to put back in every run. */
    __libc_single_threaded = 0;
    prepare();
    unwinder_load();
    native.floats = fiber_floats();
    if (tls_open() != 0)
        return false;
    parts_open();
    if (setvbuf(stdout, output_buffer, buffering, sizeof output_buffer) != 0 ||
        heap_snapshot() != 0 || image_add_modules(belongs_to_image, NULL) != 0 ||
        arguments_add(native.argc, native.argv) != 0)
        return false;
    faults_open();
    if (state_save() != 0)
        return false;
    errno = native.error = error;
    if (image_save() != 0)
        return false;
    tls_save();
    state_fd_reserve(session->log_fd);
    if (session->work_fd) {
        state_fd_reserve(session->work_fd);
        state_fd_reserve(session->mail_fd);
    }
    numbers_saved();
    streams_saved();
    return true;
}
