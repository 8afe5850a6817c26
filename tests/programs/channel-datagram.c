// A pair of datagram sockets does not end when the other end is closed: who waits then waits for ever.
// EXPECT: deadlock says=waits to read from the socket pair
// EXPECT(sc -DSHUT): safe
// EXPECT(sc -DPACKETS): safe
#include "common.h"
#include <sys/socket.h>
#include <unistd.h>

#ifdef PACKETS
#define TYPE SOCK_SEQPACKET
#else
#define TYPE SOCK_DGRAM
#endif

static int two[2];

static void *reader(void *_)
{
    char text[8];

    while (recv(two[1], text, sizeof text, 0) > 0)
        ;
    return NULL;
}

int main(void)
{
    pthread_t thread;

    assert(socketpair(AF_UNIX, TYPE, 0, two) == 0);
    pthread_create(&thread, NULL, reader, NULL);
    assert(send(two[0], "abc", 3, 0) == 3);
#ifdef SHUT
    send(two[0], "", 0, 0);
#else
    close(two[0]);
#endif
    pthread_join(thread, NULL);
}
