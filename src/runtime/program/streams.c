#include "runtime/program/streams.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/image.h"
#include "runtime/core/part.h"
#include "runtime/core/state.h"
#include "runtime/program/native.h"

#define STREAMS_MAX 16

/* Flags of glibc in FILE._flags, which its headers do not name any more. */
#define STREAM_NO_READS 4

static struct {
    struct {
        FILE *stream;
        FILE start; /* what it looked like */
    } at[STREAMS_MAX];
    unsigned count;
    FILE *first; /* in libc's list; those before it are of this execution */
    FILE **list; /* libc's */
} streams;

static void open_list(void)
{
    streams.list = dlsym(RTLD_DEFAULT, "_IO_list_all");
}

void streams_saved(void)
{
    streams.first = streams.list ? *streams.list : NULL;
    for (FILE *f = streams.first; f && streams.count < STREAMS_MAX; f = f->_chain) {
        if (f->_flags & STREAM_NO_READS)
            continue;
        image_touch(f, sizeof *f);
        image_touch(f->_IO_buf_base, (size_t)(f->_IO_buf_end - f->_IO_buf_base));
        state_fd_moving(f->_fileno); /* the offset must be known before it changes */
        streams.at[streams.count].stream = f;
        streams.at[streams.count++].start = *f;
    }
}

void streams_flush(void)
{
    if (!streams.list)
        return;
    for (FILE *f = *streams.list; f && f != streams.first; f = f->_chain)
        if (f->_IO_write_ptr > f->_IO_write_base)
            fflush(f);
}

void streams_moving(int fd)
{
    if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
        return;
    if (!state_fd_moving(fd))
        native_unsupported(fd == STDIN_FILENO
                               ? "standard input that is not a file: it can be read only once"
                               : "reading from a pipe or device that was open before the start");
}

static void restart(void)
{
    for (unsigned i = 0; i < streams.count; i++)
        if (memcmp(streams.at[i].stream, &streams.at[i].start, sizeof(FILE)) != 0)
            streams_moving(streams.at[i].start._fileno);
}

/* What goes out is no state. What comes in is, and streams that the run has opened are libc's affair. */
static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    if (streams.list && *streams.list != streams.first)
        return false;
    for (unsigned i = 0; i < streams.count; i++)
        if (memcmp(streams.at[i].stream, &streams.at[i].start, sizeof(FILE)) != 0)
            return false;
    return true;
}

const struct part streams_part = {.name = "streams",
                                  .state = &streams,
                                  .size = sizeof streams,
                                  .open = open_list,
                                  .restart = restart,
                                  .fingerprint = fingerprint};
