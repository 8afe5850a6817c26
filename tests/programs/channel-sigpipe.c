// A write that nobody can read: SIGPIPE ends the program, or the call fails with EPIPE.
// EXPECT(sc -DIGNORE): safe
// EXPECT: crash at=write says=SIGPIPE
// EXPECT(sc -DNOSIGNAL): safe
#include "common.h"
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *closer(void *_)
{
    assert(close(ends[0]) == 0);
    return NULL;
}

static void *writer(void *_)
{
#ifdef NOSIGNAL
    ssize_t n = send(ends[1], "x", 1, MSG_NOSIGNAL);
#else
    ssize_t n = write(ends[1], "x", 1); /* write */
#endif

    assert(n == 1 || (n == -1 && errno == EPIPE));
    return NULL;
}

int main(void)
{
#ifdef IGNORE
    signal(SIGPIPE, SIG_IGN);
#endif
#ifdef NOSIGNAL
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
#else
    assert(pipe(ends) == 0);
#endif
    run2(closer, writer);
    return 0;
}
