#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/channels/channels.h"
#include "runtime/files/files.h"

/* ---- event counters */

REAL_CALL(eventfd)
INTERPOSE int eventfd(unsigned value, int flags)
{
    int fd = REAL(eventfd)(value, flags);
    struct description *d;

    if (!native.current || fd < 0)
        return fd;
    fd = files_opened(fd);
    d = channels_new(DESCRIPTION_COUNTER);
    d->nonblocking = flags & EFD_NONBLOCK;
    d->semaphore = flags & EFD_SEMAPHORE;
    d->in = d->out = channels_channel("event counter", fd);
    d->in->counter = value;
    channels_add(fd, d);
    if (value)
        channels_ask(OP_CHANNEL_SET, d->in->name, value, 0, 0);
    return fd;
}

INTERPOSE int eventfd_read(int fd, eventfd_t *value)
{
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

INTERPOSE int eventfd_write(int fd, eventfd_t value)
{
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}
