// What no thread can wait for yet is named.
// EXPECT(sc -DTIMER): incomplete says=waiting for a timerfd
// EXPECT(sc -DOPEN): safe
// EXPECT(sc -DUDP): incomplete says=neither TCP nor connected UNIX
#include "common.h"
#include <errno.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
#ifdef TIMER
    uint64_t n;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

    assert(fd >= 0 && read(fd, &n, 8) == -1 && errno == EAGAIN);
#endif
#ifdef OPEN
    assert(close(timerfd_create(CLOCK_MONOTONIC, 0)) == 0);
#endif
#ifdef UDP
    assert(socket(AF_INET, SOCK_DGRAM, 0) >= 0);
#endif
    return 0;
}
