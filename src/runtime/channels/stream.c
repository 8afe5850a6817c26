#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/channels/channels.h"
#include "runtime/files/files.h"

/* Streams on descriptors that a thread may have to wait for: libc reads and writes for them by calls of its own, so theirs go through
 * functions of ours. */

struct stream {
    int fd;
    const struct native_thread *busy; /* who is in one of its functions */
};

/* libc's lock of a stream does not keep our threads apart. */
static void enter(struct stream *stream)
{
    if (stream->busy && stream->busy != native.current)
        native_unsupported("a stream on a pipe or socket that several threads use at once");
    stream->busy = native.current;
}

static ssize_t stream_read(void *cookie, char *to, size_t size)
{
    struct stream *stream = cookie;
    ssize_t got;

    enter(stream);
    got = read(stream->fd, to, size);
    stream->busy = NULL;
    return got;
}

static ssize_t stream_write(void *cookie, const char *from, size_t size)
{
    struct stream *stream = cookie;
    size_t sent = 0;

    enter(stream);
    while (sent < size) {
        ssize_t got = write(stream->fd, from + sent, size - sent);

        if (got <= 0)
            break;
        sent += (size_t)got;
    }
    stream->busy = NULL;
    return (ssize_t)sent;
}

static int stream_close(void *cookie)
{
    return close(((struct stream *)cookie)->fd);
}

REAL_CALL(fdopen)
INTERPOSE FILE *fdopen(int fd, const char *mode)
{
    static const cookie_io_functions_t functions = {stream_read, stream_write, NULL, stream_close};
    struct stream *stream;
    FILE *f;

    if (!native.current)
        return REAL(fdopen)(fd, mode);
    if (!channels_use(fd)) {
        streams_moving(fd);
        return REAL(fdopen)(fd, mode);
    }
    stream = channels_alloc(sizeof *stream);
    stream->fd = fd;
    f = fopencookie(stream, mode, functions);
    if (f)
        f->_fileno = fd;
    return f;
}

/* ---- printing to a descriptor */

REAL_CALL(vdprintf)
INTERPOSE int vdprintf(int fd, const char *restrict format, va_list arguments)
{
    va_list again;
    char *text;
    int size, sent = 0;

    if (!native.current || (native.alone && !channels_find(fd)))
        return REAL(vdprintf)(fd, format, arguments);
    va_copy(again, arguments);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0)
        return size;
    text = channels_alloc((size_t)size + 1);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    while (sent < size) {
        ssize_t got = write(fd, text + sent, (size_t)(size - sent));

        if (got < 0)
            return -1;
        sent += (int)got;
    }
    return size;
}

int __vdprintf_chk(int, int, const char *restrict, va_list);
int __dprintf_chk(int, int, const char *restrict, ...);

INTERPOSE int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list arguments)
{
    (void)flag; /* how strictly libc looks at %n */
    return vdprintf(fd, format, arguments);
}

INTERPOSE int dprintf(int fd, const char *restrict format, ...)
{
    va_list arguments;
    int result;

    va_start(arguments, format);
    result = vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}

INTERPOSE int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
    va_list arguments;
    int result;

    (void)flag;
    va_start(arguments, format);
    result = vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}
