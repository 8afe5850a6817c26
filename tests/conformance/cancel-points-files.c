// A cancellation that waits acts at calls about descriptors, even if they would not wait.
#include "cancel-points.h"

static int ends[2];
static char byte;
static struct timeval no_time;
static struct pollfd poll_one;

static void at_read(void) { read(ends[0], &byte, 1); }

static void at_write(void) { write(ends[1], &byte, 1); }

static void at_recv(void) { recv(ends[0], &byte, 1, MSG_DONTWAIT); }

static void at_send(void) { send(ends[0], &byte, 1, MSG_DONTWAIT); }

static void at_poll(void) { poll(&poll_one, 1, 0); }

static void at_select(void) { select(0, NULL, NULL, NULL, &no_time); }

static void at_open(void) { close(open("/dev/null", O_RDONLY)); }

static void program(void)
{
    points_open();
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    write(ends[1], "some bytes", 10);
    poll_one = (struct pollfd){ends[0], POLLIN, 0};
    TRY(at_read);
    TRY(at_write);
    TRY(at_recv);
    TRY(at_send);
    TRY(at_poll);
    TRY(at_select);
    TRY(at_open);
}
