#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "runtime/channels/channels.h"
#include "runtime/channels/outside.h"
#include "runtime/core/kernel.h"
#include "runtime/core/state.h"
#include "runtime/files/files.h"

/* ioctl: how much there is to read, and whether calls wait. */

static int units_tell(const struct description *d, int *to)
{
    if (d->kind == DESCRIPTION_OUTSIDE)
        return (int)syscall(SYS_ioctl, d->outside->fd, FIONREAD, to);
    if (!d->in || d->kind == DESCRIPTION_LISTENER || d->kind == DESCRIPTION_SET)
        return channels_fail(EINVAL);
    channels_ask(OP_CHANNEL_LOOK, d->in->name, 0, 0, 0);
    *to = (int)d->in->used;
    if (d->kind == DESCRIPTION_MESSAGES && d->in->used)
        *to = (int)d->in->messages.at[d->in->first_message].size;
    return 0;
}

static int channels_control(int fd, unsigned long request, void *argument)
{
    struct description *d = request == FIONREAD ? channels_use(fd) : channels_change(fd);

    if (!d)
        return channels_fail(EBADF);
    if (request == FIONREAD)
        return units_tell(d, argument);
    channels_flagging(d, *(int *)argument != 0);
    d->nonblocking = *(int *)argument != 0;
    return (int)syscall(SYS_ioctl, fd, request, argument);
}

REAL_CALL(ioctl)
INTERPOSE int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;
    void *argument;
    int result;

    va_start(arguments, request);
    argument = va_arg(arguments, void *);
    va_end(arguments);
    if (native.current) {
        if (request == FIONBIO || request == FIOCLEX || request == FIONCLEX)
            state_fd_flagging(fd);
        channels_use(fd);
    }
    request_begin(REQUEST_IOCTL, request, argument);
    if (native.current && channels_find(fd) && (request == FIONREAD || request == FIONBIO))
        result = channels_control(fd, request, argument);
    else
        result = REAL(ioctl)(fd, request, argument);
    return request_end(REQUEST_IOCTL, request, argument, result);
}
