#include "runtime/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/descriptors/descriptors.h"
#include "runtime/core/state.h"

/* Start and restart. Streams of the start are watched: libc reads for them by calls that nobody can interpose. */

#define STREAMS_MAX 16

/* Flags of glibc in FILE._flags, which its headers do not name any more. */
#define STREAM_NO_READS 4

extern struct real_call __start_raddle_calls[] __attribute__((visibility("hidden")));
extern struct real_call __stop_raddle_calls[] __attribute__((visibility("hidden")));

static struct {
    FILE *stream;
    FILE start; /* what it looked like */
} streams[STREAMS_MAX];

static unsigned stream_count;
static FILE *stream_of_start; /* the first in libc's list; those before it are of this execution */
static FILE **stream_list;    /* libc's */

/* ---- before the start */

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

void files_open(void)
{
    for (struct real_call *call = __start_raddle_calls; call < __stop_raddle_calls; call++)
        real_call(call);
    input_take();
    /* The first use of a locale maps a file, and forgetting that would map it again in each execution. */
    setlocale(LC_ALL, "");
    setlocale(LC_ALL, "C");
    channels_open();
    stream_list = dlsym(RTLD_DEFAULT, "_IO_list_all");
}

int files_add_arguments(int argc, char **argv)
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

void files_saved(void)
{
    files_number_open();
    stream_of_start = stream_list ? *stream_list : NULL;
    for (FILE *f = stream_of_start; f && stream_count < STREAMS_MAX; f = f->_chain) {
        if (f->_flags & STREAM_NO_READS)
            continue;
        image_touch(f, sizeof *f);
        image_touch(f->_IO_buf_base, (size_t)(f->_IO_buf_end - f->_IO_buf_base));
        state_fd_moving(f->_fileno); /* the offset must be known before it changes */
        streams[stream_count].stream = f;
        streams[stream_count++].start = *f;
    }
}

/* ---- the end of an execution */

void files_flush(void)
{
    if (!stream_list)
        return;
    for (FILE *f = *stream_list; f && f != stream_of_start; f = f->_chain)
        if (f->_IO_write_ptr > f->_IO_write_base)
            fflush(f);
}

void files_restart(void)
{
    for (unsigned i = 0; i < stream_count; i++)
        if (memcmp(streams[i].stream, &streams[i].start, sizeof(FILE)) != 0)
            files_moving(streams[i].start._fileno);
    files_memory_restart();
    files_number_restart();
    channels_restart();
    files_share_restart();
    files_lock_restart();
    files_made_restart();
}
