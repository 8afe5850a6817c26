// What no thread can wait for yet is named.
// EXPECT(sc -DTIMER): incomplete says=timerfd_create
// EXPECT(sc -DUDP): incomplete says=neither TCP nor connected UNIX
#include "common.h"
#include <errno.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>

int main(void)
{
#ifdef TIMER
    assert(timerfd_create(CLOCK_MONOTONIC, 0) == -1 && errno == ENOSYS);
#endif
#ifdef UDP
    assert(socket(AF_INET, SOCK_DGRAM, 0) >= 0);
#endif
    return 0;
}
